//===- Attention.h - one row of attention -----------------------*- C++ -*-===//
#ifndef RLX_LIB_INTERPRETER_ATTENTION_H
#define RLX_LIB_INTERPRETER_ATTENTION_H

#include <cstdint>
#include <span>
#include <vector>

namespace rlx::interp {

/// Softmax attention of single query rows over the keys and values of one head.
class AttentionHead {
public:
  /// The keys are `numKeys` rows of `keyDim`, `keyStride` elements apart; the values
  /// likewise. The rows of values are not copied and must outlive the head.
  AttentionHead(const double *keys, int64_t keyStride, int64_t keyDim, const double *values,
                int64_t valueStride, int64_t valueDim, int64_t numKeys);

  /// What a row needs to compute in; one for each thread.
  struct Scratch {
    std::vector<double> scores;
  };

  /// scores = scale * (query k^T + keyBias), for all keys; a null `keyBias` is zero.
  void computeScores(const double *query, double scale, const double *keyBias,
                     Scratch &scratch) const;

  /// Replaces scores by the softmax over the keys that `visible` marks, and writes
  /// the weighted sum of their values: zeros if there are none, or none with a score
  /// above -inf. The other keys' scores and values are not looked at. Returns the
  /// log-sum-exp of the scores, -inf for no key. An empty `visible` marks all.
  double attend(std::span<const uint8_t> visible, Scratch &scratch, double *result) const;

private:
  std::vector<double> transposedKeys; // [keyDim, numKeys]
  const double *values;
  int64_t keyDim, valueStride, valueDim, numKeys;
};

} // namespace rlx::interp

#endif // RLX_LIB_INTERPRETER_ATTENTION_H
