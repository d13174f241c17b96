//===- TwoWayTransformer.cpp - Compiles and runs the mask decoder ---------===//

#include "rlx/Models/TwoWayTransformer.h"

#include "rlx/Compiler/Compiler.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace rlx::models {

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr std::string_view presetName = "two-way-transformer";

Result<TwoWayTransformer> TwoWayTransformer::compile(const TwoWaySpec &spec, const Dim &queries,
                                                     int64_t keys, std::string_view device) {
  Result<CompileOptions> options = presetFor(presetName, device);
  return options ? compile(spec, queries, keys, *options) : options.status();
}

Result<TwoWayTransformer> TwoWayTransformer::compile(const TwoWaySpec &spec, const Dim &queries,
                                                     int64_t keys, const CompileOptions &options,
                                                     bool masked) {
  if (spec.dtype != DType::F32)
    return Status(ErrorCode::InvalidArgument, "two-way transformer: dtype: expected f32, found " +
                                                  std::string(nameOf(spec.dtype)));
  if (masked && queries.isDynamic())
    return Status(ErrorCode::InvalidArgument,
                  "two-way transformer: q_n: expected a number for a masked build, found '" +
                      queries.name() + "'");
  TwoWayShape shape{queries, keys, masked};
  Result<Graph> graph = buildTwoWayTransformer(spec, shape);
  if (!graph)
    return graph.status();
  Result<Module> module = compileInProcess(*graph, options);
  if (!module)
    return module.status();
  TwoWayTransformer model(spec, std::move(shape), std::move(*module), options.threads);
  if (masked)
    model.makeMasks(graph->inputs());
  return model;
}

Result<TwoWayTransformer> TwoWayTransformer::compileWithSparseSlots(const TwoWaySpec &spec,
                                                                    int64_t baseQueries,
                                                                    int64_t keys,
                                                                    std::string_view device) {
  Result<CompileOptions> options = presetFor(presetName, device);
  return options ? compileWithSparseSlots(spec, baseQueries, keys, *options) : options.status();
}

Result<TwoWayTransformer> TwoWayTransformer::compileWithSparseSlots(const TwoWaySpec &spec,
                                                                    int64_t baseQueries,
                                                                    int64_t keys,
                                                                    const CompileOptions &options) {
  if (baseQueries < 1)
    return Status(ErrorCode::InvalidArgument,
                  "two-way transformer: base_q_n: expected 1 or more, found " +
                      std::to_string(baseQueries));
  return compile(spec, baseQueries + numSparseSlots, keys, options, /*masked=*/true);
}

TwoWayTransformer::TwoWayTransformer(TwoWaySpec spec, TwoWayShape builtFor, Module module,
                                     uint32_t threads)
    : CompiledModel(std::move(module), threads), sizes(std::move(spec)),
      shape(std::move(builtFor)) {}

std::optional<int64_t> TwoWayTransformer::maxQueries() const {
  return shape.queries.isDynamic() ? std::nullopt : std::optional(shape.queries.size());
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

void TwoWayTransformer::makeMasks(std::span<const TensorSpec> inputs) {
  for (const TensorSpec &input : inputs) {
    if (!input.name.starts_with("mask_"))
      continue;
    std::vector<int64_t> dims;
    for (const Dim &dim : input.type.dims)
      dims.push_back(dim.size());
    masks.emplace_back(input.name, DType::F32, std::move(dims));
  }
  paddedTokens.resize(shape.queries.size() * sizes.embedDim);
}

/// Whether the columns, or else the rows, of a mask by this name stand for keys.
static bool hasKeyColumns(std::string_view name) { return name.ends_with("_t2i"); }
static bool hasKeyRows(std::string_view name) { return name.ends_with("_i2t"); }

void TwoWayTransformer::fillMasks(int64_t active) {
  if (filledFor == active)
    return;
  for (Tensor &mask : masks) {
    std::span<const int64_t> dims = mask.shape();
    Status status = fillAttnMask(mask.values<float>(), dims[1], dims[2], dims[3],
                                 hasKeyRows(mask.getName()) ? dims[2] : active,
                                 hasKeyColumns(mask.getName()) ? dims[3] : active);
    assert(status && "masks have their dims");
    (void)status;
  }
  filledFor = active;
}

static Status lengthError(std::string_view what, int64_t expected, size_t found) {
  return {ErrorCode::InvalidArgument, std::string(what) + ": expected " + std::to_string(expected) +
                                          " values, found " + std::to_string(found)};
}

Status TwoWayTransformer::fillAttnMask(std::span<float> mask, int64_t heads, int64_t rows,
                                       int64_t columns, int64_t activeRows, int64_t activeColumns) {
  if (static_cast<int64_t>(mask.size()) != heads * rows * columns)
    return lengthError("mask", heads * rows * columns, mask.size());
  for (auto [name, active, limit] : {std::tuple("active rows", activeRows, rows),
                                     std::tuple("active columns", activeColumns, columns)})
    if (active < 0 || active > limit)
      return {ErrorCode::InvalidArgument, std::string(name) + ": expected 0 to " +
                                              std::to_string(limit) + ", found " +
                                              std::to_string(active)};
  std::ranges::fill(mask, 0.0f);
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t row = 0; row < activeRows; ++row)
      std::fill_n(mask.begin() + (head * rows + row) * columns, activeColumns, 1.0f);
  return {};
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

Status TwoWayTransformer::nchwToSeq(std::span<const float> image, int64_t channels,
                                    int64_t positions, std::span<float> seq) {
  if (static_cast<int64_t>(image.size()) != channels * positions)
    return lengthError("image", channels * positions, image.size());
  if (seq.size() != image.size())
    return lengthError("seq", channels * positions, seq.size());
  // Square blocks keep both sides in the first level cache.
  constexpr int64_t block = 32;
  for (int64_t p0 = 0; p0 < positions; p0 += block)
    for (int64_t c0 = 0; c0 < channels; c0 += block)
      for (int64_t p = p0; p < std::min(p0 + block, positions); ++p)
        for (int64_t c = c0; c < std::min(c0 + block, channels); ++c)
          seq[p * channels + c] = image[c * positions + p];
  return {};
}

Status TwoWayTransformer::imageToSeq(std::span<const float> image, std::span<const float> pe,
                                     int64_t grid) {
  int64_t keys = shape.keys.size();
  if (grid < 1 || keys / grid != grid || keys % grid != 0)
    return {ErrorCode::InvalidArgument, "grid: expected a square of " + std::to_string(keys) +
                                            " image rows, found " + std::to_string(grid) + " x " +
                                            std::to_string(grid)};
  imageSeqs.resize(keys * sizes.embedDim);
  imagePes.resize(keys * sizes.embedDim);
  if (Status status = nchwToSeq(image, sizes.embedDim, keys, imageSeqs); !status)
    return status;
  if (pe.size() != imagePes.size())
    return lengthError("pe", keys * sizes.embedDim, pe.size());
  return nchwToSeq(pe, sizes.embedDim, keys, imagePes);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Status TwoWayTransformer::checkImage(std::span<const float> imageSeq,
                                     std::span<const float> imagePe) const {
  int64_t expected = shape.keys.size() * sizes.embedDim;
  if (static_cast<int64_t>(imageSeq.size()) != expected)
    return lengthError("image_seq", expected, imageSeq.size());
  if (static_cast<int64_t>(imagePe.size()) != expected)
    return lengthError("image_pe", expected, imagePe.size());
  return {};
}

Result<TwoWayOutputs> TwoWayTransformer::runOn(int64_t rows, const float *tokens, int64_t active,
                                               const float *imageSeq, const float *imagePe) {
  std::array<int64_t, 3> tokenDims = {1, rows, sizes.embedDim};
  std::array<int64_t, 3> imageDims = {1, shape.keys.size(), sizes.embedDim};
  views.clear();
  views.emplace_back("tokens", DType::F32, tokenDims, tokens);
  views.emplace_back("image_seq", DType::F32, imageDims, imageSeq);
  views.emplace_back("image_pe", DType::F32, imageDims, imagePe);
  for (const Tensor &mask : masks)
    views.push_back(mask.view());
  if (Status status = call(views); !status)
    return status;
  Result<std::span<const float>> queries = output("queries_out");
  if (!queries)
    return queries.status();
  Result<std::span<const float>> keys = output("keys_out");
  if (!keys)
    return keys.status();
  return TwoWayOutputs{queries->first(active * sizes.embedDim), *keys};
}

Result<TwoWayOutputs> TwoWayTransformer::run(std::span<const float> tokens,
                                             std::span<const float> imageSeq,
                                             std::span<const float> imagePe) {
  int64_t rows = static_cast<int64_t>(tokens.size()) / sizes.embedDim;
  if (shape.masked)
    return Status(ErrorCode::InvalidArgument, "run: built with masks for up to " +
                                                  std::to_string(shape.queries.size()) +
                                                  " tokens, called without masks for " +
                                                  std::to_string(rows) + "; expected runMasked");
  if (!shape.queries.isDynamic())
    rows = shape.queries.size();
  if (rows < 1 || static_cast<int64_t>(tokens.size()) != rows * sizes.embedDim)
    return lengthError("tokens", std::max<int64_t>(rows, 1) * sizes.embedDim, tokens.size());
  if (Status status = checkImage(imageSeq, imagePe); !status)
    return status;
  return runOn(rows, tokens.data(), rows, imageSeq.data(), imagePe.data());
}

Result<TwoWayOutputs> TwoWayTransformer::runMasked(std::span<const float> tokens, int64_t active,
                                                   std::span<const float> imageSeq,
                                                   std::span<const float> imagePe) {
  if (!shape.masked)
    return Status(
        ErrorCode::InvalidArgument,
        "runMasked: built without masks for " +
            (shape.queries.isDynamic() ? "any number of" : std::to_string(shape.queries.size())) +
            " tokens, called with masks for " + std::to_string(active) + "; expected run");
  int64_t slots = shape.queries.size();
  if (active < 1 || active > slots)
    return Status(ErrorCode::InvalidArgument,
                  "active_q_n: expected 1 to max_q_n = " + std::to_string(slots) + ", found " +
                      std::to_string(active));
  if (static_cast<int64_t>(tokens.size()) != active * sizes.embedDim)
    return lengthError("tokens", active * sizes.embedDim, tokens.size());
  if (Status status = checkImage(imageSeq, imagePe); !status)
    return status;
  std::fill(std::ranges::copy(tokens, paddedTokens.begin()).out, paddedTokens.end(), 0.0f);
  fillMasks(active);
  return runOn(slots, paddedTokens.data(), active, imageSeq.data(), imagePe.data());
}

Result<TwoWayOutputs> TwoWayTransformer::runNchw(std::span<const float> tokens,
                                                 std::span<const float> image,
                                                 std::span<const float> pe, int64_t grid) {
  if (Status status = imageToSeq(image, pe, grid); !status)
    return status;
  return run(tokens, imageSeqs, imagePes);
}

Result<TwoWayOutputs> TwoWayTransformer::runMaskedNchw(std::span<const float> tokens,
                                                       int64_t active, std::span<const float> image,
                                                       std::span<const float> pe, int64_t grid) {
  if (Status status = imageToSeq(image, pe, grid); !status)
    return status;
  return runMasked(tokens, active, imageSeqs, imagePes);
}

} // namespace rlx::models
