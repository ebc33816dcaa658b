#include "cuttle/io/file_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "cuttle/io/plain_text.h"

namespace cuttle {
namespace {

/// What `throw_if_any` throws, so that who catches it can sort its errors among others.
class CollectedErrors final : public FileError {
 public:
  CollectedErrors(const std::string& text, FileErrors errors) : FileError(text), errors_(std::move(errors)) {}
  const FileErrors& errors() const { return errors_; }

 private:
  FileErrors errors_;
};

/// A line of a message: one line whatever stands in the file, and no longer than anybody reads.
std::string message_line(const std::string& text) { return beginning(printable(text), 2000); }

template <typename Entry>
auto order(const Entry& entry) {
  return std::tuple(entry.source_index, entry.line, entry.column);
}

}  // namespace

std::string SourceMark::text() const {
  const std::string name = source ? *source : "?";
  return line > 0 ? fmt::format("{}:{}:{}", name, line, column) : name;
}

void FileErrors::add(const SourceMark& mark, const std::string& path, const std::string& found,
                     const std::string& expected) {
  add(mark, path, fmt::format("found {}, expected {}", found, expected));
}

void FileErrors::add(const SourceMark& mark, const std::string& path, const std::string& found_and_expected) {
  const std::string where = path.empty() ? mark.text() : mark.text() + ": " + path;
  insert(mark.source ? *mark.source : "", mark.line, mark.column, message_line(where + ": " + found_and_expected));
}

void FileErrors::add(const FileError& error) {
  if (const auto* collected = dynamic_cast<const CollectedErrors*>(&error)) {
    const FileErrors& others = collected->errors();
    for (const Entry& entry : others.entries_) insert(entry.source, entry.line, entry.column, entry.text);
    count_ += others.count_ - others.entries_.size();
  } else {
    insert(error.what(), 0, 0, error.what());
  }
}

bool FileErrors::keeps(const SourceMark& mark) const {
  if (entries_.size() < k_most_shown) return true;
  const auto source = sources_.find(mark.source ? *mark.source : "");
  if (source == sources_.end()) return false;
  return std::tuple(source->second, mark.line, mark.column) < order(entries_.back());
}

void FileErrors::insert(const std::string& source, int line, int column, std::string text) {
  ++count_;
  if (entries_.size() == k_most_shown && sources_.count(source) == 0) return;  // behind those of all other files
  const std::size_t index = sources_.emplace(source, sources_.size()).first->second;
  Entry entry{source, index, line, column, std::move(text)};
  const auto behind = [](const Entry& a, const Entry& b) { return order(a) < order(b); };
  entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry, behind), std::move(entry));
  if (entries_.size() > k_most_shown) entries_.pop_back();
}

void FileErrors::throw_if_any() const {
  if (count_ == 0) return;
  std::string text;
  for (const Entry& entry : entries_) text += (text.empty() ? "" : "\n") + entry.text;
  if (count_ > entries_.size()) text += fmt::format("\nand {} more", count_ - entries_.size());
  throw CollectedErrors(text, *this);
}

}  // namespace cuttle
