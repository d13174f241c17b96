//===- RegionRecorder.cpp - the regions that runs go through --------------===//

#include "RegionRecorder.h"

using namespace rlx;
using namespace rlx::tools;

Result<double> RegionRecorder::countFlops() const {
  Result<std::vector<rlx_region_cost>> costs = session.costs(module);
  if (!costs)
    return costs.status();
  double flops = 0;
  for (const Mark &mark : marks)
    if (mark.region != RLX_NO_REGION)
      flops += static_cast<double>((*costs)[mark.region].flops);
  return flops;
}

Status RegionRecorder::addTo(Trace &trace) const {
  Result<std::vector<rlx_region_cost>> costs = session.costs(module);
  if (!costs)
    return costs.status();
  for (size_t i = 0; i + 1 < marks.size(); ++i) {
    if (marks[i].region == RLX_NO_REGION)
      continue;
    const rlx_region_info &info = module.regions()[marks[i].region];
    const rlx_region_cost &cost = (*costs)[marks[i].region];
    auto flops = static_cast<double>(cost.flops), bytes = static_cast<double>(cost.bytes);
    Trace::Time duration = marks[i + 1].time - marks[i].time;
    auto nanoseconds = static_cast<double>(duration.count());
    trace.add({info.name,
               info.kind == RLX_REGION_PARALLEL ? "parallel" : "serial",
               marks[i].time,
               duration,
               {{"region", marks[i].region},
                {"flops", flops},
                {"bytes", bytes},
                {"GFLOP/s", nanoseconds > 0 ? flops / nanoseconds : 0},
                {"GB/s", nanoseconds > 0 ? bytes / nanoseconds : 0}}});
  }
  return {};
}
