#include "json_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace cuttle {
namespace {

/// Without a line break, as an entry of a list.
void print_inline(const Json& json) {
  const char* separator = "";
  if (json.is_object()) {
    fmt::print("{{");
    for (const auto& [key, value] : json.items()) {
      fmt::print("{}{}: ", separator, Json(key).dump());
      print_inline(value);
      separator = ", ";
    }
    fmt::print("}}");
  } else if (json.is_array()) {
    fmt::print("[");
    for (const Json& entry : json) {
      fmt::print("{}", separator);
      print_inline(entry);
      separator = ", ";
    }
    fmt::print("]");
  } else if (json.is_number_float() && std::isfinite(json.get<double>())) {
    fmt::print("{:.17g}", json.get<double>() + 0.0);  // -0 is 0
  } else {
    fmt::print("{}", json.dump());
  }
}

void print_value(const Json& json, const std::string& indent) {
  const char* separator = "\n";
  if (json.is_object()) {
    fmt::print("{{");
    for (const auto& [key, value] : json.items()) {
      fmt::print("{}{}  {}: ", separator, indent, Json(key).dump());
      print_value(value, indent + "  ");
      separator = ",\n";
    }
    fmt::print("\n{}}}", indent);
  } else if (json.is_array() && !json.empty() && json[0].is_structured()) {
    fmt::print("[");
    for (const Json& entry : json) {
      fmt::print("{}{}  ", separator, indent);
      print_inline(entry);
      separator = ",\n";
    }
    fmt::print("\n{}]", indent);
  } else {
    print_inline(json);
  }
}

}  // namespace

void print_json(const Json& json) {
  print_value(json, "");
  fmt::print("\n");
}

void print_json_line(const Json& json) {
  print_inline(json);
  fmt::print("\n");
}

std::vector<std::string> fields_not_finite(const Json& object) {
  const std::function<bool(const Json&)> finite = [&finite](const Json& value) {
    if (value.is_structured()) return std::all_of(value.begin(), value.end(), finite);
    return !value.is_number_float() || std::isfinite(value.get<double>());
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) {
    if (!finite(value)) names.push_back(name);
  }
  return names;
}

Json to_json(const VectorXd& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value);
  return array;
}

Json to_json(const MatrixXd& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < values.cols(); ++k) row.push_back(values(i, k));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json to_json(const Vector3& values) { return {values.x, values.y, values.z}; }

Json to_json(const Pose& pose) {
  const Matrix3& R = pose.rotation;
  return {{"position", to_json(pose.position)},
          {"rotation", Json::array({to_json(R.row0), to_json(R.row1), to_json(R.row2)})}};
}

}  // namespace cuttle
