#include "cuttle/diagnostic.h"

#include <charconv>
#include <system_error>
#include <utility>

namespace cuttle {

KeyPath::KeyPath(const std::string& path) {
  std::string key;
  const auto end_key = [&] {
    if (!key.empty()) steps_.push_back({std::exchange(key, ""), 0});
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::size_t close = path[i] == '[' ? path.find(']', i) : path.npos;
    std::size_t index = 0;
    const auto is_number = [&] {
      const auto [end, problem] = std::from_chars(&path[i + 1], &path[close], index);
      return end == &path[close] && problem == std::errc();
    };
    if (close != path.npos && is_number()) {
      end_key();
      steps_.push_back({"", index});
      i = close;
    } else if (path[i] == '.') {
      end_key();
    } else {
      key += path[i];
    }
  }
  end_key();
}

KeyPath::KeyPath(std::initializer_list<KeyPath> parts) {
  for (const KeyPath& part : parts) steps_.insert(steps_.end(), part.steps_.begin(), part.steps_.end());
}

std::string KeyPath::text(std::size_t skipped) const {
  std::string text;
  for (std::size_t i = skipped; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.is_index()) {
      text.append("[").append(std::to_string(step.index)).append("]");
    } else {
      text.append(text.empty() ? "" : ".").append(step.key);
    }
  }
  return text;
}

Diagnostic::Diagnostic(std::string message) : Diagnostic(KeyPath(), std::move(message)) {}

Diagnostic::Diagnostic(KeyPath path, std::string message) : path_(std::move(path)), message_(std::move(message)) {
  make_text();
}

Diagnostic::Diagnostic(KeyPath path, std::string found, std::string expected)
    : path_(std::move(path)), found_(std::move(found)), expected_(std::move(expected)) {
  if (!found_.empty()) message_ = "found " + found_;
  if (!expected_.empty()) message_.append(message_.empty() ? "" : ", ").append("expected ").append(expected_);
  make_text();
}

Diagnostic& Diagnostic::place_in(const KeyPath& place, const std::string& name) {
  const std::size_t named = name_.empty() && name.empty() ? 0 : place.steps().size() + named_;
  const std::string front = name.empty() && !name_.empty() ? place.text() : name;
  name_ = front + (front.empty() || name_.empty() ? "" : ": ") + name_;
  named_ = named;
  path_ = {place, path_};
  make_text();
  return *this;
}

Diagnostic Diagnostic::located(const std::string& file_place) const {
  Diagnostic result = *this;
  result.name_ = file_place, result.named_ = 0;
  result.make_text();
  return result;
}

void Diagnostic::make_text() {
  text_.clear();
  for (const std::string& part : {name_, path_.text(named_), message_}) {
    if (!part.empty()) text_.append(text_.empty() ? "" : ": ").append(part);
  }
}

}  // namespace cuttle
