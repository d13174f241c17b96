//===- Reference.cpp - The models as plain loops --------------------------===//

#include "Reference.h"

#include <algorithm>
#include <cmath>

namespace rlx::test {

static Data add(Data lhs, const Data &rhs) {
  for (size_t i = 0; i < lhs.size(); ++i)
    lhs[i] += rhs[i];
  return lhs;
}

/// Softmax in place.
static void softmax(Data &row) {
  double greatest = *std::max_element(row.begin(), row.end()), sum = 0;
  for (double &value : row)
    sum += value = std::exp(value - greatest);
  for (double &value : row)
    value /= sum;
}

//===----------------------------------------------------------------------===//
// Two-way transformer
//===----------------------------------------------------------------------===//

namespace {

/// The layers of a two-way transformer, on rows of `spec.embedDim`.
class TwoWay {
public:
  TwoWay(const models::TwoWaySpec &spec, const NamedData &params) : spec(spec), params(params) {}

  Data linear(const Data &x, const std::string &prefix, int64_t in, int64_t out) const {
    const Data &w = params.at(prefix + ".w"), &b = params.at(prefix + ".b");
    int64_t rows = x.size() / in;
    Data y(rows * out);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t o = 0; o < out; ++o) {
        double sum = b[o];
        for (int64_t i = 0; i < in; ++i)
          sum += x[r * in + i] * w[i * out + o];
        y[r * out + o] = sum;
      }
    return y;
  }

  Data norm(Data x, const std::string &prefix) const {
    const Data &g = params.at(prefix + ".g"), &b = params.at(prefix + ".b");
    int64_t dim = spec.embedDim;
    for (size_t row = 0; row < x.size(); row += dim) {
      double mean = 0, variance = 0;
      for (int64_t i = 0; i < dim; ++i)
        mean += x[row + i] / dim;
      for (int64_t i = 0; i < dim; ++i)
        variance += (x[row + i] - mean) * (x[row + i] - mean) / dim;
      for (int64_t i = 0; i < dim; ++i)
        x[row + i] = (x[row + i] - mean) / std::sqrt(variance + spec.epsilon) * g[i] + b[i];
    }
    return x;
  }

  Data attention(const std::string &prefix, const Data &qIn, const Data &kIn,
                 const Data &vIn) const {
    auto [heads, inner] = spec.attention(prefix);
    int64_t dim = inner / heads;
    Data q = linear(qIn, prefix + ".q", spec.embedDim, inner);
    Data k = linear(kIn, prefix + ".k", spec.embedDim, inner);
    Data v = linear(vIn, prefix + ".v", spec.embedDim, inner);
    int64_t numQueries = q.size() / inner, numKeys = k.size() / inner;
    Data mixed(q.size());
    Data scores(numKeys);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < numQueries; ++i) {
        for (int64_t j = 0; j < numKeys; ++j) {
          scores[j] = 0;
          for (int64_t d = h * dim; d < (h + 1) * dim; ++d)
            scores[j] += q[i * inner + d] * k[j * inner + d];
          scores[j] /= std::sqrt(static_cast<double>(dim));
        }
        softmax(scores);
        for (int64_t j = 0; j < numKeys; ++j)
          for (int64_t d = h * dim; d < (h + 1) * dim; ++d)
            mixed[i * inner + d] += scores[j] * v[j * inner + d];
      }
    return linear(mixed, prefix + ".o", inner, spec.embedDim);
  }

private:
  const models::TwoWaySpec &spec;
  const NamedData &params;
};

} // namespace

NamedData runTwoWayTransformer(const models::TwoWaySpec &spec, int64_t queries, int64_t keys,
                               const NamedData &params, const NamedData &inputs) {
  TwoWay model(spec, params);
  const Data &tokens = inputs.at("tokens"), &pe = inputs.at("image_pe");
  Data q = tokens, k = inputs.at("image_seq");
  for (int64_t layer = 0; layer < spec.depth; ++layer) {
    std::string prefix = "L" + std::to_string(layer);
    if (layer == 0 && spec.skipFirstLayerPe) {
      q = model.attention(prefix + ".self", q, q, q);
    } else {
      Data encoded = add(q, tokens);
      q = add(q, model.attention(prefix + ".self", encoded, encoded, q));
    }
    q = model.norm(q, prefix + ".n1");
    q = model.norm(add(q, model.attention(prefix + ".t2i", add(q, tokens), add(k, pe), k)),
                   prefix + ".n2");
    Data hidden = model.linear(q, prefix + ".mlp1", spec.embedDim, spec.mlpDim);
    for (double &value : hidden)
      value = std::max(value, 0.0);
    q = model.norm(add(q, model.linear(hidden, prefix + ".mlp2", spec.mlpDim, spec.embedDim)),
                   prefix + ".n3");
    k = model.norm(add(k, model.attention(prefix + ".i2t", add(k, pe), add(q, tokens), q)),
                   prefix + ".n4");
  }
  q = model.norm(add(q, model.attention("final", add(q, tokens), add(k, pe), k)), "final_ln");
  return {{"queries_out", q}, {"keys_out", k}};
}

//===----------------------------------------------------------------------===//
// PSA block
//===----------------------------------------------------------------------===//

namespace {

/// The layers of a PSA block, on one image of `pixels` pixels a channel.
class Psa {
public:
  Psa(const models::PsaSpec &spec, const NamedData &params)
      : spec(spec), params(params), pixels(spec.height * spec.width) {}

  /// A 1x1 convolution.
  Data conv(const Data &x, const std::string &prefix, int64_t in, int64_t out) const {
    const Data &w = params.at(prefix + ".w"), &b = params.at(prefix + ".b");
    Data y(out * pixels);
    for (int64_t o = 0; o < out; ++o)
      for (int64_t n = 0; n < pixels; ++n) {
        double sum = b[o];
        for (int64_t i = 0; i < in; ++i)
          sum += w[o * in + i] * x[i * pixels + n];
        y[o * pixels + n] = sum;
      }
    return y;
  }

  /// The 3x3 depthwise convolution.
  Data depthwise(const Data &x, const std::string &prefix) const {
    const Data &w = params.at(prefix + ".w"), &b = params.at(prefix + ".b");
    Data y(x.size());
    for (int64_t c = 0; c < spec.channels; ++c)
      for (int64_t row = 0; row < spec.height; ++row)
        for (int64_t column = 0; column < spec.width; ++column) {
          double sum = b[c];
          for (int64_t dy = -1; dy <= 1; ++dy)
            for (int64_t dx = -1; dx <= 1; ++dx) {
              int64_t r = row + dy, k = column + dx;
              if (r >= 0 && r < spec.height && k >= 0 && k < spec.width)
                sum += w[c * 9 + (dy + 1) * 3 + dx + 1] * x[c * pixels + r * spec.width + k];
            }
          y[c * pixels + row * spec.width + column] = sum;
        }
    return y;
  }

  /// Attention with values of size 2*KD, straight from the image, plus the values as
  /// an image in `v`.
  Data attention(const Data &qkv, Data &v) const {
    int64_t keyDim = spec.keyDim();
    Data out(spec.channels * pixels);
    v.assign(out.size(), 0);
    Data scores(pixels);
    for (int64_t h = 0; h < spec.numHeads; ++h) {
      const double *q = &qkv[h * 4 * keyDim * pixels], *k = q + keyDim * pixels,
                   *values = k + keyDim * pixels;
      int64_t first = h * 2 * keyDim * pixels;
      std::copy(values, values + 2 * keyDim * pixels, v.begin() + first);
      for (int64_t i = 0; i < pixels; ++i) {
        for (int64_t j = 0; j < pixels; ++j) {
          scores[j] = 0;
          for (int64_t d = 0; d < keyDim; ++d)
            scores[j] += q[d * pixels + i] * k[d * pixels + j];
          scores[j] /= std::sqrt(static_cast<double>(keyDim));
        }
        softmax(scores);
        for (int64_t d = 0; d < 2 * keyDim; ++d)
          for (int64_t j = 0; j < pixels; ++j)
            out[first + d * pixels + i] += scores[j] * values[d * pixels + j];
      }
    }
    return out;
  }

  Data block(Data x) const {
    int64_t c = spec.channels;
    Data v, mixed = attention(conv(x, "qkv", c, 2 * c), v);
    x = add(x, conv(add(mixed, depthwise(v, "pe")), "proj", c, c));
    Data hidden = conv(x, "ffn1", c, 2 * c);
    for (double &value : hidden)
      value /= 1 + std::exp(-value);
    return add(x, conv(hidden, "ffn2", 2 * c, c));
  }

private:
  const models::PsaSpec &spec;
  const NamedData &params;
  int64_t pixels;
};

} // namespace

NamedData runPsaBlock(const models::PsaSpec &spec, int64_t batch, const NamedData &params,
                      const NamedData &inputs) {
  Psa model(spec, params);
  const Data &x = inputs.at("x");
  int64_t size = x.size() / batch;
  Data y;
  for (int64_t b = 0; b < batch; ++b) {
    Data image = model.block({x.begin() + b * size, x.begin() + (b + 1) * size});
    y.insert(y.end(), image.begin(), image.end());
  }
  return {{"y", y}};
}

} // namespace rlx::test
