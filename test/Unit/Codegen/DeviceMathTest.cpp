// Accuracy of the double precision functions that GPUs get, run on this machine, against
// libm in long double.

#include "lib/Codegen/GPU/DeviceMath.h"
#include "JitKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace rlx;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Bit patterns over all of f64, and what functions turn at.
std::vector<double> sweep() {
  std::vector<double> values;
  for (uint64_t bits = 0; bits < uint64_t(1) << 63; bits += 0x00007fd1a2b3c4d5)
    for (double value : {std::bit_cast<double>(bits), -std::bit_cast<double>(bits)})
      values.push_back(value);
  for (double x = 0; x < 30; x += 0.0017)
    for (double value : {x, -x})
      values.push_back(value);
  for (double value :
       {0.0,     -0.0,   0.25,     0.5,       1.0,   -1.0,
        2.0,     3.0,    0.1,      6.0,       709.5, -745.0,
        1e5,     1e6,    3e7,      1048576.0, 1e22,  3e38,
        1.7e308, 5e-324, 2.2e-308, inf,       -inf,  std::numeric_limits<double>::quiet_NaN()})
    values.push_back(value);
  return values;
}

/// Applies the function that `make` creates to pairs of elements.
std::vector<double> evaluate(function_ref<Operation *(ImplicitLocOpBuilder &, Value, Value)> make,
                             std::vector<double> x, std::vector<double> y) {
  std::unique_ptr<MLIRContext> context = test::makeContext();
  ImplicitLocOpBuilder b(UnknownLoc::get(context.get()), context.get());
  auto module = ModuleOp::create(b, b.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  Type buffer = MemRefType::get({ShapedType::kDynamic}, b.getF64Type());
  auto func = func::FuncOp::create(b, "apply", b.getFunctionType({buffer, buffer, buffer}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, zero, memref::DimOp::create(b, func.getArgument(0), zero), one);
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 2; ++i)
    operands.push_back(memref::LoadOp::create(b, func.getArgument(i), index));
  Operation *op = make(b, operands[0], operands[1]);
  Value result = gpu::emitDouble(b, op, ValueRange(operands).take_front(op->getNumOperands()));
  op->erase();
  memref::StoreOp::create(b, result, func.getArgument(2), index);

  auto engine = llvm::cantFail(test::compile(module, test::runnableTargets().back()));
  std::vector<double> z(x.size());
  auto describe = [](std::vector<double> &data) {
    return StridedMemRefType<double, 1>{
        data.data(), data.data(), 0, {static_cast<int64_t>(data.size())}, {1}};
  };
  auto xs = describe(x), ys = describe(y), zs = describe(z);
  auto *xp = &xs, *yp = &ys, *zp = &zs;
  llvm::cantFail(engine->invoke("apply", xp, yp, zp));
  module->erase();
  return z;
}

/// Expects results within `maxUlps` of f64's spacing, which is not below `floor`.
void expectClose(const char *name, ArrayRef<double> x, ArrayRef<double> y, ArrayRef<double> found,
                 function_ref<long double(long double, long double)> reference, double maxUlps,
                 double floor) {
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double exact = reference(x[i], y[i]);
    double rounded = static_cast<double>(exact);
    if (std::isnan(rounded) || std::isinf(rounded) || rounded == found[i]) {
      EXPECT_TRUE(found[i] == rounded || (std::isnan(found[i]) && std::isnan(rounded)))
          << name << "(" << x[i] << ", " << y[i] << ") = " << found[i] << ", expected " << rounded;
      continue;
    }
    int exponent = std::max(std::ilogb(std::max(std::abs(rounded), floor)), -1022);
    double error =
        std::abs(static_cast<double>((found[i] - exact) / std::ldexp(1.0L, exponent - 52)));
    if (!(error <= worst))
      worst = error, at = i;
  }
  EXPECT_LE(worst, maxUlps) << name << "(" << x[at] << ", " << y[at] << ") = " << found[at];
}

template <typename Op> Operation *makeUnary(ImplicitLocOpBuilder &b, Value x, Value) {
  return Op::create(b, x);
}

TEST(DeviceMath, StaysWithinItsError) {
  struct {
    const char *name;
    Operation *(*make)(ImplicitLocOpBuilder &, Value, Value);
    long double (*reference)(long double);
    double floor; ///< where an error is seen as absolute
  } cases[] = {
      {"exp", makeUnary<math::ExpOp>, [](long double x) { return std::exp(x); }, 0},
      {"log", makeUnary<math::LogOp>, [](long double x) { return std::log(x); }, 0},
      {"tanh", makeUnary<math::TanhOp>, [](long double x) { return std::tanh(x); }, 0},
      {"erf", makeUnary<math::ErfOp>, [](long double x) { return std::erf(x); }, 0},
      {"sin", makeUnary<math::SinOp>, [](long double x) { return std::sin(x); }, 0x1p-20},
      {"cos", makeUnary<math::CosOp>, [](long double x) { return std::cos(x); }, 0x1p-20},
  };
  std::vector<double> x = sweep();
  for (const auto &param : cases)
    expectClose(
        param.name, x, x, evaluate(param.make, x, x),
        [&](long double value, long double) { return param.reference(value); }, 4.0, param.floor);
}

TEST(DeviceMath, PowersFollowC) {
  std::vector<double> x, y;
  const double specials[] = {0.0,   -0.0,   1.0,  -1.0, 0.5, -0.5, 2.0,  -2.0,     3.0,
                             -3.0,  2.5,    -8.0, 10.0, 0.1, 1e-9, 1e9,  300.,     -300.,
                             1e300, 1e-300, inf,  -inf, NAN, 1023, 7.25, 1.0000001};
  for (double base : specials)
    for (double exponent : specials)
      x.push_back(base), y.push_back(exponent);
  auto make = [](ImplicitLocOpBuilder &b, Value base, Value exponent) -> Operation * {
    return math::PowFOp::create(b, base, exponent);
  };
  expectClose(
      "pow", x, y, evaluate(make, x, y),
      [](long double base, long double exponent) { return std::pow(base, exponent); }, 4.0,
      0x1p-1022);
}

} // namespace
