#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuttle {

/// A number that varies in a sweep, and how.
struct SweepVariable {
  enum class Kind { list, uniform, normal };
  std::string path;
  Kind kind = Kind::list;
  std::vector<double> values = {};   ///< of a list
  double first = 0.0, second = 0.0;  ///< lowest and highest; mean and standard deviation

  bool drawn() const { return kind != Kind::list; }
  /// Of a drawn one. @param u  from 0 to 1, both excluded.
  double at(double u) const;
};

/// What `--set PATH=TEXT` varies; nothing, if it is a value for all runs.
/// @throws ArgumentError for a list or distribution that makes no sense.
std::optional<SweepVariable> read_sweep_variable(const std::string& setting);

/// Numbers from 0 to 1, both excluded, for the samples of some variables: any of them at any time, the same for ever.
/// - random: independent;
/// - lhs: Latin hypercube: of n samples each variable has one in each n-th of the interval, in random order;
/// - sobol: points of Sobol' with the direction numbers of Joe and Kuo 2008, shifted digit by digit by the seed's
///   random number: of 2^k points each variable has one in each 2^k-th.
class SweepSamples {
 public:
  static constexpr std::size_t k_most_sobol = 21;  ///< variables
  /// @throws ArgumentError for another method, more runs than 2^32 - 1 (lhs: 1e8), more variables than a method has.
  SweepSamples(const std::string& method, std::int64_t runs, std::size_t variables, std::uint64_t seed);
  double at(std::int64_t run, std::size_t variable) const;

 private:
  enum class Method { lhs, sobol, random };
  Method method_;
  std::int64_t runs_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> numbers_;  ///< by variable: order of the strata, or directions
};

/// x of which a standard normal number is below with probability u, to some units in the last place.
/// @param u  from 0 to 1, both excluded.
double normal_quantile(double u);

}  // namespace cuttle
