#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cuttle/version.h"
#include "cuttle/view/report.h"
#include "cuttle/view/sweep_view.h"
#include "view/packing.h"
#include "view/sweep_columns.h"

namespace cuttle {

std::string sweep_page(std::string_view page, const SweepTable& table, const SweepBands& bands,
                       const SweepPageOptions& options) {
  using OrderedJson = nlohmann::ordered_json;
  const SweepAxes axes = chosen_axes(table, options.axes);
  OrderedJson data{{"kind", "sweep"}, {"title", options.title}, {"version", k_version}, {"file", options.file}};
  data["plan"] = table.head.plan, data["count"] = table.head.count, data["served"] = options.served;
  data["axes"] = {{"x", axes.x}, {"y", axes.y}, {"color", axes.color}};
  data["columns"] = OrderedJson::array();
  for (const ShownColumn& shown : shown_columns(table)) {
    const char* kind = shown.kind == ShownColumn::Kind::varied ? "varied"
                       : shown.kind == ShownColumn::Kind::kept ? "kept"
                                                               : "other";
    data["columns"].push_back({{"name", shown.column.name},
                               {"unit", shown.column.unit},
                               {"kind", kind},
                               {"values", packed_doubles(shown.values)}});
  }
  std::vector<std::int32_t> status;
  OrderedJson reasons = OrderedJson::object();
  for (const SweepRow& row : table.rows) {
    status.push_back(static_cast<std::int32_t>(row.status));
    if (row.status != SweepStatus::complete) reasons[std::to_string(row.number)] = row.reason;
  }
  data["status"] = packed_integers(status), data["reasons"] = reasons;
  data["bands"] = {{"runs", bands.runs}, {"times", packed_doubles(bands.times)}, {"columns", OrderedJson::array()}};
  for (const SweepBand& band : bands.bands) {
    OrderedJson curves = OrderedJson::array();
    for (const auto& values : band.quantiles) curves.push_back(packed_doubles(values));
    data["bands"]["columns"].push_back({{"name", band.column.name}, {"unit", band.column.unit}, {"quantiles", curves}});
  }
  return page_with_data(page, data.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace cuttle
