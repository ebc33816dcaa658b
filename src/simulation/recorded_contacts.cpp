#include "cuttle/simulation/recorded_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cuttle/algorithms/contact_resultant.h"
#include "cuttle/algorithms/sites.h"
#include "cuttle/model/model.h"

namespace cuttle {
namespace {

constexpr const char* k_axes[] = {"x", "y", "z"};

/// What some sites do together.
struct Together : ContactResultant {
  double dissipated = 0.0;  ///< so far [J]
};

/// What is recorded of that: a new quantity of contacts is a line here.
struct Quantity {
  const char* name;
  const char* unit;
  bool scalar;  ///< else a vector of world axes
  void (*read)(const Together&, double*);
};
void put(const Vector3& v, double* numbers) { numbers[0] = v.x, numbers[1] = v.y, numbers[2] = v.z; }
constexpr Quantity k_quantities[] = {
    {"force", "N", false, [](const Together& c, double* x) { put(c.force, x); }},
    {"normal", "N", true, [](const Together& c, double* x) { *x = c.normal; }},
    {"friction", "N", true, [](const Together& c, double* x) { *x = norm(c.friction); }},
    {"gap", "m", true, [](const Together& c, double* x) { *x = c.gap; }},
    {"slip", "m/s", true, [](const Together& c, double* x) { *x = c.slip; }},
    {"dissipated", "J", true, [](const Together& c, double* x) { *x = c.dissipated; }},
    {"center", "m", false, [](const Together& c, double* x) { put(c.center(), x); }},
    {"friction_force", "N", false, [](const Together& c, double* x) { put(c.friction, x); }}};

/// What is recorded of a site alone.
struct SiteQuantity {
  const char* name;
  const char* unit;
  bool scalar;
  void (*read)(const SiteObservation&, double*);
};
constexpr SiteQuantity k_site_quantities[] = {
    {"position", "m", false, [](const SiteObservation& s, double* x) { put(s.position, x); }},
    {"normal", "1", false, [](const SiteObservation& s, double* x) { put(s.normal, x); }},
    {"force", "N", false, [](const SiteObservation& s, double* x) { put(s.normal_force * s.normal + s.friction, x); }},
    {"state", "1", true, [](const SiteObservation& s, double* x) { *x = static_cast<double>(s.touch); }},
    {"pressure", "N, N/m or Pa", true, [](const SiteObservation& s, double* x) { *x = s.pressure; }}};

/// The contacts of a robot and, of those with several pairs, the pairs: sites together.
struct Group {
  std::string name;
  std::vector<const SiteLaw*> laws;
  int pair = -1;          ///< of the laws; -1: all
  bool of_sites = false;  ///< each site alone
};

std::vector<Group> groups_of(const Model& model) {
  std::vector<Group> groups;
  for (const Contact& contact : model.robot().contacts) {
    Group whole{contact.name, {}};
    std::vector<Group> parts;
    for (const auto& law : model.site_laws()) {
      if (law->name() != contact.name) continue;
      whole.laws.push_back(law.get());
      for (std::size_t i = 0; i < law->pairs().size() && contact.a.size() * contact.b.size() > 1; ++i) {
        const auto& [a, b] = law->pairs()[i];
        std::string name = fmt::format("{}/{}-{}", contact.name, a, b);
        const auto is_taken = [&name](const Group& part) { return part.name == name; };
        // of links x and y-z, or x-y and z
        if (std::any_of(parts.begin(), parts.end(), is_taken)) name = fmt::format("{}/{}|{}", contact.name, a, b);
        parts.push_back({std::move(name), {law.get()}, static_cast<int>(i)});
      }
    }
    groups.push_back(whole);
    groups.insert(groups.end(), parts.begin(), parts.end());
    if (contact.record_sites) {
      whole.name += "/sites", whole.of_sites = true;
      groups.push_back(whole);
    }
  }
  return groups;
}

template <typename Visit>
void for_each_site(const Group& group, const Visit& visit) {
  for (const SiteLaw* law : group.laws) {
    for (std::size_t i = 0; i < law->sites().size(); ++i) {
      if (group.pair < 0 || law->sites()[i].pair == group.pair) visit(*law, static_cast<int>(i));
    }
  }
}

/// Pairs of a group, among those of all contacts.
std::vector<Eigen::Index> pairs_of(const Model& model, const Group& group) {
  std::vector<Eigen::Index> pairs;
  Eigen::Index first = 0;
  for (const auto& law : model.site_laws()) {
    const auto count = static_cast<Eigen::Index>(law->pairs().size());
    if (std::find(group.laws.begin(), group.laws.end(), law.get()) != group.laws.end()) {
      for (Eigen::Index i = 0; i < count; ++i) {
        if (group.pair < 0 || i == group.pair) pairs.push_back(first + i);
      }
    }
    first += count;
  }
  return pairs;
}

std::vector<CoordinateInfo> columns_of(const char* name, const char* unit, bool scalar) {
  if (scalar) return {{name, unit}};
  std::vector<CoordinateInfo> columns;
  for (const char* axis : k_axes) columns.push_back({axis, unit});
  return columns;
}

}  // namespace

std::vector<RecordedContact> recorded_contacts(const Model& model) {
  std::vector<RecordedContact> all;
  for (const Group& group : groups_of(model)) {
    if (!group.of_sites) {
      for (const Quantity& quantity : k_quantities) {
        all.push_back(
            {group.name, quantity.name, columns_of(quantity.name, quantity.unit, quantity.scalar), quantity.scalar});
      }
      continue;
    }
    for (const SiteQuantity& quantity : k_site_quantities) {
      RecordedContact recorded{group.name, quantity.name, {}};
      int number = 0;
      for_each_site(group, [&](const SiteLaw&, int) {
        const std::string prefix = std::to_string(number++);
        for (const CoordinateInfo& column : columns_of(quantity.name, quantity.unit, quantity.scalar)) {
          recorded.columns.push_back({quantity.scalar ? prefix : prefix + "." + column.name, column.unit});
        }
      });
      all.push_back(std::move(recorded));
    }
  }
  return all;
}

constexpr double k_too_deep = 0.5;  // of the radius or half thickness: beyond it a run ends

struct ContactReader::Memory {
  explicit Memory(const Model& model) : sites(model) {
    std::map<std::pair<const SiteLaw*, int>, std::size_t> places;
    for (std::size_t i = 0; i < sites.places().size(); ++i) {
      places[{&sites.law(sites.places()[i]), sites.places()[i].site}] = i;
    }
    for (const Group& group : groups_of(model)) {
      groups.push_back({group.of_sites, {}, pairs_of(model, group)});
      for_each_site(group, [&](const SiteLaw& law, int site) {
        groups.back().sites.push_back(places.at({&law, site}));
      });
    }
    int count = 0;
    for (const RecordedContact& recorded : recorded_contacts(model)) count += static_cast<int>(recorded.columns.size());
    values.setZero(count);
    seen.resize(sites.places().size());
  }
  struct Indices {
    bool of_sites;
    std::vector<std::size_t> sites;  ///< in Sites::places
    std::vector<Eigen::Index> pairs;
  };
  Sites sites;
  std::vector<Indices> groups;
  std::vector<SiteObservation> seen;
  VectorXd values;
  struct Depth {
    double share = 0.0, depth = 0.0, time = 0.0;  ///< the largest share of what there is, and where
  };
  std::map<std::string, Depth> deepest;  ///< by contact

  void see_depths(double time) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const SitePlace& place = sites.places()[i];
      const SiteLaw& law = sites.law(place);
      const double depth = -seen[i].gap, share = depth / law.deepest(place.site);
      if (!(share > k_too_deep)) continue;
      Depth& of_law = deepest[law.name()];
      if (share > of_law.share) of_law = {share, depth, time};
    }
  }

  /// What is seen, as numbers.
  const VectorXd& read_seen(double time, VectorInT<double> dissipated) {
    see_depths(time);
    double* number = values.data();
    for (const Indices& group : groups) {
      if (group.of_sites) {
        for (const SiteQuantity& quantity : k_site_quantities) {
          for (const std::size_t i : group.sites) quantity.read(seen[i], number), number += quantity.scalar ? 1 : 3;
        }
        continue;
      }
      Together whole;
      for (const std::size_t i : group.sites) whole.add(seen[i]);
      for (const Eigen::Index pair : group.pairs) whole.dissipated += dissipated.size() > 0 ? dissipated[pair] : 0.0;
      for (const Quantity& quantity : k_quantities) quantity.read(whole, number), number += quantity.scalar ? 1 : 3;
    }
    return values;
  }
};

ContactReader::ContactReader(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
ContactReader::~ContactReader() = default;
ContactReader::ContactReader(ContactReader&&) noexcept = default;
ContactReader& ContactReader::operator=(ContactReader&&) noexcept = default;

double ContactReader::stored_energy() const { return memory_->sites.stored_energy(); }

std::vector<std::string> ContactReader::too_soft() const {
  std::vector<std::string> warnings;
  for (const auto& [name, found] : memory_->deepest) {
    warnings.push_back(
        fmt::format("contacts.{}: found it pressed in by {:.3g} m at t = {:.6g} s, {:.2g} of half of what is thinner "
                    "there, expected "
                    "less than {}: the contact is softer than its shapes allow, take a larger modulus",
                    name, found.depth, found.time, found.share, k_too_deep));
  }
  return warnings;
}

const VectorXd& ContactReader::read(const KinematicsT<double>& kinematics, double time, VectorInT<double> states,
                                    VectorInT<double> dissipated) {
  Memory& m = *memory_;
  m.sites.take(kinematics, time, states);
  for (std::size_t i = 0; i < m.seen.size(); ++i) m.seen[i] = m.sites.observe(m.sites.places()[i]);
  return m.read_seen(time, dissipated);
}

const VectorXd& ContactReader::read_at_rest(const KinematicsT<double>& kinematics, double time,
                                            VectorInT<double> states) {
  Memory& m = *memory_;
  m.sites.take(kinematics, time, states);
  for (std::size_t i = 0; i < m.seen.size(); ++i) m.seen[i] = observe_at_rest(m.sites, m.sites.places()[i], time);
  return m.read_seen(time, VectorXd());
}

}  // namespace cuttle
