//===- PsaBlockGraph.cpp - YOLO's attention block as a graph --------------===//

#include "rlx/Models/PsaBlockGraph.h"

#include "Layers.h"

#include <string>
#include <utility>

namespace rlx::models {

Status PsaSpec::check() const {
  for (auto [name, value] : {std::pair("c", channels), std::pair("heads", numHeads),
                             std::pair("h", height), std::pair("w", width)})
    if (value < 1)
      return {ErrorCode::InvalidArgument, "psa block: " + std::string(name) +
                                              ": expected 1 or more, found " +
                                              std::to_string(value)};
  if (channels % (2 * numHeads) != 0)
    return {ErrorCode::InvalidArgument,
            "psa block: c: expected a multiple of 2 * heads = " + std::to_string(2 * numHeads) +
                ", found " + std::to_string(channels)};
  return {};
}

Result<Graph> buildPsaBlock(const PsaSpec &spec, const Dim &batch) {
  if (Status status = spec.check(); !status)
    return status;
  if (!batch.isDynamic() && batch.size() < 1)
    return Status(ErrorCode::InvalidArgument,
                  "psa block: batch: expected 1 or more, found " + std::to_string(batch.size()));
  Graph graph("psa_block");
  Layers layers(graph, spec.dtype);
  int64_t c = spec.channels, heads = spec.numHeads, keyDim = spec.keyDim();

  Value x = graph.input("x", {spec.dtype, {batch, c, spec.height, spec.width}});
  Value qkv = layers.conv(x, "qkv", c, 2 * c);
  Value packed = graph.psaPackQkv(qkv, heads, keyDim, "pack");
  Value lo = graph.psaFlashAttention(packed, PsaSection::Lo, "attn.lo").out;
  Value hi = graph.psaFlashAttention(packed, PsaSection::Hi, "attn.hi").out;
  Value attention = graph.psaMergeAttn(lo, hi, spec.height, spec.width, "merge");
  Value positions =
      layers.conv(graph.psaExtractV(qkv, heads, keyDim, "v"), "pe", c, c, /*kernel=*/3,
                  /*groups=*/c);
  x = layers.add(x, layers.conv(layers.add(attention, positions), "proj", c, c));

  Value hidden =
      graph.activation(ActivationKind::Silu, layers.conv(x, "ffn1", c, 2 * c), "ffn1.act");
  Value y = layers.add(x, layers.conv(hidden, "ffn2", 2 * c, c));
  if (Status status = graph.setOutputs({{"y", y}}); !status)
    return status;
  return graph;
}

} // namespace rlx::models
