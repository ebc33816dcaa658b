#pragma once

#include "model/contact/contact_law.h"

namespace cuttle {

/// ContactLawT::jet_slopes: derivatives of what a site does. Jets of twelve and sixteen directions fill wide lanes.
using ContactSlopeKernel = void (*)(const ContactLawT<double>& law, int site, double time,
                                    const FrameMotionT<double>* motion, const double* states,
                                    SiteSlopesT<double>& slopes);

/// The fastest that this CPU runs.
ContactSlopeKernel contact_slope_kernel();

}  // namespace cuttle
