//===- CompiledModel.h - What compiled models have in common ----*- C++ -*-===//
//
// A model's module, its params, and the session that runs it. A model is used by one
// thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_COMPILEDMODEL_H
#define RLX_MODELS_COMPILEDMODEL_H

#include "rlx/Compiler/Options.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rlx::models {

/// The base of the models' run classes.
class CompiledModel {
public:
  /// Binds the params of a safetensors file.
  Status bindParams(const std::string &path);

  /// Binds params by name. Their memory is not needed afterwards.
  Status bindParams(std::span<const TensorView> tensors);

  /// Takes params that were bound to `module()`. They are shared: the caller's copy
  /// can rebind them between runs.
  Status bindParams(const Params &params);

  /// Runs use at most so many threads; 0 for all.
  Status setThreads(uint32_t threads);

  /// The compiled graph.
  const Module &module() const { return compiled; }

protected:
  CompiledModel(Module module, uint32_t threads) : compiled(std::move(module)), threads(threads) {}

  /// The options of a preset for a device.
  static Result<CompileOptions> presetFor(std::string_view preset, std::string_view device);

  /// Runs on all inputs; an error if no params are bound.
  Status call(std::span<const TensorView> inputs);

  /// The elements of an f32 output of the last run.
  Result<std::span<const float>> output(const char *name);

private:
  Module compiled;
  uint32_t threads;
  std::optional<Session> session;
};

} // namespace rlx::models

#endif // RLX_MODELS_COMPILEDMODEL_H
