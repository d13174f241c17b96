//===- AttentionEmitter.h - what attention kernels share --------*- C++ -*-===//
//
// Addresses, loads, masks, scores and softmax of one rlx.online_attention on buffers.
// In all kernels SIMD lanes are rows: queries, or pairs (query, head) where all heads
// share the keys. The softmax is then vertical, without a reduction across lanes.
//
// Rows are worked on in groups of as many vectors as a register tile has. Groups are
// parts of blocks, whose scores are in memory together.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H
#define RLX_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H

#include "LowerStructured.h"
#include "MicroKernel.h"

#include <limits>

namespace rlx::cpu {

/// Minus it is the score of a key that a row does not see.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// True if neighbours along the last dimension of `memref` are neighbours in memory.
bool hasContiguousElements(mlir::Value memref);

class AttentionEmitter {
protected:
  AttentionEmitter(mlir::OpBuilder &builder, ir::OnlineAttentionOp op, const CpuTarget &target);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::Value index(int64_t value);
  /// `value` in every lane.
  mlir::Value constant(double value);
  mlir::Value asValue(mlir::OpFoldResult value);
  /// exp(x) of x <= 0.
  mlir::Value emitExponential(mlir::Value x);
  /// The larger of two vectors; a NaN `value` leaves `maximum` as it is.
  mlir::Value emitMaximum(mlir::Value value, mlir::Value maximum);
  /// `maximum`, or zero for rows that have seen no key yet: any finite shift keeps
  /// exp(-inf - shift) at zero.
  mlir::Value emitShift(mlir::Value maximum);
  /// 1 / sum, or 1 where no key counts and the sum is zero.
  mlir::Value emitInverse(mlir::Value sum);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Indices of channel `d` of row `row` of a q, k, v or out operand in the current
  /// batch and head. Where one side is shared by the heads, rows of the other side are
  /// pairs: `row = position * num_heads + head`.
  llvm::SmallVector<mlir::Value> at(mlir::Value operand, mlir::Value row, mlir::Value d);
  /// The position and head of a row of `operand`.
  std::pair<mlir::Value, mlir::Value> splitRow(mlir::Value operand, mlir::Value row);
  mlir::Value loadElement(mlir::Value operand, mlir::Value row, mlir::Value d);
  /// `lanes` consecutive channels.
  mlir::Value loadChannels(mlir::Value operand, mlir::Value row, mlir::Value d);
  /// True if channels of `operand` lie so that they load as one vector.
  bool hasContiguousChannels(mlir::Value operand);
  /// The same for rows.
  bool hasContiguousRows(mlir::Value operand);
  /// A vector of the group's, in a row of a scratch buffer of the block.
  mlir::Value loadScratch(mlir::Value scratch, mlir::Value row, int64_t vector);
  void storeScratch(mlir::Value value, mlir::Value scratch, mlir::Value row, int64_t vector);

  //===--------------------------------------------------------------------===//
  // Blocks and groups of rows
  //===--------------------------------------------------------------------===//

  /// Emits `block` for all rows, `width` of them at a time; where the number of rows is
  /// known, the last block is no larger than it has to be.
  void emitBlocks(int64_t width,
                  llvm::function_ref<void(mlir::Value first, mlir::OpFoldResult count)> block);
  /// Emits `group` for the rows of a block. Sets `firstRow`, `column`, `vectors` and
  /// `groupRows` for the group.
  void emitGroups(mlir::Value first, mlir::OpFoldResult count, llvm::function_ref<void()> group);
  /// Row `offset` of the group, or the last one of all.
  mlir::Value rowAt(int64_t offset);
  /// The lanes of a vector of the group that are rows.
  mlir::Value rowMask(int64_t vector);
  /// Q^T of the group, scaled, into `scratch`, memref<key size x group>; lanes behind
  /// the last row repeat it or are zero.
  void loadQueries(mlir::Value scratch);

  //===--------------------------------------------------------------------===//
  // Scores and softmax of a group
  //===--------------------------------------------------------------------===//

  /// The register tile of a group.
  RegisterTile getTile();
  /// The scaled bias of a row of k, for a vector of rows.
  mlir::Value emitKeyBias(mlir::Value key, int64_t vector);
  /// Scores of `size` rows of k from `start` on into `scoreScratch`.
  void emitScores(mlir::Value start, mlir::OpFoldResult size, mlir::Value queryScratch);
  /// Applies the mask to the scores in the scratch; returns the running maxima. NaN
  /// scores are left out of these and return through their exponential.
  llvm::SmallVector<mlir::Value> emitMaskAndMaxima(mlir::Value start, mlir::OpFoldResult size,
                                                   llvm::ArrayRef<mlir::Value> maxima);
  /// exp(score - shift) in place; returns the running sums.
  llvm::SmallVector<mlir::Value> emitProbabilities(mlir::OpFoldResult size,
                                                   llvm::ArrayRef<mlir::Value> shifts,
                                                   llvm::ArrayRef<mlir::Value> sums);
  /// Writes the statistics that the op has outputs for: the log-sum-exp, -inf for a row
  /// without keys, or maxima and sums, which are rows 0 and 1 of `scratch`.
  void emitStatistics(mlir::Value scratch);

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  bool hasMaskOperand() { return static_cast<bool>(op.getMask()); }
  /// True where a mask may switch keys off, so that what they hold must not matter.
  bool masksKeys() { return op.getMaskKind() != ir::MaskKind::None; }
  /// Indices in the mask operand of what says whether `row` sees `key`.
  llvm::SmallVector<mlir::Value> maskIndices(mlir::Value row, mlir::Value key);
  /// True if the mask operand says the same of all rows of a head.
  bool hasOneMaskRow();
  /// The number of keys, which are static, up to the last one that any of `count` rows
  /// from `first` on sees by the mask operand; or of all keys where that is not worth
  /// finding out.
  mlir::Value emitVisibleKeys(mlir::Value first, mlir::OpFoldResult count);
  /// Whether all values of the first `valueRows` rows of v are finite, an i1.
  mlir::Value emitValuesFinite(mlir::OpFoldResult valueRows);
  /// Writes to `maskScratch[place(key)]` what the mask operand adds to the scores of
  /// key `start + key`, for `key` in [0, size): -inf for hidden keys.
  void emitMaskBlock(mlir::Value start, mlir::OpFoldResult size,
                     llvm::function_ref<mlir::Value(mlir::Value key)> place);
  /// Whether any row of the group sees any of the `count` keys whose masks are the
  /// rows of `masks`.
  mlir::Value emitAnyVisible(mlir::OpFoldResult count, mlir::Value masks);
  /// Whether some position of the group may see some of the keys: the last row sees the
  /// highest keys, the first one the lowest.
  mlir::Value emitVisibleByPosition(mlir::Value start, mlir::OpFoldResult size);
  /// Whether the group may see some of `size` keys from `start` on, an i1: by what the
  /// mask operand holds, which goes to `maskScratch`, or by position.
  mlir::Value emitVisible(mlir::Value start, mlir::OpFoldResult size);
  /// The score with what the mask operand adds.
  mlir::Value addMask(mlir::Value score, mlir::Value added);
  /// The score of `key` after a mask by position, for a vector of rows.
  mlir::Value maskByPosition(mlir::Value score, mlir::Value key, int64_t vector);

  /// Takes into `counts`, a vector of i32, for each lane the number of keys up to the
  /// last one of that lane that `row` sees.
  mlir::Value emitVisibleKeysOfRow(mlir::Value row, mlir::Value counts);

  /// Vectors of a group; two hide the loads of broadcast elements.
  static constexpr int64_t kMaxVectors = 2;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ir::OnlineAttentionOp op;
  const CpuTarget &target;
  mlir::Type elementType; ///< of scores and accumulators
  mlir::VectorType vectorType, maskType;
  int64_t lanes, keySize, valueSize, numHeads;
  mlir::OpFoldResult batches, rows, keys;
  mlir::Value zero;
  /// Scores, then probabilities, and what masks add: memref<keys x rows of a block>.
  mlir::Value scoreScratch, maskScratch;
  mlir::Value batch, head;       ///< of the loops being emitted
  mlir::Value firstRow, column;  ///< of the group: its first row, and place in the block
  int64_t vectors = kMaxVectors; ///< of the group
  mlir::OpFoldResult groupRows;  ///< rows of the group
};

} // namespace rlx::cpu

#endif // RLX_LIB_CODEGEN_CPU_ATTENTIONEMITTER_H
