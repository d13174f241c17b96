//===- Report.cpp - errors, latencies and traces of the tools -------------===//

#include "Report.h"

#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/TensorFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace rlx;
using namespace rlx::tools;

int tools::reportError(const std::string &tool, const Status &status) {
  fmt::print(stderr, "{}\n", status.withContext(tool + ": error").message());
  return status.code() == ErrorCode::Internal ? 2 : 1;
}

void tools::printTensorInfos(const char *title, std::span<const rlx_tensor_info> infos,
                             std::span<const char *const> symbols) {
  fmt::print("{}:\n", title);
  for (const rlx_tensor_info &info : infos) {
    std::string dims;
    for (int64_t dim : std::span(info.dims, info.rank)) {
      if (dim >= 0)
        dims += fmt::format("{}, ", dim);
      else if (dim == RLX_DIM_COMPUTED)
        dims += "?, ";
      else
        dims += fmt::format("{}, ", symbols[static_cast<size_t>(-1 - dim)]);
    }
    dims.resize(dims.size() - std::min<size_t>(dims.size(), 2));
    fmt::print("  {}: {} [{}]\n", info.name, nameOf(static_cast<DType>(info.dtype)), dims);
  }
}

void Latencies::add(std::chrono::nanoseconds time) {
  double milliseconds = std::chrono::duration<double, std::milli>(time).count();
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), milliseconds), milliseconds);
}

double Latencies::percentile(double share) const {
  if (sorted.empty())
    return std::nan("");
  auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

void Latencies::print() const {
  fmt::print("runs {}  p50 {:.3f} ms  p90 {:.3f} ms  p99 {:.3f} ms  min {:.3f} ms\n", sorted.size(),
             percentile(0.5), percentile(0.9), percentile(0.99), percentile(0));
}

Status Trace::write(const std::string &path) const {
  if (path.empty())
    return {};
  using Microseconds = std::chrono::duration<double, std::micro>;
  auto list = nlohmann::json::array();
  for (const Event &event : events) {
    nlohmann::json entry = {{"name", event.name},
                            {"cat", event.category},
                            {"ph", "X"},
                            {"pid", ::getpid()},
                            {"tid", 0},
                            {"ts", Microseconds(event.start).count()},
                            {"dur", Microseconds(event.duration).count()}};
    for (const auto &[name, value] : event.details)
      entry["args"][name] = value;
    list.push_back(std::move(entry));
  }
  std::string text = nlohmann::json{{"traceEvents", list}}.dump(1) + "\n";
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  return writeFileAtomically(path, {&bytes, 1});
}
