//===- Emitter.h - What the lowerings of all ops share ----------*- C++ -*-===//
//
// A builder that knows which op it lowers: sizes with run-time checks, initial
// values, loops over elements. Private to this folder; a lowering is a function of
// an op, its converted operands and an Emitter, added to a pattern set by
// `addLowering`.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CONVERSION_RLXTOLINALG_EMITTER_H
#define RLX_CONVERSION_RLXTOLINALG_EMITTER_H

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace rlx {

/// An operand of the op being lowered, and the name that messages call it by.
struct Operand {
  mlir::Value value;
  llvm::StringRef name;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  int64_t rank() const { return type().getRank(); }
};

/// Builds, from the elements of one step of a loop, what the step yields.
using ElementBody =
    llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange elements)>;

/// Marks an assert whose condition depends on tensor data, not on sizes alone.
inline constexpr llvm::StringLiteral kDataCheckAttr = "rlx.data_check";

class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  /// Emits at `builder`'s insertion point; messages begin with `subject`.
  Emitter(mlir::Location loc, const mlir::OpBuilder &builder, std::string subject)
      : ImplicitLocOpBuilder(loc, builder), subject(std::move(subject)) {}

  //===--------------------------------------------------------------------===//
  // Sizes and checks
  //===--------------------------------------------------------------------===//

  /// The size of one dim, constant where it is static.
  mlir::OpFoldResult sizeOf(mlir::Value tensor, int64_t dim);
  mlir::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value tensor);

  /// `expr` of `operands`, constant where they are.
  mlir::OpFoldResult apply(mlir::AffineExpr expr, llvm::ArrayRef<mlir::OpFoldResult> operands);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// Fails the run with "<subject> <message>" unless `condition` holds.
  mlir::Operation *require(mlir::Value condition, const llvm::Twine &message);
  /// The same for the equality of two sizes. Nothing is emitted where it is known
  /// to hold; the verifier has refused sizes that are known to differ.
  void requireEqual(mlir::OpFoldResult lhs, mlir::OpFoldResult rhs, const llvm::Twine &message);

  /// The common size of two dims that the op takes to be equal, which is checked.
  mlir::OpFoldResult commonSize(const Operand &lhs, int64_t lhsDim, const Operand &rhs,
                                int64_t rhsDim);
  /// `operand` with a static dim of that size, which is checked.
  mlir::Value withStaticDim(const Operand &operand, int64_t dim, int64_t size);
  /// `value` as a tensor of the shape of `type`; `name` is what messages call it.
  mlir::Value conform(mlir::Value value, mlir::RankedTensorType type, llvm::StringRef name);

  /// The sizes that operands broadcast to as in numpy, leaving out the `trailing`
  /// last dims of each.
  mlir::SmallVector<mlir::OpFoldResult> broadcast(llvm::ArrayRef<Operand> operands,
                                                  int64_t trailing = 0);

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  mlir::Value index(int64_t value);
  mlir::Value empty(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type elementType);
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value value);

  mlir::Value expandShape(mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> groups,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value collapseShape(mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> groups);
  /// Inserts dims of size 1 that are at `positions`, ascending, in the result.
  mlir::Value insertUnitDims(mlir::Value tensor, llvm::ArrayRef<int64_t> positions);
  mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> permutation);
  /// The part of `tensor` from `start` on, `length` long, along `dim`.
  mlir::Value slice(mlir::Value tensor, int64_t dim, int64_t start, int64_t length);
  /// The same for a part of length 1, without the dim.
  mlir::Value sliceAt(mlir::Value tensor, int64_t dim, int64_t position);

  //===--------------------------------------------------------------------===//
  // Loops over elements
  //===--------------------------------------------------------------------===//

  /// The map from a loop nest of `rank` dims to `dims` of it.
  mlir::AffineMap select(int64_t rank, llvm::ArrayRef<int64_t> dims);
  /// The map to the dims `[begin, end)`.
  mlir::AffineMap selectRange(int64_t rank, int64_t begin, int64_t end);

  /// A loop nest that writes to `init`; `maps` are those of the inputs, then the
  /// init's. Dims that the init's map leaves out are reductions.
  mlir::Value loops(mlir::ValueRange inputs, mlir::Value init, llvm::ArrayRef<mlir::AffineMap> maps,
                    ElementBody body);

  /// A parallel loop over tensors that broadcast to `sizes` as in numpy. Splat
  /// constants are part of the body.
  mlir::Value elementwise(mlir::ValueRange inputs, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type elementType, ElementBody body);
  /// A parallel loop over one tensor.
  mlir::Value map(mlir::Value input, mlir::Type elementType, ElementBody body);

  /// Reduces `x` over `dims` with `combine(element, accumulator)`, beginning with
  /// `init`, which has the accumulator's type. Elements come in that type.
  mlir::Value reduce(mlir::Value x, llvm::ArrayRef<int64_t> dims, mlir::Value init,
                     ElementBody combine);

private:
  /// `expandShape` by a loop that reads each element from where it is.
  mlir::Value copyExpanded(mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> groups,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes);

  std::string subject;
};

/// A float in the type that its op computes in: f16 and bf16 in f32.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
/// A float in `type`, which is at most as wide as its own.
mlir::Value roundTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                    mlir::Type type);

/// Lowers one op: gives a value for each result, of its shape or a more or less
/// static one.
template <typename OpT>
using LoweringFunction = mlir::SmallVector<mlir::Value> (*)(OpT op, typename OpT::Adaptor operands,
                                                            Emitter &emit);

/// Adds the lowering of one kind of op to `patterns`.
template <typename OpT>
void addLowering(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                 LoweringFunction<OpT> lower) {
  struct Pattern : mlir::OpConversionPattern<OpT> {
    Pattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
            LoweringFunction<OpT> lower)
        : mlir::OpConversionPattern<OpT>(converter, context), lower(lower) {}

    mlir::LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor operands,
                                        mlir::ConversionPatternRewriter &rewriter) const override {
      Emitter emit(op.getLoc(), rewriter, "'" + op->getName().getStringRef().str() + "'");
      mlir::SmallVector<mlir::Value> results = lower(op, operands, emit);
      for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
        value = emit.conform(value,
                             this->getTypeConverter()->template convertType<mlir::RankedTensorType>(
                                 result.getType()),
                             "result");
      rewriter.replaceOp(op, results);
      return mlir::success();
    }

    LoweringFunction<OpT> lower;
  };
  patterns.add<Pattern>(converter, patterns.getContext(), lower);
}

/// The mask of attention as [B or 1, H or 1, Lq or 1, Lk], with its sizes checked.
mlir::Value fullMask(Emitter &emit, Operand mask, Operand q, Operand k, int64_t numHeads);
/// Lets a run fail unless all of `indices` are in [0, size); `dim` names what they index.
void requireWithin(Emitter &emit, mlir::Value indices, mlir::OpFoldResult size,
                   const llvm::Twine &dim);

void populateAttentionGradientLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateAttentionLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateContractionLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateElementwiseLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateGradientLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateMovementLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateReductionLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateReshapeLowerings(const mlir::TypeConverter &, mlir::RewritePatternSet &);

} // namespace rlx

#endif // RLX_CONVERSION_RLXTOLINALG_EMITTER_H
