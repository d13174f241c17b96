//===- Run.h - runs graphs, compiled and interpreted ------------*- C++ -*-===//
#ifndef RLX_TEST_ENDTOEND_RUN_H
#define RLX_TEST_ENDTOEND_RUN_H

#include "rlx/Graph/Graph.h"
#include "rlx/Interpreter/Array.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rlx::test {

/// Sizes by the names of dynamic dims.
using DimSizes = std::map<std::string, int64_t, std::less<>>;

/// An f32 array of elements in braces, which Array's constructors can't tell from integers.
inline Array f32(Array::Shape shape, std::vector<double> elements) {
  return {DType::F32, std::move(shape), std::move(elements)};
}

/// f32 tensors for a model's inputs or params, with weights that keep the spread of what
/// passes through them, and masks that let half of the keys be seen.
std::vector<Tensor> makeModelTensors(const std::vector<TensorSpec> &specs,
                                     const DimSizes &sizes = {});

/// The outputs of one run of a module, in order. `threads` as for Session::setThreads.
Result<std::vector<Tensor>> runModule(const Module &module, std::span<const Tensor> inputs,
                                      std::span<const Tensor> params, uint32_t threads = 0);

/// All tensors' elements, one tensor after the other, as they lie in memory.
std::vector<std::byte> bytesOf(std::span<const Tensor> tensors);

/// The outputs that the interpreter gives, rounded to their types.
Result<std::vector<Tensor>> interpretGraph(const Graph &graph, std::span<const Tensor> inputs,
                                           std::span<const Tensor> params);

/// How far a compiled model's f32 outputs may be from the exact ones, relative to the
/// largest: docs/spec.md, section 7.
constexpr double kModelTolerance = 2e-5;

/// How far a compiled result may be from the exact one, relative to the largest.
double tolerance(DType type);

} // namespace rlx::test

#endif // RLX_TEST_ENDTOEND_RUN_H
