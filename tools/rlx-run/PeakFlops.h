//===- PeakFlops.h - how fast this machine can multiply and add -*- C++ -*-===//
#ifndef RLX_TOOLS_RLX_RUN_PEAKFLOPS_H
#define RLX_TOOLS_RLX_RUN_PEAKFLOPS_H

#include <cstdint>

namespace rlx::tools {

/// Measures the floating-point operations a second that `threads` threads reach with
/// f32 multiply-adds on registers alone, the best of a few tries of some milliseconds.
double measurePeakFlops(uint32_t threads);

} // namespace rlx::tools

#endif // RLX_TOOLS_RLX_RUN_PEAKFLOPS_H
