//===- PsaBlock.h - Compiles and runs YOLO's attention block ----*- C++ -*-===//
//
//   Result<PsaBlock> block = PsaBlock::compile({}, "batch");
//   Status bound = block->bindParams("psa.safetensors");
//   Result<std::span<const float>> y = block->run(x);
//
// The graph is in PsaBlockGraph.h, the meaning in docs/spec.md, section 4.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_PSABLOCK_H
#define RLX_MODELS_PSABLOCK_H

#include "rlx/Models/CompiledModel.h"
#include "rlx/Models/PsaBlockGraph.h"

#include <span>
#include <string_view>

namespace rlx::models {

/// A compiled PSA block. A run on as many images as the last one allocates nothing.
class PsaBlock : public CompiledModel {
public:
  /// Compiles for `batch` images, which may be a dynamic dim.
  static Result<PsaBlock> compile(const PsaSpec &spec, const Dim &batch,
                                  std::string_view device = "cpu");
  static Result<PsaBlock> compile(const PsaSpec &spec, const Dim &batch,
                                  const CompileOptions &options);

  /// Runs on images [batch, c, h, w], and gives as many. The memory of the result is the
  /// block's, until its next run.
  Result<std::span<const float>> run(std::span<const float> x);

  const PsaSpec &spec() const { return sizes; }

private:
  PsaBlock(const PsaSpec &spec, const Dim &batch, Module module, uint32_t threads)
      : CompiledModel(std::move(module), threads), sizes(spec), batch(batch) {}

  PsaSpec sizes;
  Dim batch;
};

} // namespace rlx::models

#endif // RLX_MODELS_PSABLOCK_H
