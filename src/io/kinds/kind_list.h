#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "cuttle/io/kinds.h"

namespace cuttle {

/// The kinds of one part of a robot, those of the library first. Grows and never shrinks: kinds and lists of variants
/// stay where they are, so readers need no lock.
template <typename Kind>
class KindList {
 public:
  /// @param part  for messages: "body".   @param selector  the key that a type follows.
  KindList(std::string part, std::vector<Kind> library, std::string selector = "type")
      : part_(std::move(part)), selector_(std::move(selector)), versions_(1), current_(&versions_[0]) {
    for (Kind& kind : library) add(std::move(kind));
  }

  void add(Kind kind) {
    const std::lock_guard lock(mutex_);
    check(kind);
    std::vector<KeyVariants::Variant> variants = versions_.back();
    variants.push_back({kind.type, kind.keys, kind.text, kind.example});
    kinds_.push_back(std::move(kind));
    versions_.push_back(std::move(variants));
    current_ = &versions_.back();
  }
  const Kind& of(const std::string& type) const {
    if (const Kind* kind = find(type)) return *kind;
    throw std::logic_error(part_ + " '" + type + "' has no kind");
  }
  const Kind* find(const std::string& type) const {
    const std::lock_guard lock(mutex_);
    for (const Kind& kind : kinds_) {
      if (kind.type == type) return &kind;
    }
    return nullptr;
  }
  const std::vector<KeyVariants::Variant>& variants() const { return *current_.load(); }
  const std::string& part() const { return part_; }

 private:
  void check(const Kind& kind) const {
    const auto refuse = [&](const char* what, const std::string& found, const std::string& expected) {
      throw ArgumentError(Diagnostic(what, found, expected).place_in({}, "kind of " + part_));
    };
    const char* const selector = selector_.c_str();
    if (kind.type.empty()) refuse(selector, "nothing", "the value of the key `" + selector_ + "`");
    for (const Kind& other : kinds_) {
      if (other.type == kind.type)
        refuse(selector, "'" + kind.type + "' again", "a " + selector_ + " that is not there yet");
    }
    if (kind.keys == nullptr) refuse("keys", "nothing for '" + kind.type + "'", "the table of its keys");
    if (kind.keys->find(selector_) != nullptr) {
      refuse("keys", "`" + selector_ + "` of '" + kind.type + "'", "the keys beside it");
    }
    if (!kind.read) refuse("read", "nothing for '" + kind.type + "'", "a function that makes it");
  }

  std::string part_, selector_;
  mutable std::mutex mutex_;
  std::deque<Kind> kinds_;
  std::deque<std::vector<KeyVariants::Variant>> versions_;
  std::atomic<const std::vector<KeyVariants::Variant>*> current_;
};

/// All kinds of a part. Those of the library are there from the first call on.
template <typename Kind>
KindList<Kind>& kinds();
template <>
KindList<BodyKind>& kinds();
template <>
KindList<JointKind>& kinds();
template <>
KindList<ElementKind>& kinds();
template <>
KindList<ActuatorKind>& kinds();
template <>
KindList<LoadKind>& kinds();
template <>
KindList<SensorKind>& kinds();
template <>
KindList<SignalKind>& kinds();
template <>
KindList<ControllerKind>& kinds();
template <>
KindList<IntegratorKind>& kinds();
template <>
KindList<MaterialKind>& kinds();
template <>
KindList<KinematicsKind>& kinds();
template <>
KindList<DistanceKind>& kinds();

/// For tables: KeyVariants::registered.
template <typename Kind>
const std::vector<KeyVariants::Variant>& registered_variants() {
  return kinds<Kind>().variants();
}

/// Reads a part by its kind. Nothing, with an error, if it cannot be made; where there are errors it may be something
/// all the same, that is not to be used.
template <typename Kind, template <typename> class Reader, typename S>
auto read_kind(const Reader<S>& part) {
  const YamlMap& map = part.map();
  FileErrors& errors = map.cursor().errors();
  const std::size_t errors_before = errors.count();
  const Kind& kind = kinds<Kind>().of(map.variant());
  const auto& read = kind.template reader<S>();
  decltype(read(part)) result{};
  if (!read) {
    map.cursor().fail("a " + kinds<Kind>().part() + " of type " + kind.type + ", which exists for double alone",
                      "one that is read with derivatives too (read_gradient of its kind)");
    return result;
  }
  try {
    result = read(part);
  } catch (const FileError& error) {
    errors.add(error);
  } catch (const Error& error) {
    if (errors.count() == errors_before) map.cursor().fail_inside(error.diagnostic());  // else it comes of a stopgap
    return result;
  } catch (const std::bad_alloc&) {
    map.cursor().fail("a part that takes more memory than there is", "fewer points, nodes or coordinates");
    return result;
  }
  if (!result && errors.count() == 0) {
    throw std::logic_error("reader of " + kinds<Kind>().part() + " '" + kind.type + "' gave nothing and no error");
  }
  return result;
}

}  // namespace cuttle
