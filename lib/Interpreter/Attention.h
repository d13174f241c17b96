//===- Attention.h - one row of attention -----------------------*- C++ -*-===//
#ifndef RLX_LIB_INTERPRETER_ATTENTION_H
#define RLX_LIB_INTERPRETER_ATTENTION_H

#include "Evaluators.h"

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

/// Which keys a row sees, and what is added to its scores.
class Mask {
public:
  /// Of attention with the sizes `full`, [B, H, Lq, Lk]. `mask` may be null and outlives
  /// the object.
  Mask(ir::MaskKind kind, int64_t window, const Array *mask, const Shape &full);

  /// Checks that `mask` has the dims `full`, or is by its type, `declared`, 1 where it
  /// may be.
  static Status check(const Array &mask, mlir::ShapedType declared, const Shape &full);

  /// Fills `visible` for one row and adds a bias to its scores.
  void apply(int64_t batch, int64_t head, int64_t query, std::vector<uint8_t> &visible,
             std::vector<double> &scores) const;

  /// Where the mask's element for a pair of query and key lies.
  int64_t offset(int64_t batch, int64_t head, int64_t query, int64_t key) const {
    return batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
  }

private:
  ir::MaskKind kind;
  int64_t window;
  const Array *mask;
  int64_t queries, keys;
  Shape strides; // of the mask along [B, H, Lq, Lk]
};

} // namespace rlx::interp

#endif // RLX_LIB_INTERPRETER_ATTENTION_H
