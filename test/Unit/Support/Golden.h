//===- Golden.h - the golden data of test/Golden ----------------*- C++ -*-===//
//
// What test/Golden/README.md describes, for whatever runs graphs:
//
//   for (const ModelCase &golden : modelCases()) {
//     std::vector<Tensor> outputs = run(golden.builtin, golden.inputs(), golden.params());
//     for (const GoldenOutput &expected : golden.outputs())
//       EXPECT_LT(expected.compare(find(outputs, expected.name)).error, 2e-5);
//   }
//
// Nothing here returns errors: data that can't be read end the test program.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_UNIT_SUPPORT_GOLDEN_H
#define RLX_TEST_UNIT_SUPPORT_GOLDEN_H

#include "Support/Numerics.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Tensor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace rlx::test {

/// What a model's output is expected to be.
struct GoldenOutput {
  std::string name;
  std::vector<int64_t> shape;
  double absMax;                ///< of the whole tensor
  int64_t sampleStride;         ///< of the expected elements
  std::vector<double> expected; ///< those at flat indices 0, sampleStride, ...

  /// Compares an output, relative to the largest magnitude of the whole tensor. An
  /// output with more rows is compared in the first ones, as masked graphs need.
  Difference compare(std::span<const double> found) const;
  Difference compare(const TensorView &found) const { return compare(toDoubles(found)); }
};

/// A model with params and inputs.
class ModelCase {
public:
  std::string name;
  std::string builtin;           ///< for rlx-compile and buildBuiltin
  bool gradient;                 ///< of a graph with its gradient
  std::optional<int64_t> active; ///< the number of tokens of a masked graph

  std::vector<Tensor> inputs() const { return generate("inputs"); }
  std::vector<Tensor> params() const { return generate("params"); }
  std::vector<GoldenOutput> outputs() const;

private:
  friend std::vector<ModelCase> modelCases();
  std::vector<Tensor> generate(const char *group) const;

  nlohmann::ordered_json entry;
};

/// All models' cases.
std::vector<ModelCase> modelCases();

/// One op with its operands.
class OpCase {
public:
  std::string name;
  std::string op;
  nlohmann::ordered_json attrs;
  std::vector<int64_t> shape; ///< of the result

  /// The operands, in order.
  std::vector<Tensor> inputs() const;
  std::vector<double> expected() const;

  /// A graph of this op, with an input for each operand and the output "out".
  Result<Graph> graph() const;

private:
  friend std::vector<OpCase> opCases();
  nlohmann::ordered_json entry;
};

/// All ops' cases.
std::vector<OpCase> opCases();

/// The name, so that GoogleTest prints it.
inline std::ostream &operator<<(std::ostream &stream, const ModelCase &golden) {
  return stream << golden.name;
}
inline std::ostream &operator<<(std::ostream &stream, const OpCase &golden) {
  return stream << golden.name;
}

/// A case's name as GoogleTest allows it in names of tests.
std::string testName(const std::string &name);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_SUPPORT_GOLDEN_H
