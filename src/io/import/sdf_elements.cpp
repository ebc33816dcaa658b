#include "io/import/sdf_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cuttle/spatial/logarithm.h"
#include "io/robot/part_readers.h"

namespace cuttle {
namespace {

using std::string;

bool is_one_of(const string& key, SdfElements::Known known) {
  return std::find(known.begin(), known.end(), key) != known.end();
}

}  // namespace

SdfElements::SdfElements(const XmlElement& root, ImportBuilder& to) : to_(&to) {
  const string* const given = root.find("version");
  if (given == nullptr) {
    to_->note(root.mark, fmt::format("sdf without a version: read as {}", version()));
    return;
  }
  const char* const end = given->data() + given->size();
  const auto [dot, error] = std::from_chars(given->data(), end, major_);
  const bool has_minor = error == std::errc() && dot != end && *dot == '.';
  if (!has_minor || std::from_chars(dot + 1, end, minor_).ec != std::errc()) {
    to_->errors.add(root.mark, "sdf.version", "'" + *given + "'", "a version, such as 1.9");
  }
}

string SdfElements::version() const { return fmt::format("{}.{}", major_, minor_); }

string SdfElements::name_of(const XmlElement& element) {
  const string* const name = element.find("name");
  return name ? *name : "";
}

string SdfElements::text_of(const XmlElement& element, const char* tag, const string& fallback) {
  const XmlElement* const child = element.child(tag);
  return child ? child->text : fallback;
}

void SdfElements::note_attributes(const XmlElement& element, const char* whose, const string& name, Known known) {
  for (const auto& [attribute, value] : element.attributes) {
    const bool foreign = attribute == "xmlns" || attribute.find(':') != string::npos;  // of other programs
    if (foreign || is_one_of(attribute, known)) continue;
    to_->note(element.mark, fmt::format("attribute {} of {}: left out", attribute, whose), name);
  }
}

void SdfElements::note_children(const XmlElement& element, const char* whose, const string& name, Known known) {
  for (const XmlElement& part : element.children) {
    if (!is_one_of(part.tag, known)) to_->note(part.mark, fmt::format("{} of {}: left out", part.tag, whose), name);
  }
}

double SdfElements::number(const XmlElement& element, const char* tag, double fallback) {
  const XmlElement* const child = element.child(tag);
  if (child == nullptr) return fallback;
  const auto values = numbers_of(child->text);
  if (values && values->size() == 1) return values->front();
  if (child->text == "inf" || child->text == "-inf") return fallback;
  to_->errors.add(child->mark, fmt::format("{}.{}", element.tag, tag), "'" + child->text + "'", "a number");
  return fallback;
}

double SdfElements::positive(const XmlElement& element, const char* tag, const char* whose, const string& name) {
  const double value = number(element, tag, 0.0);
  if (value < 0.0) to_->note(element.mark, fmt::format("{} of {} below 0: taken as 0", tag, whose), name);
  return std::max(0.0, value);
}

bool SdfElements::flag(const string& text, const SourceMark& mark, const string& subject) {
  if (is_one_of(text, {"true", "True", "TRUE", "1"})) return true;
  if (!is_one_of(text, {"false", "False", "FALSE", "0"})) {
    to_->errors.add(mark, subject, "'" + text + "'", "true or false");
  }
  return false;
}

Pose SdfElements::pose(const XmlElement& element) {
  const XmlElement* const pose = element.child("pose");
  if (pose == nullptr) return {};
  note_attributes(*pose, "a pose", name_of(element),
                  {"relative_to", "rotation_format", "degrees", is_before(1, 7) ? "frame" : "relative_to"});
  if (pose->text.empty()) return {};
  const auto x = numbers_of(pose->text);
  const string* const format = pose->find("rotation_format");
  const bool quaternion = format != nullptr && *format == "quat_xyzw";
  const string* const degrees = pose->find("degrees");
  const double unit_of =
      degrees != nullptr && (*degrees == "true" || *degrees == "1") ? 3.14159265358979323846 / 180.0 : 1.0;
  if (x && x->size() == 6 && !quaternion) {
    return {rotation_from_rpy(unit_of * (*x)[3], unit_of * (*x)[4], unit_of * (*x)[5]), {(*x)[0], (*x)[1], (*x)[2]}};
  }
  if (x && x->size() == 7 && quaternion) {
    const Quaternion q{(*x)[6], (*x)[3], (*x)[4], (*x)[5]};
    if (q.squared_norm() > 0.0) return {rotation_from_quaternion(q), {(*x)[0], (*x)[1], (*x)[2]}};
  }
  to_->errors.add(pose->mark, fmt::format("{}[{}].pose", element.tag, name_of(element)), "'" + pose->text + "'",
                  quaternion ? "7 numbers: x y z qx qy qz qw" : "6 numbers: x y z roll pitch yaw");
  return {};
}

string SdfElements::relative_to(const XmlElement& element) const {
  const XmlElement* const pose = element.child("pose");
  const string* given = pose ? pose->find("relative_to") : nullptr;
  if (given == nullptr && pose != nullptr && is_before(1, 7)) given = pose->find("frame");  // its earlier name
  return given ? *given : "";
}

}  // namespace cuttle
