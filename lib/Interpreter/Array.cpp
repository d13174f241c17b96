#include "rlx/Interpreter/Array.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace rlx;

namespace {

const llvm::fltSemantics &semanticsOf(DType type) {
  return type == DType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

/// The value of an f16 or bf16 from its bits.
double decode16(uint16_t bits, DType type) {
  return llvm::APFloat(semanticsOf(type), llvm::APInt(16, bits)).convertToDouble();
}

/// The f16 or bf16 nearest to a value.
llvm::APFloat encode16(double value, DType type) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

template <typename Source, typename Target>
void convert(const void *source, std::span<Target> target) {
  const Source *elements = static_cast<const Source *>(source);
  for (size_t i = 0; i < target.size(); ++i)
    target[i] = static_cast<Target>(elements[i]);
}

template <typename Source, typename Target>
void convert(std::span<const Source> source, void *target) {
  Target *elements = static_cast<Target *>(target);
  for (size_t i = 0; i < source.size(); ++i)
    elements[i] = static_cast<Target>(source[i]);
}

} // namespace

double rlx::roundToFloat(double value, DType type) {
  switch (type) {
  case DType::F64:
    return value;
  case DType::F32:
    return static_cast<float>(value);
  default:
    return encode16(value, type).convertToDouble();
  }
}

double rlx::integerToFloat(int64_t value, DType type) {
  switch (type) {
  case DType::F64:
    return static_cast<double>(value);
  case DType::F32:
    return static_cast<float>(value);
  default: {
    llvm::APFloat result(semanticsOf(type));
    result.convertFromAPInt(llvm::APInt(64, value, /*isSigned=*/true), /*IsSigned=*/true,
                            llvm::APFloat::rmNearestTiesToEven);
    return result.convertToDouble();
  }
  }
}

std::pair<int64_t, int64_t> rlx::integerRange(DType type) {
  switch (type) {
  case DType::Bool:
    return {0, 1};
  case DType::I8:
    return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
  case DType::I32:
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  default:
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

int64_t rlx::wrapToInteger(int64_t value, DType type) {
  switch (type) {
  case DType::Bool:
    return value != 0;
  case DType::I8:
    return static_cast<int8_t>(value);
  case DType::I32:
    return static_cast<int32_t>(value);
  default:
    return value;
  }
}

int64_t rlx::truncateToInteger(double value, DType type) {
  if (type == DType::Bool)
    return value != 0;
  if (std::isnan(value))
    return 0;
  auto [least, greatest] = integerRange(type);
  // The double next to the greatest int64 is 2^63, which is out of its range.
  if (value <= static_cast<double>(least))
    return least;
  if (value >= static_cast<double>(greatest))
    return greatest;
  return static_cast<int64_t>(value);
}

Array::Array(const TensorView &tensor)
    : Array(tensor.type(), Shape(tensor.shape().begin(), tensor.shape().end())) {
  switch (tensor.type()) {
  case DType::F32:
    convert<float>(tensor.data, mutableFloats());
    break;
  case DType::F64:
    convert<double>(tensor.data, mutableFloats());
    break;
  case DType::F16:
  case DType::BF16: {
    const uint16_t *bits = static_cast<const uint16_t *>(tensor.data);
    std::span<double> elements = mutableFloats();
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = decode16(bits[i], tensor.type());
    break;
  }
  case DType::I8:
    convert<int8_t>(tensor.data, mutableInts());
    break;
  case DType::I32:
    convert<int32_t>(tensor.data, mutableInts());
    break;
  case DType::I64:
    convert<int64_t>(tensor.data, mutableInts());
    break;
  case DType::Bool: {
    const uint8_t *bytes = static_cast<const uint8_t *>(tensor.data);
    std::span<int64_t> elements = mutableInts();
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = bytes[i] != 0;
    break;
  }
  }
}

Tensor Array::toTensor(std::string name) const {
  Tensor tensor(std::move(name), elementType, dims);
  switch (elementType) {
  case DType::F32:
    convert<double, float>(floats(), tensor.data());
    break;
  case DType::F64:
    convert<double, double>(floats(), tensor.data());
    break;
  case DType::F16:
  case DType::BF16: {
    uint16_t *bits = static_cast<uint16_t *>(tensor.data());
    for (double value : floats())
      *bits++ = static_cast<uint16_t>(encode16(value, elementType).bitcastToAPInt().getZExtValue());
    break;
  }
  case DType::I8:
    convert<int64_t, int8_t>(ints(), tensor.data());
    break;
  case DType::I32:
    convert<int64_t, int32_t>(ints(), tensor.data());
    break;
  case DType::I64:
    convert<int64_t, int64_t>(ints(), tensor.data());
    break;
  case DType::Bool:
    convert<int64_t, uint8_t>(ints(), tensor.data());
    break;
  }
  return tensor;
}
