//===- Reference.h - The models as plain loops ------------------*- C++ -*-===//
//
// docs/spec.md, sections 2 to 4, written out over doubles, without the dialect: what
// the models' graphs are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_UNIT_MODELS_REFERENCE_H
#define RLX_TEST_UNIT_MODELS_REFERENCE_H

#include "rlx/Models/PsaBlockGraph.h"
#include "rlx/Models/TwoWayTransformerGraph.h"

#include <map>
#include <string>
#include <vector>

namespace rlx::test {

/// Row-major elements.
using Data = std::vector<double>;

/// Elements by the names of a graph's inputs, params or outputs.
using NamedData = std::map<std::string, Data>;

/// What a two-way transformer without masks gives for `queries` tokens and `keys`
/// image rows: `queries_out` and `keys_out`.
NamedData runTwoWayTransformer(const models::TwoWaySpec &spec, int64_t queries, int64_t keys,
                               const NamedData &params, const NamedData &inputs);

/// What a PSA block gives for a batch of images: `y`.
NamedData runPsaBlock(const models::PsaSpec &spec, int64_t batch, const NamedData &params,
                      const NamedData &inputs);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_MODELS_REFERENCE_H
