//===- VectorMathTest.cpp - accuracy of the emitted functions -------------===//
//
// Sweeps bit patterns over all of f32, specials included, against libm in
// double precision.
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/Common/VectorMath.h"
#include "JitKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace rlx;

namespace {

using Emitter = Value (*)(OpBuilder &, Location, Value, const MathTarget &);
using Reference = double (*)(double);

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Every 1009th bit pattern, and the neighbours of the ones where functions turn.
std::vector<float> sweep(float low = -inf, float high = inf) {
  std::vector<float> values = {nan, -nan};
  auto append = [&](float value) {
    if (std::isnan(value) || (value >= low && value <= high))
      values.push_back(value);
  };
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 1009)
    append(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float center :
       {0.0f, 0x1p-149f, 0x1p-126f, 0.5f, 0.625f, 1.0f, 1.41421356f, 2.0f, 3.9f, 4.0f, 9.0f,
        87.33655f, 88.0f, 88.722839f, 103.97208f, 104.0f, 3.4028235e38f, inf})
    for (float signedCenter : {center, -center})
      for (int step = -4; step <= 4; ++step)
        append(std::bit_cast<float>(std::bit_cast<uint32_t>(signedCenter) + step));
  values.resize((values.size() + 15) / 16 * 16, std::min(high, 0.0f));
  return values;
}

/// Applies what `emit` emits to all of `inputs`, as vectors of `lanes` (0: scalars).
std::vector<float> evaluate(Emitter emit, std::vector<float> inputs, const CpuTarget &target,
                            int64_t lanes) {
  std::unique_ptr<MLIRContext> context = test::makeContext();
  ImplicitLocOpBuilder b(UnknownLoc::get(context.get()), context.get());
  auto module = ModuleOp::create(b, b.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  Type buffer = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
  auto func = func::FuncOp::create(b, "apply", b.getFunctionType({buffer, buffer}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  Value source = func.getArgument(0), result = func.getArgument(1);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, std::max<int64_t>(lanes, 1));
  Value size = memref::DimOp::create(b, source, zero);
  auto loop = scf::ForOp::create(b, zero, size, step);
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  if (lanes) {
    Value x = vector::LoadOp::create(b, VectorType::get({lanes}, b.getF32Type()), source, index);
    vector::StoreOp::create(b, emit(b, b.getLoc(), x, target), result, index);
  } else {
    Value x = memref::LoadOp::create(b, source, index);
    memref::StoreOp::create(b, emit(b, b.getLoc(), x, target), result, index);
  }

  auto engine = llvm::cantFail(test::compile(module, target));
  std::vector<float> outputs(inputs.size());
  auto describe = [](std::vector<float> &data) {
    return StridedMemRefType<float, 1>{
        data.data(), data.data(), 0, {static_cast<int64_t>(data.size())}, {1}};
  };
  auto in = describe(inputs), out = describe(outputs);
  auto *inPointer = &in, *outPointer = &out;
  llvm::cantFail(engine->invoke("apply", inPointer, outPointer));
  module->erase();
  return outputs;
}

/// The error of `result` in units of f32's spacing at the exact value.
double ulps(float result, double exact) {
  if (result == static_cast<float>(exact))
    return 0;
  int exponent = std::max(std::ilogb(exact), -126);
  return std::abs((result - exact) / std::ldexp(1.0, exponent - 23));
}

struct Case {
  const char *name;
  Emitter emit;
  Reference reference;
  double maxUlps;
  float low = -inf, high = inf; ///< domain of the sweep
  bool flushes = false;         ///< results below the normal numbers are 0
};

class VectorMath : public testing::TestWithParam<Case> {};

TEST_P(VectorMath, StaysWithinItsError) {
  const Case &param = GetParam();
  std::vector<float> inputs = sweep(param.low, param.high);
  for (const CpuTarget &target : test::runnableTargets()) {
    std::vector<float> outputs = evaluate(param.emit, inputs, target, target.lanes(32));
    double worst = 0;
    float worstInput = 0;
    for (auto [x, y] : llvm::zip(inputs, outputs)) {
      double exact = param.reference(x);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(y)) << param.name << "(" << x << ") = " << y;
        continue;
      }
      if (param.flushes && std::abs(exact) < 0x1p-126 && y == 0)
        continue;
      ASSERT_FALSE(std::isnan(y)) << param.name << "(" << x << ")";
      double error = ulps(y, exact);
      if (error > worst)
        worst = error, worstInput = x;
    }
    EXPECT_LE(worst, param.maxUlps) << param.name << "(" << worstInput << ") on " << target.cpu;
    RecordProperty("max_ulps_" + target.cpu, std::to_string(worst));
  }
}

TEST_P(VectorMath, GivesScalarsTheSameResults) {
  const Case &param = GetParam();
  std::vector<float> inputs = sweep(param.low, param.high);
  inputs.resize(1 << 16);
  for (const CpuTarget &target : test::runnableTargets()) {
    std::vector<float> vectors = evaluate(param.emit, inputs, target, target.lanes(32));
    std::vector<float> scalars = evaluate(param.emit, inputs, target, 0);
    for (auto [x, v, s] : llvm::zip(inputs, vectors, scalars))
      ASSERT_TRUE(v == s || (std::isnan(v) && std::isnan(s)))
          << param.name << "(" << x << "): " << v << " and " << s;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMath,
    testing::Values(Case{"exp", emitExp, [](double x) { return std::exp(x); }, 1.1},
                    Case{"expNonPositive", emitExpNonPositive, [](double x) { return std::exp(x); },
                         1.1, -inf, 0.0f, true},
                    Case{"log", emitLog, [](double x) { return std::log(x); }, 1.5},
                    Case{"tanh", emitTanh, [](double x) { return std::tanh(x); }, 2.0},
                    Case{"erf", emitErf, [](double x) { return std::erf(x); }, 2.0},
                    Case{"roundEven", emitRoundEven, [](double x) { return std::nearbyint(x); },
                         0.0}),
    [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

} // namespace
