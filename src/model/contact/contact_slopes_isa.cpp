#include "model/contact/contact_slope_kernels.h"
#include "model/contact/contact_slopes.h"

// Compiled once for each instruction set: derivatives of sites in jets.

namespace cuttle::CUTTLE_ISA {
namespace {

void slopes_of(const ContactLawT<double>& law, int site, double time, const FrameMotionT<double>* motion,
               const double* states, SiteSlopesT<double>& slopes) {
  law.jet_slopes<CUTTLE_ISA_WIDTH>(site, time, motion, states, slopes);
}

}  // namespace

ContactSlopeKernel contact_slope_kernel() { return &slopes_of; }

}  // namespace cuttle::CUTTLE_ISA
