#include "io/sweeps/sweep_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"

namespace cuttle {
namespace {

constexpr std::int64_t k_most_sweep_values = 100'000'000;

[[noreturn]] void refuse(const std::string& setting, const std::string& expected) {
  throw ArgumentError(fmt::format("--set: found '{}', expected {}", setting, expected));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> finite_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto number = parse_decimal(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Numbers between the parentheses of `name(a, b)`; nothing if the text is no such call.
std::optional<std::array<double, 2>> call(const std::string& setting, std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with("(")) return std::nullopt;
  const auto parts = split(text.substr(name.size() + 1, text.size() - name.size() - 2), ',');
  const auto first = finite_number(parts.front()), second = finite_number(parts.back());
  if (!text.ends_with(')') || parts.size() != 2 || !first || !second) {
    refuse(setting, fmt::format("{}(a,b) with two numbers", name));
  }
  return std::array{*first, *second};
}

/// `lo:hi:n`, `lo:hi:n:log`: n values, both ends included.
std::vector<double> range(const std::string& setting, const std::vector<std::string_view>& parts) {
  const char* const expected = "LOWEST:HIGHEST:COUNT or LOWEST:HIGHEST:COUNT:log, COUNT from 1 to 1e8";
  const auto low = finite_number(parts[0]), high = finite_number(parts[1]), count = finite_number(parts[2]);
  const bool log = parts.size() == 4;
  if (!low || !high || !count || !(*count >= 1 && *count <= k_most_sweep_values) || *count != std::floor(*count)) {
    refuse(setting, expected);
  }
  if (log && (parts[3] != "log" || !(*low > 0.0) || !(*high > 0.0))) {
    refuse(setting, "LOWEST:HIGHEST:COUNT:log with numbers > 0");
  }
  std::vector<double> values(static_cast<std::size_t>(*count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = values.size() > 1 ? static_cast<double>(i) / static_cast<double>(values.size() - 1) : 0.0;
    values[i] = log ? *low * std::pow(*high / *low, part) : *low + part * (*high - *low);
  }
  if (values.size() > 1) values.back() = *high;
  return values;
}

SweepVariable uniform(const std::string& setting, std::string path, double low, double high) {
  if (!(low < high)) refuse(setting, "a lowest value below the highest");
  return {std::move(path), SweepVariable::Kind::uniform, {}, low, high};
}

/// The finalizer of splitmix64 ([Steele, Lea, Flood 2014]): bits that look independent for numbers that count.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t variable, std::uint64_t number) {
  return mixed(mixed(mixed(seed) ^ variable) ^ number);
}
/// In the middle of one of 2^53 equal parts of (0, 1).
double random_number(std::uint64_t seed, std::uint64_t variable, std::uint64_t number) {
  return (static_cast<double>(random_bits(seed, variable, number) >> 11U) + 0.5) * 0x1p-53;
}

/// Primitive polynomials (degree, inner coefficients) and first direction numbers of [Joe, Kuo 2008], new-joe-kuo-6,
/// for the second dimension and on; the first is van der Corput's.
struct SobolPolynomial {
  unsigned degree, coefficients;
  std::array<std::uint32_t, 7> first;
};
constexpr std::array<SobolPolynomial, SweepSamples::k_most_sobol - 1> k_sobol{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};
constexpr unsigned k_sobol_bits = 32;

/// v_i = m_i 2^(32 - i), with m_i = 2 a_1 m_{i-1} ^ 4 a_2 m_{i-2} ^ .. ^ 2^s m_{i-s} ^ m_{i-s}.
std::vector<std::uint32_t> sobol_directions(std::size_t variable) {
  std::vector<std::uint32_t> v(k_sobol_bits);
  if (variable == 0) {
    for (unsigned i = 0; i < k_sobol_bits; ++i) v[i] = 1U << (k_sobol_bits - 1 - i);
    return v;
  }
  const SobolPolynomial& p = k_sobol.at(variable - 1);
  for (unsigned i = 0; i < k_sobol_bits; ++i) {
    if (i < p.degree) {
      v[i] = p.first.at(i) << (k_sobol_bits - 1 - i);
      continue;
    }
    v[i] = v[i - p.degree] ^ (v[i - p.degree] >> p.degree);
    for (unsigned k = 1; k < p.degree; ++k) {
      if ((p.coefficients >> (p.degree - 1 - k)) & 1U) v[i] ^= v[i - k];
    }
  }
  return v;
}

}  // namespace

double normal_quantile(double u) {
  // the tail that is short is taken, where u has all its digits: x <= 0
  const bool upper = u > 0.5;
  const double p = upper ? 1.0 - u : u;
  double low = -40.0, high = 0.0, x = std::max(low, -std::sqrt(-2.0 * std::log(2.0 * p)));
  for (int i = 0; i < 200; ++i) {  // Newton's method on log p, which is concave; bisection guards it
    const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
    (below < p ? low : high) = x;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * 3.14159265358979323846);
    double next = x - (std::log(below) - std::log(p)) * below / density;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - x) <= 2 * std::numeric_limits<double>::epsilon() * std::abs(x);
    x = next;
    if (done) break;
  }
  return upper ? -x : x;
}

double SweepVariable::at(double u) const {
  return kind == Kind::normal ? first + second * normal_quantile(u) : first + u * (second - first);
}

std::optional<SweepVariable> read_sweep_variable(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == setting.npos || equals == 0) return std::nullopt;
  std::string path = setting.substr(0, equals);
  const std::string_view text = std::string_view(setting).substr(equals + 1);
  if (const auto bounds = call(setting, text, "uniform")) {
    return uniform(setting, std::move(path), (*bounds)[0], (*bounds)[1]);
  }
  if (const auto numbers = call(setting, text, "normal")) {
    if (!((*numbers)[1] > 0.0)) refuse(setting, "normal(MEAN,DEVIATION) with a standard deviation > 0");
    return SweepVariable{std::move(path), SweepVariable::Kind::normal, {}, (*numbers)[0], (*numbers)[1]};
  }
  if (const auto parts = split(text, ':'); parts.size() > 1 && finite_number(parts[0])) {
    if (parts.size() > 4) refuse(setting, "LOWEST:HIGHEST, LOWEST:HIGHEST:COUNT or LOWEST:HIGHEST:COUNT:log");
    if (parts.size() > 2) return SweepVariable{std::move(path), SweepVariable::Kind::list, range(setting, parts)};
    const auto low = finite_number(parts[0]), high = finite_number(parts[1]);
    if (!high) refuse(setting, "LOWEST:HIGHEST with two numbers");
    return uniform(setting, std::move(path), *low, *high);
  }
  const auto parts = split(text, ',');
  if (parts.size() < 2 || !finite_number(parts[0])) return std::nullopt;
  SweepVariable list{std::move(path), SweepVariable::Kind::list};
  for (const std::string_view part : parts) {
    const auto number = finite_number(part);
    if (!number) refuse(setting, fmt::format("a list of finite numbers, not '{}'", part));
    list.values.push_back(*number);
  }
  return list;
}

SweepSamples::SweepSamples(const std::string& method, std::int64_t runs, std::size_t variables, std::uint64_t seed)
    : method_(method == "sobol"    ? Method::sobol
              : method == "random" ? Method::random
                                   : Method::lhs),
      runs_(runs),
      seed_(seed) {
  if (method != "lhs" && method != "sobol" && method != "random") {
    throw ArgumentError(fmt::format("--sample: found '{}', expected lhs, sobol or random", method));
  }
  const std::int64_t most = method_ == Method::lhs ? k_most_sweep_values : std::numeric_limits<std::uint32_t>::max();
  if (runs < 1 || runs > most) {
    throw ArgumentError(fmt::format("--runs: found {}, expected 1 to {} for --sample {}", runs, most, method));
  }
  if (method_ == Method::sobol && variables > k_most_sobol) {
    throw ArgumentError(fmt::format(
        "--sample: found sobol with {} variables, expected at most {}; lhs takes any number", variables, k_most_sobol));
  }
  numbers_.resize(method_ == Method::random ? 0 : variables);
  for (std::size_t j = 0; j < numbers_.size(); ++j) {
    if (method_ == Method::sobol) {
      numbers_[j] = sobol_directions(j);
      continue;
    }
    // the order of Fisher and Yates; numbers below 2^64 / 1e8 parts make its bias less than 1e-11
    std::vector<std::uint32_t>& order = numbers_[j];
    order.resize(static_cast<std::size_t>(runs));
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_bits(~seed, j, i) % i]);
    }
  }
}

double SweepSamples::at(std::int64_t run, std::size_t variable) const {
  const auto number = static_cast<std::uint64_t>(run);
  if (method_ == Method::random) return random_number(seed_, variable, number);
  if (method_ == Method::lhs) {
    const double part = random_number(seed_, variable, number);
    const double u = (numbers_[variable][static_cast<std::size_t>(run)] + part) / static_cast<double>(runs_);
    return std::min(u, 1.0 - 0x1p-53);
  }
  std::uint32_t bits = static_cast<std::uint32_t>(random_bits(seed_, variable, 0) >> 32U);
  for (unsigned i = 0; i < k_sobol_bits; ++i) {
    if ((number >> i) & 1U) bits ^= numbers_[variable][i];
  }
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

}  // namespace cuttle
