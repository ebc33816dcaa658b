#include <numbers>

#include "cuttle/bodies/rod_body.h"

namespace cuttle {

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

#define CUTTLE_INSTANTIATE(S) template struct SectionT<S>;
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
