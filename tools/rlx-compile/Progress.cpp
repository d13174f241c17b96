//===- Progress.cpp - the phase of long work, on a terminal ---------------===//

#include "Progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace rlx::tools;

Progress::Progress(std::string tool) : tool(std::move(tool)) {
  if (isatty(STDERR_FILENO))
    display = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!display.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_one();
  display.join();
}

void Progress::start(std::string_view name) {
  std::lock_guard lock(mutex);
  phase = name;
}

void Progress::show() {
  std::unique_lock lock(mutex);
  std::chrono::milliseconds wait(1000);
  bool shown = false;
  while (!changed.wait_for(lock, wait, [&] { return done; })) {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "\r\x1b[K{}: {} ({:.1f} s)", tool, phase, elapsed.count());
    std::fflush(stderr);
    wait = std::chrono::milliseconds(100);
    shown = true;
  }
  if (shown)
    fmt::print(stderr, "\r\x1b[K");
}
