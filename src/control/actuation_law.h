#pragma once

#include "control/plant.h"

namespace cuttle {

/// A law on the actuation coordinates y of its inputs, with gains of their errors.
class ActuationLaw : public OutputLaw {
 public:
  ActuationLaw(const Model& model, const FeedbackSettings& settings, const ControlPlaces& places);

  void describe(ControlColumns& columns) const override;
  void observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) override;
  Reference* reference() override { return &reference_; }

 protected:
  /// Into error_ and rate_error_, after plant_.read_inputs.
  void read_errors(const ControlArguments& at);

  Plant plant_;
  ControlPlaces places_;
  Reference reference_;
  MatrixXd kp_, kd_;
  VectorXd error_, rate_error_;

 private:
  Data data_;
};

}  // namespace cuttle
