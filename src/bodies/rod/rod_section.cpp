#include "cuttle/bodies/rod_section.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cuttle {
namespace {

/// Torsion constant of a rectangle with edges a >= b, Timoshenko and Goodier, Theory of Elasticity, section 109:
/// a b^3 [1/3 - (64 / pi^5) (b/a) sum over odd n of tanh(n pi a / (2 b)) / n^5]. The sum for tanh = 1 is known, and
/// what is missing to it falls by exp(-2 pi) from term to term. Relative error below 4 eps.
/// The formula holds for a < b as well, so nothing bends where edges of equal length change their roles.
template <typename S>
S rectangle_torsion_constant(const S& width, const S& height) {
  using std::exp;
  const auto wide = width > height;
  const S a = select(wide, width, height), b = select(wide, height, width);
  constexpr long double pi = std::numbers::pi_v<long double>;
  constexpr long double sum_of_odd = 1.00452376279513961613351031500593L;  // 31/32 zeta(5)
  const S decay = exp(-constant<S>(pi) * (a / b));                         // at most exp(-pi)
  const S decay2 = decay * decay;
  S power = decay, missing(0.0);      // power = exp(-n pi a / b);  1 - tanh(x/2) = 2 exp(-x) / (1 + exp(-x))
  for (int n = 1; n <= 11; n += 2) {  // the term of n = 13 is below 1e-23
    missing += constant<S>(2.0L / (static_cast<long double>(n) * n * n * n * n)) * (power / (S(1.0) + power));
    power = power * decay2;
  }
  const S sum = constant<S>(sum_of_odd) - missing;
  const S factor = constant<S>(1.0L / 3.0L) - constant<S>(64.0L / (pi * pi * pi * pi * pi)) * (b / a) * sum;
  return a * b * b * b * factor;
}

}  // namespace

template <typename S>
const char* SectionT<S>::shape_name() const {
  switch (shape) {
    case Shape::circle:
      return "circle";
    case Shape::annulus:
      return "annulus";
    case Shape::ellipse:
      return "ellipse";
    case Shape::rectangle:
      return "rectangle";
    case Shape::general:
      return "general";
  }
  return "";
}

template <typename S>
typename SectionT<S>::Properties SectionT<S>::at(const S& t) const {
  const S pi = constant<S>(std::numbers::pi_v<long double>);
  const S quarter(0.25);
  switch (shape) {
    case Shape::circle: {
      const S r = radius.at(t);
      const S A = pi * r * r;
      const S I = quarter * A * r * r;
      return {A, I, I, I + I};
    }
    case Shape::annulus: {
      const S outer = radius.at(t), inner = inner_radius.at(t);
      const S A = pi * (outer - inner) * (outer + inner);
      const S I = quarter * A * (outer * outer + inner * inner);
      return {A, I, I, I + I};
    }
    case Shape::ellipse: {
      const S a = radius_x.at(t), b = radius_y.at(t);
      const S A = pi * a * b;
      const S Ix_t = quarter * A * b * b, Iy_t = quarter * A * a * a;
      return {A, Ix_t, Iy_t, Ix_t + Iy_t};
    }
    case Shape::rectangle: {
      const S w = width.at(t), h = height.at(t);
      const S A = w * h;
      const S Ix_t = A * h * h / S(12.0), Iy_t = A * w * w / S(12.0);
      return {A, Ix_t, Iy_t, Ix_t + Iy_t};
    }
    case Shape::general:
      return {area.at(t), Ix.at(t), Iy.at(t), Jz.at(t)};
  }
  return {S(0.0), S(0.0), S(0.0), S(0.0)};
}

template <typename S>
S SectionT<S>::torsion_constant(const S& t) const {
  const Properties section = at(t);
  switch (shape) {
    case Shape::circle:
    case Shape::annulus:
    case Shape::general:
      break;
    case Shape::ellipse:  // pi a^3 b^3 / (a^2 + b^2) with half axes a, b
      return S(4.0) * section.Ix * section.Iy / section.Jz;
    case Shape::rectangle:
      return rectangle_torsion_constant(width.at(t), height.at(t));
  }
  return section.Jz;
}

template <typename S>
typename SectionT<S>::HalfAxes SectionT<S>::half_axes() const {
  HalfAxes axes;
  switch (shape) {
    case Shape::circle:
    case Shape::annulus:
      axes = {&radius, &radius};
      break;
    case Shape::ellipse:
      axes = {&radius_x, &radius_y};
      break;
    case Shape::rectangle:
    case Shape::general:
      return {};
  }
  return axes.x->empty() || axes.y->empty() ? HalfAxes{} : axes;
}

SectionContour section_contour(const Section& section, double t) {
  using Outline = SectionContour::Outline;
  const auto circle = [](double radius) { return SectionContour{Outline::circle, radius, radius, {}}; };
  switch (section.shape) {
    case Section::Shape::circle:
      return circle(section.radius.at(t));
    case Section::Shape::annulus: {
      SectionContour tube = circle(section.radius.at(t));
      tube.bore = section.inner_radius.at(t);
      return tube;
    }
    case Section::Shape::ellipse:
      return {Outline::ellipse, section.radius_x.at(t), section.radius_y.at(t), {}};
    case Section::Shape::rectangle:
      return {Outline::rectangle, 0.5 * section.width.at(t), 0.5 * section.height.at(t), {}};
    case Section::Shape::general:
      return circle(std::sqrt(std::max(section.area.at(t), 0.0) / std::numbers::pi));
  }
  return {};
}

double SectionContour::extent() const {
  return outline == Outline::rectangle ? std::hypot(half_x, half_y) : std::max(half_x, half_y);
}

double SectionContour::mean_radius() const {
  const double part = outline == Outline::rectangle ? 4.0 / std::numbers::pi : 1.0;
  return std::sqrt(part * half_x * half_y);
}

#define CUTTLE_INSTANTIATE(S) template struct SectionT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
