// A controller: sets one input so that a coordinate of a body or joint is held, u = kp (target - q) - kd v.
#include <algorithm>

#include "own_kinds.h"

using namespace cuttle::key;

namespace {

class PostureLaw final : public cuttle::FeedbackLaw<PostureLaw> {
 public:
  PostureLaw(const cuttle::Model& model, int q, int v, int input, double target, double kp, double kd)
      : FeedbackLaw(model), q_(q), v_(v), input_(input), target_(target), kp_(kp), kd_(kd) {}

  template <typename T>
  void law(double, const T* q, const T* v, T* u) const {
    u[input_] += T(kp_) * (T(target_) - q[q_]) - T(kd_) * v[v_];
  }

 private:
  int q_, v_, input_;
  double target_, kp_, kd_;
};

struct Posture final : cuttle::Controller {
  std::string link, input;
  double target = 0.0, kp = 0.0, kd = 0.0;

  std::string type_name() const override { return "posture"; }
  std::unique_ptr<cuttle::ControlLaw> bind(const cuttle::Model& model) const override {
    const auto at = std::find_if(model.links().begin(), model.links().end(),
                                 [this](const auto& other) { return other.name == link; });
    if (at == model.links().end() || at->nq == 0 || at->nq != at->nv) {
      throw cuttle::ArgumentError("link: found '" + link +
                                  "', expected a link with coordinates that are no quaternion");
    }
    const auto& inputs = model.input_info();
    const auto named =
        std::find_if(inputs.begin(), inputs.end(), [this](const auto& info) { return info.name == input; });
    if (named == inputs.end()) throw cuttle::ArgumentError("input: found '" + input + "', expected an input");
    return std::make_unique<PostureLaw>(model, at->q, at->v, static_cast<int>(named - inputs.begin()), target, kp, kd);
  }
};

const cuttle::KeyTable k_keys{
    .keys = {required(name("name")).about("Unique name."),
             required(name("link")).about("Link whose first coordinate is held."),
             required(name("input")).about("Input that it sets."),
             number("target", cuttle::k_any_number, "rad or m").about("Where to.").by_default("0"),
             required(number("kp", cuttle::k_any_number, "of use"))
                 .about("Input for each rad or m that it is off; negative where the input moves it back."),
             number("kd", cuttle::k_any_number, "of use").about("Input against each rad/s or m/s.").by_default("0")}};

std::shared_ptr<const cuttle::Controller> read_posture(const cuttle::KeyReader<double>& part) {
  auto posture = std::make_shared<Posture>();
  posture->link = part.text("link"), posture->input = part.text("input");
  posture->target = part.number("target"), posture->kp = part.number("kp"), posture->kd = part.number("kd");
  return posture;
}

}  // namespace

cuttle::ControllerKind posture_kind() {
  return {"posture", &k_keys, "Holds a coordinate by an input.",
          "{name: hold, type: posture, link: finger, input: muscle, target: -0.3, kp: -2.0e+5}", read_posture};
}
