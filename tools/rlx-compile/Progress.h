//===- Progress.h - the phase of long work, on a terminal ------*- C++ -*-===//
#ifndef RLX_TOOLS_RLX_COMPILE_PROGRESS_H
#define RLX_TOOLS_RLX_COMPILE_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace rlx::tools {

/// Shows the phase and the elapsed time on stderr, if that is a terminal and the
/// work takes more than a second. The line is gone when this object is.
class Progress {
public:
  explicit Progress(std::string tool);
  ~Progress();
  Progress(const Progress &) = delete;

  /// Says what is being done now; any thread may.
  void start(std::string_view name);

private:
  void show();

  std::string tool;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::condition_variable changed;
  std::string phase;
  bool done = false;
  std::thread display;
};

} // namespace rlx::tools

#endif // RLX_TOOLS_RLX_COMPILE_PROGRESS_H
