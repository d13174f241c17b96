//===- Cases.h - graphs of single ops and what to run them on ---*- C++ -*-===//
//
// The files of test/EndToEnd/Ops hold one case after another, split by lines of
// `// -----`: a graph and comments that say what it is run on.
//
//   // sizes: n = 1, 7, 33; m = 2, 2, 5   one run for each position, by dim name
//   // values: index 9                    see `Values`
//   // types: f32, i8                      one case for each, which replaces each TYPE
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_ENDTOEND_CASES_H
#define RLX_TEST_ENDTOEND_CASES_H

#include "Run.h"

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Tensor.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace rlx::test {

/// How elements of inputs and params are drawn. Booleans are always fair coins.
struct Values {
  enum Kind {
    Centered, ///< floats of [-2, 2), integers of [-6, 6]
    Positive, ///< floats of [0.25, 4.25), integers of [1, 12]
    Index,    ///< floats as centered, integers of [0, bound)
    Special,  ///< NaN, infinities, zeros of both signs, ends of integer ranges, and others
    NonFinite ///< centered, but for a NaN or an infinity in every 17th float
  };
  Kind kind = Centered;
  int64_t bound = 0;
};

struct Case {
  std::string name; ///< of the graph
  std::string text;
  std::vector<DimSizes> runs; ///< at least one
  Values values;
};

/// All cases of the folder, in the order of its files' names.
std::vector<Case> readCases(const std::string &folder);

/// Tensors for the specs, with dynamic dims of the given sizes.
std::vector<Tensor> makeTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes,
                                const Values &values);

/// The name, so that GoogleTest prints it.
inline std::ostream &operator<<(std::ostream &stream, const Case &testCase) {
  return stream << testCase.name;
}

} // namespace rlx::test

#endif // RLX_TEST_ENDTOEND_CASES_H
