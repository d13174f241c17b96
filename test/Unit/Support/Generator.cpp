#include "Support/Generator.h"

using namespace rlx;
using namespace rlx::test;

/// The finalizer of SplitMix64.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t test::fnv1a64(std::string_view text) {
  uint64_t value = 0xCBF29CE484222325;
  for (char c : text)
    value = (value ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return value;
}

std::vector<int64_t> test::randomBits(uint64_t seed, std::string_view name, int64_t count) {
  const uint64_t base = mix(seed ^ fnv1a64(name));
  std::vector<int64_t> bits(count);
  for (int64_t i = 0; i < count; ++i)
    bits[i] =
        static_cast<int64_t>(mix(base + static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15) >> 40);
  return bits;
}

Tensor test::uniform(uint64_t seed, const std::string &name, std::vector<int64_t> shape,
                     double center, double scale) {
  Tensor tensor(name, DType::F32, std::move(shape));
  float *element = tensor.values<float>().data();
  for (int64_t r : randomBits(seed, name, tensor.numElements()))
    *element++ = static_cast<float>(center + scale * (static_cast<double>(r) * 0x1p-23 - 1));
  return tensor;
}

Tensor test::integers(uint64_t seed, const std::string &name, std::vector<int64_t> shape,
                      int64_t low, int64_t high) {
  Tensor tensor(name, DType::I64, std::move(shape));
  int64_t *element = tensor.values<int64_t>().data();
  for (int64_t r : randomBits(seed, name, tensor.numElements()))
    *element++ = low + ((r * (high - low)) >> 24);
  return tensor;
}

Tensor test::booleans(uint64_t seed, const std::string &name, std::vector<int64_t> shape) {
  Tensor tensor(name, DType::Bool, std::move(shape));
  uint8_t *element = static_cast<uint8_t *>(tensor.data());
  for (int64_t r : randomBits(seed, name, tensor.numElements()))
    *element++ = r >= 1 << 23;
  return tensor;
}

Tensor test::prefixMask(const std::string &name, std::vector<int64_t> shape, int64_t rows,
                        int64_t columns) {
  Tensor tensor(name, DType::F32, std::move(shape));
  const std::span<const int64_t> dims = tensor.shape();
  const int64_t height = dims[dims.size() - 2], width = dims[dims.size() - 1];
  std::span<float> elements = tensor.values<float>();
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    elements[i] = i / width % height < rows && i % width < columns;
  return tensor;
}
