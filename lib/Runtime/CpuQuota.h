//===- CpuQuota.h - how many CPUs this process may use ----------*- C++ -*-===//
#ifndef RLX_LIB_RUNTIME_CPUQUOTA_H
#define RLX_LIB_RUNTIME_CPUQUOTA_H

#include <cstdint>
#include <optional>
#include <string>

namespace rlx::runtime {

/// The CPUs of the affinity mask, or the cgroup's quota rounded up if that is
/// less. At least 1.
uint32_t availableCpus();

/// The smallest CPU quota of the process's cgroup and its parents, in CPUs, or
/// nothing where there is no limit. `root` stands before /proc and /sys, so that
/// a test can bring its own.
std::optional<double> cgroupCpuQuota(const std::string &root = "");

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_CPUQUOTA_H
