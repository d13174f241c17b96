//===- Report.h - errors, latencies and traces of the tools -----*- C++ -*-===//
#ifndef RLX_TOOLS_COMMON_REPORT_H
#define RLX_TOOLS_COMMON_REPORT_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/abi.h"

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rlx::tools {

/// Prints an error to stderr, `tool: error: ` before each line, and returns the
/// exit code: 1 for the user's errors, 2 for ours.
int reportError(const std::string &tool, const Status &status);

/// Prints a list of tensors: a title, then one line for each.
void printTensorInfos(const char *title, std::span<const rlx_tensor_info> infos,
                      std::span<const char *const> symbols);

/// Latencies of runs, in milliseconds.
class Latencies {
public:
  void add(std::chrono::nanoseconds time);

  /// The time that the given share of runs does not exceed (nearest rank).
  double percentile(double share) const;

  /// Prints the number of runs, p50, p90, p99 and the minimum.
  void print() const;

private:
  std::vector<double> sorted;
};

/// Times the phases of a tool, for `chrome://tracing` and Perfetto.
class Trace {
public:
  using Time = std::chrono::nanoseconds;

  /// Something that took time; `details` are numbers that belong to it.
  struct Event {
    std::string name;
    std::string category;
    Time start, duration;
    std::vector<std::pair<std::string, double>> details = {};
  };

  /// The time on the clock of all events.
  static Time now() { return std::chrono::steady_clock::now().time_since_epoch(); }

  void add(Event event) { events.push_back(std::move(event)); }

  /// Measures from its construction to its destruction.
  class Phase {
  public:
    Phase(Trace &trace, std::string name) : trace(trace), name(std::move(name)), start(now()) {}
    Phase(const Phase &) = delete;
    Phase &operator=(const Phase &) = delete;
    ~Phase() { trace.add({std::move(name), "phase", start, now() - start}); }

  private:
    Trace &trace;
    std::string name;
    Time start;
  };

  /// Begins a phase, which ends with the result's life.
  Phase phase(std::string name) { return {*this, std::move(name)}; }

  /// Writes the events; an empty path stands for no file.
  Status write(const std::string &path) const;

private:
  std::vector<Event> events;
};

} // namespace rlx::tools

#endif // RLX_TOOLS_COMMON_REPORT_H
