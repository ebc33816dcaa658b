#include "view/mode_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuttle/error.h"
#include "cuttle/simulation/rest_sample.h"
#include "cuttle/view/scene.h"

namespace cuttle {
namespace {

constexpr double k_way = 0.12;    // of the robot's reach that the point moves which moves most
constexpr double k_turn = 0.5;    // [rad] and that a frame turns at most
constexpr double k_probe = 1e-4;  // of a shape, to see how far the robot moves
constexpr int k_halvings = 20;
constexpr double k_between_modes = 1e-3;  // [s] between modes

class Swing {
 public:
  Swing(const Robot& robot, const std::vector<LinkVisual>& visuals, const Sample& rest)
      : model_(robot), data_(model_), scene_(robot, visuals), rest_(rest) {}

  /// Frames of one mode; its times begin at `start`.
  void add(const VectorXd& real, const VectorXd& imaginary, double start, std::vector<Sample>& samples) {
    double amplitude = amplitude_of(real, imaginary);
    for (int k = 0; k < k_halvings; ++k, amplitude *= 0.5) {
      std::vector<Sample> swing;
      try {
        for (std::size_t i = 0; i < k_mode_frames; ++i) {
          const double part = static_cast<double>(i) / static_cast<double>(k_mode_frames - 1);
          const double phase = 2.0 * std::numbers::pi * part;
          swing.push_back(displaced(amplitude * (std::cos(phase) * real - std::sin(phase) * imaginary)));
          swing.back().time = start + k_mode_seconds * part;
        }
      } catch (const Error&) {
        continue;  // a body would fold: less far
      }
      samples.insert(samples.end(), swing.begin(), swing.end());
      return;
    }
    throw ArgumentError("modes: found a robot that cannot move at all about its equilibrium, expected one that can");
  }

 private:
  Sample displaced(const VectorXd& motion) {
    StaticEquilibrium at;
    at.q.resize(model_.nq());
    integrate<double>(model_, rest_.q, motion, at.q);
    at.element_states = rest_.element_states, at.multipliers = rest_.multipliers;
    return rest_sample(model_, data_, rest_.u, at);
  }

  std::vector<double> numbers_at(const VectorXd& motion) {
    std::vector<double> numbers(static_cast<std::size_t>(scene_.size()));
    scene_.frame(displaced(motion), numbers);
    return numbers;
  }

  /// As the point that moves most, or the frame that turns most, allows.
  double amplitude_of(const VectorXd& real, const VectorXd& imaginary) {
    const std::vector<double> rest = numbers_at(VectorXd::Zero(model_.nv()));
    double way = 0.0, turn = 0.0;
    const double reach = scene_.reach();  // 0 of a robot whose tips lie at its base
    for (const VectorXd* part : {&real, &imaginary}) {
      const std::vector<double> moved = numbers_at(k_probe * *part);
      for (const SceneRange& range : scene_.ranges()) {
        if (range.kind == SceneRange::Kind::values) continue;
        const int size = range.kind == SceneRange::Kind::poses ? 7 : 3;
        for (int at = range.at; at + size <= range.at + range.size; at += size) {
          const auto difference = [&](int first, int count) {
            double square = 0.0;
            for (int i = at + first; i < at + first + count; ++i) {
              const double change = moved[static_cast<std::size_t>(i)] - rest[static_cast<std::size_t>(i)];
              square += change * change;
            }
            return std::sqrt(square) / k_probe;
          };
          way = std::max(way, difference(0, 3));
          if (size == 7) turn = std::max(turn, 2.0 * difference(3, 4));
        }
      }
    }
    double amplitude = 1.0;
    if (reach == 0.0) way = 0.0;
    if (way > 0.0) amplitude = k_way * reach / way;
    if (turn > 0.0) amplitude = std::min(way > 0.0 ? amplitude : k_turn / turn, k_turn / turn);
    return amplitude;
  }

  Model model_;
  Data data_;
  Scene scene_;
  const Sample& rest_;
};

}  // namespace

std::vector<Sample> mode_motion(const Robot& robot, const std::vector<LinkVisual>& visuals, const ResultSequence& modes,
                                const Sample& rest) {
  const MatrixXd &real = modes.vector("shape_real").values, &imaginary = modes.vector("shape_imaginary").values;
  const auto count = std::min(static_cast<std::size_t>(real.rows()), k_played_modes);
  std::vector<Sample> samples;
  Swing swing(robot, visuals, rest);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    swing.add(real.row(row).transpose(), imaginary.row(row).transpose(),
              static_cast<double>(i) * (k_mode_seconds + k_between_modes), samples);
  }
  return samples;
}

}  // namespace cuttle
