#pragma once

#include <cuttle/io/kinds.h>

// The kinds of this folder, each in its source file.
cuttle::BodyKind flexure_kind();
cuttle::JointKind screw_kind();
cuttle::ElementKind mckibben_kind();
cuttle::LoadKind drag_kind();
cuttle::ControllerKind posture_kind();
cuttle::ActuatorKind cam_kind();
cuttle::ElementKind cam_spring_kind();
cuttle::MaterialKind gent_kind();
cuttle::IntegratorKind ralston_kind();
cuttle::SensorKind tilt_kind();
cuttle::DistanceKind torus_kind();
cuttle::LoadKind penalty_kind();

/// One line a kind.
inline void register_own_kinds() {
  cuttle::register_kind(flexure_kind());
  cuttle::register_kind(screw_kind());
  cuttle::register_kind(mckibben_kind());
  cuttle::register_kind(drag_kind());
  cuttle::register_kind(posture_kind());
  cuttle::register_kind(cam_kind());
  cuttle::register_kind(cam_spring_kind());
  cuttle::register_kind(gent_kind());
  cuttle::register_kind(ralston_kind());
  cuttle::register_kind(tilt_kind());
  cuttle::register_kind(torus_kind());
  cuttle::register_kind(penalty_kind());
}
