//===- PsaBlock.cpp - Compiles and runs YOLO's attention block ------------===//

#include "rlx/Models/PsaBlock.h"

#include "rlx/Compiler/Compiler.h"

#include <array>
#include <string>
#include <utility>

namespace rlx::models {

Result<PsaBlock> PsaBlock::compile(const PsaSpec &spec, const Dim &batch, std::string_view device) {
  Result<CompileOptions> options = presetFor("psa-block", device);
  return options ? compile(spec, batch, *options) : options.status();
}

Result<PsaBlock> PsaBlock::compile(const PsaSpec &spec, const Dim &batch,
                                   const CompileOptions &options) {
  if (spec.dtype != DType::F32)
    return Status(ErrorCode::InvalidArgument,
                  "psa block: dtype: expected f32, found " + std::string(nameOf(spec.dtype)));
  Result<Graph> graph = buildPsaBlock(spec, batch);
  if (!graph)
    return graph.status();
  Result<Module> module = compileInProcess(*graph, options);
  if (!module)
    return module.status();
  return PsaBlock(spec, batch, std::move(*module), options.threads);
}

Result<std::span<const float>> PsaBlock::run(std::span<const float> x) {
  int64_t image = sizes.channels * sizes.height * sizes.width;
  int64_t found = static_cast<int64_t>(x.size());
  int64_t images = batch.isDynamic() ? found / image : batch.size();
  if (found != images * image || images < 1)
    return Status(ErrorCode::InvalidArgument,
                  "x: expected " +
                      (batch.isDynamic() ? "a multiple of " + std::to_string(image)
                                         : std::to_string(images * image)) +
                      " values, found " + std::to_string(found));
  std::array<int64_t, 4> dims = {images, sizes.channels, sizes.height, sizes.width};
  std::array<TensorView, 1> inputs = {TensorView("x", DType::F32, dims, x.data())};
  if (Status status = call(inputs); !status)
    return status;
  return output("y");
}

} // namespace rlx::models
