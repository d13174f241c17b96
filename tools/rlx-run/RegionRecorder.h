//===- RegionRecorder.h - the regions that runs go through -----*- C++ -*-===//
#ifndef RLX_TOOLS_RLX_RUN_REGIONRECORDER_H
#define RLX_TOOLS_RLX_RUN_REGIONRECORDER_H

#include "Report.h"
#include "rlx/Runtime/Runtime.h"

#include <cstdint>
#include <vector>

namespace rlx::tools {

/// Follows a session's runs from region to region.
class RegionRecorder {
public:
  RegionRecorder(Session &session, const Module &module) : session(session), module(module) {}
  RegionRecorder(const RegionRecorder &) = delete;
  ~RegionRecorder() { static_cast<void>(stop()); }

  Status start() { return session.setTrace(record, this); }
  Status stop() { return session.setTrace(nullptr, nullptr); }

  /// Floating-point operations of all that was recorded.
  Result<double> countFlops() const;

  /// Adds an event for each execution of a region, with what it computes and moves.
  Status addTo(Trace &trace) const;

private:
  /// The time at which a region begins, or at which the one before ends.
  struct Mark {
    uint32_t region;
    Trace::Time time;
  };
  static void record(void *self, uint32_t region) {
    static_cast<RegionRecorder *>(self)->marks.push_back({region, Trace::now()});
  }

  Session &session;
  const Module &module;
  std::vector<Mark> marks;
};

} // namespace rlx::tools

#endif // RLX_TOOLS_RLX_RUN_REGIONRECORDER_H
