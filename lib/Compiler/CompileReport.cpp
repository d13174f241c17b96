//===- CompileReport.cpp - a report in words and as JSON ------------------===//

#include "rlx/Compiler/CompileReport.h"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace rlx;
using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// Appends lines to a text.
class Writer {
public:
  template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
  }
  std::string text;
};

} // namespace

/// A number in units of `unit`, or what stands for one that is not known.
static std::string formatIn(std::optional<uint64_t> number, double unit) {
  return number ? fmt::format("{:.3f}", static_cast<double>(*number) / unit) : "dynamic";
}

static void writePasses(Writer &out, const CompileReport &report) {
  out.line("passes");
  for (const CompileReport::Pass &pass : report.passes) {
    std::string changes;
    for (const auto &[op, change] : pass.changes)
      changes += fmt::format("{}{:+} {}", changes.empty() ? "" : ", ", change, op);
    out.line("  {:<30}{}", pass.name, changes.empty() ? "nothing to do" : changes);
  }
  if (!report.declined.empty())
    out.line("\ndeclined");
  for (const CompileReport::Declined &declined : report.declined)
    out.line("  {:<30}{}: {}", declined.pass, declined.place, declined.reason);
}

static void writeRegions(Writer &out, const CompileReport &report) {
  CompileReport::Region total = {"", false, 0, 0};
  out.line("\nregions  kind            MFLOP          KiB  FLOP/byte  computes");
  for (size_t i = 0; i < report.regions.size(); ++i) {
    const CompileReport::Region &region = report.regions[i];
    bool hasRatio = region.flops && region.bytes && *region.bytes != 0;
    out.line("{:>7}  {:<8} {:>12} {:>12} {:>10}  {}", i, region.isParallel ? "parallel" : "serial",
             formatIn(region.flops, 1e6), formatIn(region.bytes, 1024),
             hasRatio ? fmt::format("{:.1f}", static_cast<double>(*region.flops) /
                                                  static_cast<double>(*region.bytes))
                      : "",
             region.name);
    total.flops =
        total.flops && region.flops ? std::optional(*total.flops + *region.flops) : std::nullopt;
    total.bytes =
        total.bytes && region.bytes ? std::optional(*total.bytes + *region.bytes) : std::nullopt;
  }
  out.line("{:>7}  {:<8} {:>12} {:>12}", "all", "", formatIn(total.flops, 1e6),
           formatIn(total.bytes, 1024));
}

static void writeMemory(Writer &out, const CompileReport::Memory &memory) {
  out.line("\nmemory             KiB");
  std::string bound;
  if (memory.workspace && memory.liveBytes && *memory.liveBytes != 0)
    bound =
        fmt::format("  {:.3f} of the {} KiB live at a time",
                    static_cast<double>(*memory.workspace) / static_cast<double>(*memory.liveBytes),
                    formatIn(memory.liveBytes, 1024));
  out.line("  workspace  {:>11}{}", formatIn(memory.workspace, 1024), bound);
  out.line("  params     {:>11}", formatIn(memory.params, 1024));
  out.line("  packed     {:>11}  made of params when they are bound",
           formatIn(memory.packedParams, 1024));
}

std::string CompileReport::toText() const {
  Writer out;
  out.line("{} for {}\n", module, target);
  writePasses(out, *this);
  if (!regions.empty()) {
    writeRegions(out, *this);
    writeMemory(out, memory);
  }
  return out.text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json toJson(std::optional<uint64_t> number) { return number ? Json(*number) : Json(); }

std::string CompileReport::toJson() const {
  Json root = {{"format", "rlx-report-1"}, {"module", module}, {"target", target}};
  root["passes"] = Json::array();
  for (const Pass &pass : passes)
    root["passes"].push_back(
        {{"name", pass.name}, {"summary", pass.summary}, {"changes", Json(pass.changes)}});
  root["declined"] = Json::array();
  for (const Declined &entry : declined)
    root["declined"].push_back(
        {{"pass", entry.pass}, {"place", entry.place}, {"reason", entry.reason}});
  root["regions"] = Json::array();
  for (const Region &region : regions)
    root["regions"].push_back({{"name", region.name},
                               {"kind", region.isParallel ? "parallel" : "serial"},
                               {"flops", ::toJson(region.flops)},
                               {"bytes", ::toJson(region.bytes)}});
  root["memory"] = {{"workspace", ::toJson(memory.workspace)},
                    {"live_bytes", ::toJson(memory.liveBytes)},
                    {"params", memory.params},
                    {"packed_params", memory.packedParams}};
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}
