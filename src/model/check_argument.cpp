#include "model/check_argument.h"

namespace cuttle {

void fail_overflow(const char* function, const std::string& result, const std::string& value) {
  throw OverflowError(std::string(function) + ": " + result + ": found " + value +
                      ", expected a finite number: the arguments are finite, but too large to compute with");
}

void fail_argument(const char* function, const KeyPath& path, const std::string& found, const std::string& expected) {
  throw ArgumentError(Diagnostic(path, found, expected).place_in({}, function));
}

void fail_quaternion(const char* function, const char* name, int number, const std::string& coordinate,
                     const std::string& found, const std::string& expected) {
  const std::string place = std::string(name) + "[" + std::to_string(number) + "..] (" + coordinate + " ..)";
  throw ArgumentError(Diagnostic({}, found, expected).place_in({name, number}, place).place_in({}, function));
}

void fail_foreign(const char* function, const char* name, const ModelStamp* made_for, const ModelStamp& expected,
                  bool sizes_suffice) {
  const auto robot = [](const ModelStamp& stamp) {
    const int rows = stamp.sizes.constraints;
    return "one made for '" + stamp.name + "' (nv = " + std::to_string(stamp.sizes.nv) +
           (rows > 0 ? ", " + std::to_string(rows) + " rows of loops)" : ")");
  };
  fail_argument(function, name, made_for == nullptr ? "one that was moved from" : robot(*made_for),
                robot(expected) + (sizes_suffice ? " or a robot of the same sizes" : ", itself or a copy of it"));
}

}  // namespace cuttle
