#include "rlx/Runtime/Binding.h"

#include "Toy.h"

using namespace rlx;
using namespace rlx::test;

TEST(TensorType, PrintsAsMlirDoes) {
  const int64_t dims[] = {1, -1, 256, RLX_DIM_COMPUTED};
  EXPECT_EQ(formatTensorType(RLX_DTYPE_F32, dims), "tensor<1x?x256x?xf32>");
  EXPECT_EQ(formatTensorType(RLX_DTYPE_BF16, {}), "tensor<bf16>");
  EXPECT_EQ(formatTensorType(99, {}), "tensor<invalid>");
}

TEST(DType, NamesAndSizes) {
  for (DType type : allDTypes) {
    EXPECT_EQ(parseDType(nameOf(type)), type);
    EXPECT_EQ(rlx_dtype_size(static_cast<uint32_t>(type)), sizeOf(type));
    EXPECT_EQ(rlx_dtype_name(static_cast<uint32_t>(type)), nameOf(type));
  }
  EXPECT_EQ(parseDType("f8"), std::nullopt);
  EXPECT_EQ(rlx_dtype_size(8), 0u);
  EXPECT_STREQ(rlx_dtype_name(8), "invalid");
}

TEST(Symbols, DisagreementNamesBothInputs) {
  const int64_t declaredA[] = {3, -1}, declaredB[] = {-1, -2};
  const rlx_tensor_info inputs[] = {{"a", RLX_DTYPE_F32, 2, declaredA},
                                    {"b", RLX_DTYPE_F32, 2, declaredB}};
  const int64_t shapeA[] = {3, 5}, shapeB[] = {7, 9};
  const int64_t *const shapes[] = {shapeA, shapeB};
  const char *const names[] = {"N", "M"};
  int64_t sizes[2];
  MismatchList mismatches;
  resolveSymbols(inputs, shapes, names, sizes, mismatches);
  EXPECT_EQ(mismatches.status().message(),
            "input 'b': dim 0 gives 'N' the size 7, dim 1 of input 'a' gives it 5");
  EXPECT_EQ(sizes[1], 9);
}
