#include "mujoco_chain.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cuttle/error.h"

namespace cuttle::bench {
namespace {

/// A file with a name of its own that is gone with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& suffix, const std::string& text)
      : path_((std::filesystem::temp_directory_path() / ("cuttle_bench_XXXXXX" + suffix)).string()) {
    const int file = mkstemps(path_.data(), static_cast<int>(suffix.size()));
    if (file < 0) throw Error("cannot write a temporary file '" + path_ + "'");
    const bool complete = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (close(file) != 0 || !complete) throw Error("cannot write all of '" + path_ + "'");
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

MujocoChain::MujocoChain(const std::vector<ChainLink>& links) {
  const TemporaryFile file(".urdf", chain_urdf(links));
  char message[1000] = "";
  model_.reset(mj_loadXML(file.path().c_str(), nullptr, message, sizeof message));
  if (!model_) throw Error(std::string("MuJoCo refuses the chain: ") + message);
  const int count = static_cast<int>(links.size());
  if (model_->nv != count || model_->nbody != count + 1) {
    throw Error("MuJoCo made " + std::to_string(model_->nbody) + " bodies of a chain of " + std::to_string(count));
  }
  model_->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_SENSOR;
  data_.reset(mj_makeData(model_.get()));
  if (!data_) throw Error("MuJoCo makes no data for the chain");
}

void MujocoChain::set(const MotionState& state, const VectorXd& tau) {
  std::copy(state.q.begin(), state.q.end(), data_->qpos);
  std::copy(state.v.begin(), state.v.end(), data_->qvel);
  std::copy(state.a.begin(), state.a.end(), data_->qacc);
  std::copy(tau.begin(), tau.end(), data_->qfrc_applied);
}

}  // namespace cuttle::bench
