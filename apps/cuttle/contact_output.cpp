#include "contact_output.h"

#include <fmt/format.h>

#include "cuttle/algorithms/kinematics.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "text_table.h"

namespace cuttle {

Json contacts_json(const Model& model, const KinematicsT<double>& kinematics, double time, const VectorXd& states) {
  Json contacts = Json::object();
  if (model.site_laws().empty()) return contacts;
  ContactReader reader(model);
  const VectorXd& numbers = reader.read(kinematics, time, states);
  Eigen::Index first = 0;
  for (const RecordedContact& recorded : recorded_contacts(model)) {
    const auto count = static_cast<Eigen::Index>(recorded.columns.size());
    const VectorXd values = numbers.segment(first, count);
    first += count;
    Json& quantity = contacts[recorded.contact][recorded.quantity];
    if (!values.allFinite()) {
      quantity = nullptr;  // nothing presses
    } else {
      quantity = recorded.scalar ? Json(values[0]) : to_json(values);
    }
  }
  return contacts;
}

std::string contacts_text(const Model& model, Data& data, const VectorXd& q, double time, const VectorXd& states) {
  if (model.site_laws().empty()) return "";
  const VectorXd still = VectorXd::Zero(model.nv());
  const Json contacts = contacts_json(model, forward_kinematics<double>(model, data, q, still), time, states);
  TextTable table({{"contact"}, {"normal [N]", true}, {"friction [N]", true}, {"gap [m]", true}});
  for (const auto& [name, quantities] : contacts.items()) {
    if (!quantities.contains("normal")) continue;  // its sites
    const auto text = [&values = quantities](const char* quantity) {
      const Json& value = values.at(quantity);
      return value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : std::string("far");
    };
    table.add({name, text("normal"), text("friction"), text("gap")});
  }
  return table.text();
}

}  // namespace cuttle
