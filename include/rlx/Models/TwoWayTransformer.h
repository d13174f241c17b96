//===- TwoWayTransformer.h - Compiles and runs the mask decoder -*- C++ -*-===//
//
//   Result<TwoWayTransformer> decoder = TwoWayTransformer::compile({}, 7, 4096);
//   Status bound = decoder->bindParams("decoder.safetensors");
//   Result<TwoWayOutputs> outputs = decoder->run(tokens, imageSeq, imagePe);
//
// The graph is in TwoWayTransformerGraph.h, the meaning in docs/spec.md, section 3.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_TWOWAYTRANSFORMER_H
#define RLX_MODELS_TWOWAYTRANSFORMER_H

#include "rlx/Models/CompiledModel.h"
#include "rlx/Models/TwoWayTransformerGraph.h"
#include "rlx/Runtime/Tensor.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rlx::models {

/// What a run gives. The memory is the transformer's, until its next run.
struct TwoWayOutputs {
  std::span<const float> queries; ///< [number of tokens, E]
  std::span<const float> keys;    ///< [k_n, E]
};

/// A compiled two-way transformer. After its first run, a run allocates nothing.
class TwoWayTransformer : public CompiledModel {
public:
  /// Slots for prompt tokens that `compileWithSparseSlots` adds to the base tokens.
  static constexpr int64_t numSparseSlots = 32;

  /// Compiles for `queries` tokens, which may be a dynamic dim, and `keys` image rows.
  static Result<TwoWayTransformer> compile(const TwoWaySpec &spec, const Dim &queries, int64_t keys,
                                           std::string_view device = "cpu");

  /// The same with options. If `masked`, `queries` is the largest number of tokens, and
  /// runs go through `runMasked`.
  static Result<TwoWayTransformer> compile(const TwoWaySpec &spec, const Dim &queries, int64_t keys,
                                           const CompileOptions &options, bool masked = false);

  /// Compiles a masked transformer for up to `baseQueries + numSparseSlots` tokens.
  static Result<TwoWayTransformer> compileWithSparseSlots(const TwoWaySpec &spec,
                                                          int64_t baseQueries, int64_t keys,
                                                          std::string_view device = "cpu");
  static Result<TwoWayTransformer> compileWithSparseSlots(const TwoWaySpec &spec,
                                                          int64_t baseQueries, int64_t keys,
                                                          const CompileOptions &options);

  /// Runs on tokens [q_n, E] and the image's rows and their position encoding [k_n, E].
  Result<TwoWayOutputs> run(std::span<const float> tokens, std::span<const float> imageSeq,
                            std::span<const float> imagePe);

  /// Runs a masked transformer on `activeQueries` tokens.
  Result<TwoWayOutputs> runMasked(std::span<const float> tokens, int64_t activeQueries,
                                  std::span<const float> imageSeq, std::span<const float> imagePe);

  /// The same from images [E, grid, grid], as the image encoder gives them.
  Result<TwoWayOutputs> runNchw(std::span<const float> tokens, std::span<const float> image,
                                std::span<const float> pe, int64_t grid);
  Result<TwoWayOutputs> runMaskedNchw(std::span<const float> tokens, int64_t activeQueries,
                                      std::span<const float> image, std::span<const float> pe,
                                      int64_t grid);

  /// Turns an image [channels, positions] into rows [positions, channels].
  static Status nchwToSeq(std::span<const float> image, int64_t channels, int64_t positions,
                          std::span<float> seq);

  /// Fills a mask [heads, rows, columns] with 1 where the row is below `activeRows` and
  /// the column below `activeColumns`, and with 0 elsewhere.
  static Status fillAttnMask(std::span<float> mask, int64_t heads, int64_t rows, int64_t columns,
                             int64_t activeRows, int64_t activeColumns);

  const TwoWaySpec &spec() const { return sizes; }
  /// Whether runs go through `runMasked`.
  bool isMasked() const { return shape.masked; }
  /// The largest number of tokens; none if it is dynamic.
  std::optional<int64_t> maxQueries() const;

private:
  TwoWayTransformer(TwoWaySpec spec, TwoWayShape shape, Module module, uint32_t threads);

  /// Allocates the masks and the padded tokens of a masked transformer.
  void makeMasks(std::span<const TensorSpec> inputs);
  void fillMasks(int64_t activeQueries);
  Status checkImage(std::span<const float> imageSeq, std::span<const float> imagePe) const;
  Status imageToSeq(std::span<const float> image, std::span<const float> pe, int64_t grid);
  Result<TwoWayOutputs> runOn(int64_t rows, const float *tokens, int64_t activeQueries,
                              const float *imageSeq, const float *imagePe);

  TwoWaySpec sizes;
  TwoWayShape shape;
  std::vector<Tensor> masks;              ///< in the order of the graph's inputs
  std::vector<float> paddedTokens;        ///< of a masked transformer
  std::vector<float> imageSeqs, imagePes; ///< of the runs from images
  std::vector<TensorView> views;          ///< of all inputs, rewritten on every run
  int64_t filledFor = -1;                 ///< number of active tokens that the masks are for
};

} // namespace rlx::models

#endif // RLX_MODELS_TWOWAYTRANSFORMER_H
