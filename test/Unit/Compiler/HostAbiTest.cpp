//===- HostAbiTest.cpp - modules on memrefs, compiled and run -------------===//
//
// The back end alone: each test is a module as the middle end leaves it, compiled
// to a shared module and to an object that is linked in this process.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/ObjectEmission.h"
#include "rlx/Compiler/CompileModule.h"
#include "rlx/Runtime/Runtime.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace rlx;

namespace {

/// Compiles a module given as text.
Result<std::vector<uint8_t>> compileText(std::string_view text, const CompileOptions &options) {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text), &context);
  if (!module)
    return Status(ErrorCode::Format, "test module does not parse");
  return compile(*module, options);
}

Result<Module> loadShared(std::string_view text) {
  Result<std::vector<uint8_t>> bytes = compileText(text, {});
  if (!bytes)
    return bytes.status();
  return Module::loadMemory(*bytes);
}

Result<Module> loadInProcess(std::string_view text) {
  CompileOptions options;
  options.emit = EmitKind::Obj;
  Result<std::vector<uint8_t>> bytes = compileText(text, options);
  if (!bytes)
    return bytes.status();
  return loadObject(*bytes);
}

/// A tensor over a vector's elements.
template <typename T>
TensorView view(const char *name, uint32_t dtype, const std::vector<int64_t> &dims,
                std::vector<T> &data) {
  TensorView result;
  result.name = name;
  result.dtype = dtype;
  result.rank = dims.size();
  result.dims = dims.data();
  result.data = data.data();
  return result;
}

using Loader = Result<Module> (*)(std::string_view);

/// Both ways from an object file to running code.
class HostAbi : public testing::TestWithParam<Loader> {
protected:
  Module load(std::string_view text) {
    Result<Module> module = GetParam()(text);
    EXPECT_TRUE(module) << module.message();
    if (!module)
      std::abort();
    return *module;
  }
};

INSTANTIATE_TEST_SUITE_P(Loaders, HostAbi, testing::Values(&loadShared, &loadInProcess),
                         [](const testing::TestParamInfo<Loader> &info) {
                           return info.param == &loadShared ? "shared" : "inProcess";
                         });

// y = x + 2 w, with the doubling done once, when w is bound.
constexpr char kAddDoubled[] = R"(
module attributes {
  rlx.packed_size = 64 : i64,
  rlx.signature = {
    name = "add_doubled", symbols = ["B"],
    inputs = [{name = "x", type = f32, dims = array<i64: -1, 4>}],
    params = [{name = "w", type = f32, dims = array<i64: 4>}],
    outputs = [{name = "y", type = f32, dims = array<i64: -1, 4>}]}} {
  func.func @rlx_run(%x: memref<?x4xf32> {rlx.input = 0 : i64},
                     %w2: memref<4xf32> {rlx.packed = 0 : i64},
                     %y: memref<?x4xf32> {rlx.output = 0 : i64},
                     %workspace: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?x4xf32>
    scf.forall (%i) in (%n) {
      %row = memref.subview %x[%i, 0] [1, 4] [1, 1]
          : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %zero = arith.constant 0 : index
      %a = vector.load %row[%zero] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
      %b = vector.load %w2[%zero] : memref<4xf32>, vector<4xf32>
      %sum = arith.addf %a, %b : vector<4xf32>
      vector.store %sum, %y[%i, %zero] : memref<?x4xf32>, vector<4xf32>
    }
    return
  }
  func.func @rlx_bind(%w: memref<4xf32> {rlx.param = 0 : i64},
                      %w2: memref<4xf32> {rlx.packed = 0 : i64}) {
    scf.forall (%i) in (4) {
      %v = memref.load %w[%i] : memref<4xf32>
      %s = arith.addf %v, %v : f32
      memref.store %s, %w2[%i] : memref<4xf32>
    }
    return
  }
  func.func @rlx_shapes(%b: index) -> (index, index, index) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    return %b, %c4, %c0 : index, index, index
  }
})";

TEST_P(HostAbi, DescribesTheModule) {
  Module module = load(kAddDoubled);
  const rlx_module_info &info = module.info();
  EXPECT_STREQ(info.name, "add_doubled");
  ASSERT_EQ(info.num_symbols, 1u);
  EXPECT_STREQ(info.symbols[0], "B");
  EXPECT_EQ(info.packed_size, 64u);
  ASSERT_EQ(module.inputs().size(), 1u);
  EXPECT_STREQ(module.inputs()[0].name, "x");
  ASSERT_EQ(module.inputs()[0].rank, 2u);
  EXPECT_EQ(module.inputs()[0].dims[0], -1);
  EXPECT_EQ(module.inputs()[0].dims[1], 4);
  EXPECT_NE(std::string(info.options).find("\"target-cpu\""), std::string::npos);
}

TEST_P(HostAbi, RunsWithDynamicSizesAndPackedParams) {
  Module module = load(kAddDoubled);
  std::vector<float> w = {1, 2, 3, 4};
  Result<Params> params =
      Params::bind(module, std::vector<TensorView>{view("w", RLX_DTYPE_F32, {4}, w)});
  ASSERT_TRUE(params) << params.message();
  Result<Session> session = Session::create(module, *params);
  ASSERT_TRUE(session) << session.message();
  for (int64_t rows : {1, 5, 64, 0, 3}) {
    std::vector<float> x(rows * 4), y(rows * 4);
    std::iota(x.begin(), x.end(), 0.5f);
    std::vector<int64_t> dims = {rows, 4};
    Status status =
        session->call({view("x", RLX_DTYPE_F32, dims, x)}, {view("y", RLX_DTYPE_F32, dims, y)});
    ASSERT_TRUE(status) << status.message();
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(y[i], x[i] + 2 * w[i % 4]);
  }
}

// Loops of loops, scratch memory of tasks, and two buffers in the workspace.
constexpr char kLoops[] = R"(
module attributes {
  rlx.signature = {
    name = "loops", symbols = [],
    inputs = [{name = "x", type = i64, dims = array<i64: 6, 10>}], params = [],
    outputs = [{name = "y", type = i64, dims = array<i64: 6, 10>}]}} {
  func.func @rlx_run(%x: memref<6x10xi64> {rlx.input = 0 : i64},
                     %y: memref<6x10xi64> {rlx.output = 0 : i64},
                     %workspace: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c512 = arith.constant 512 : index
    %a = memref.view %workspace[%c0][] : memref<?xi8> to memref<6x10xi64>
    %b = memref.view %workspace[%c512][] : memref<?xi8> to memref<6x10xi64>
    memref.copy %x, %a : memref<6x10xi64> to memref<6x10xi64>
    scf.for %round = %c0 to %c3 step %c1 {
      scf.forall (%i, %j) = (0, 0) to (6, 10) step (2, 5) {
        %tile = memref.alloca() : memref<2x5xi64>
        scf.forall (%di, %dj) in (2, 5) {
          %r = arith.addi %i, %di : index
          %c = arith.addi %j, %dj : index
          %v = memref.load %a[%r, %c] : memref<6x10xi64>
          memref.store %v, %tile[%di, %dj] : memref<2x5xi64>
        }
        scf.forall (%di, %dj) in (2, 5) {
          %r = arith.addi %i, %di : index
          %c = arith.addi %j, %dj : index
          %v = memref.load %tile[%di, %dj] : memref<2x5xi64>
          %k = arith.index_cast %r : index to i64
          %s = arith.addi %v, %k : i64
          memref.store %s, %b[%r, %c] : memref<6x10xi64>
        }
      }
      memref.copy %b, %a : memref<6x10xi64> to memref<6x10xi64>
    }
    scf.forall (%one) in (1) {
      memref.copy %a, %y : memref<6x10xi64> to memref<6x10xi64>
    }
    return
  }
  func.func @rlx_shapes() -> (index, index, index) {
    %c6 = arith.constant 6 : index
    %c10 = arith.constant 10 : index
    %size = arith.constant 1024 : index
    return %c6, %c10, %size : index, index, index
  }
})";

TEST_P(HostAbi, RunsNestedLoops) {
  Module module = load(kLoops);
  Result<Session> session = Session::create(module);
  ASSERT_TRUE(session) << session.message();
  std::vector<int64_t> x(60), y(60);
  std::iota(x.begin(), x.end(), 100);
  std::vector<int64_t> dims = {6, 10};
  Status status =
      session->call({view("x", RLX_DTYPE_I64, dims, x)}, {view("y", RLX_DTYPE_I64, dims, y)});
  ASSERT_TRUE(status) << status.message();
  for (int64_t i = 0; i < 60; ++i)
    EXPECT_EQ(y[i], x[i] + 3 * (i / 10));
}

// The output has n / 2 elements; odd n and negative elements are refused.
constexpr char kAsserts[] = R"(
module attributes {
  rlx.signature = {
    name = "asserts", symbols = ["n"],
    inputs = [{name = "x", type = f32, dims = array<i64: -1>}], params = [],
    outputs = [{name = "y", type = f32, dims = array<i64: -9223372036854775808>}]}} {
  func.func @rlx_run(%x: memref<?xf32> {rlx.input = 0 : i64},
                     %y: memref<?xf32> {rlx.output = 0 : i64},
                     %workspace: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.dim %y, %c0 : memref<?xf32>
    %first = memref.load %x[%c0] : memref<?xf32>
    %finite = arith.cmpf ord, %first, %first : f32
    cf.assert %finite, "x: first element is NaN"
    scf.forall (%i) in (%m) {
      %v = memref.load %x[%i] : memref<?xf32>
      %ok = arith.cmpf oge, %v, %zero : f32
      cf.assert %ok, "x: negative element"
      memref.store %v, %y[%i] : memref<?xf32>
    }
    return
  }
  func.func @rlx_shapes(%n: index) -> (index, index) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %rest = arith.remui %n, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    cf.assert %even, "n: expected an even size"
    %m = arith.divui %n, %c2 : index
    return %m, %c0 : index, index
  }
})";

TEST_P(HostAbi, ReportsFailedAssertions) {
  Module module = load(kAsserts);
  Result<Session> session = Session::create(module);
  ASSERT_TRUE(session) << session.message();
  auto run = [&](std::vector<float> x) {
    std::vector<int64_t> dims = {static_cast<int64_t>(x.size())};
    return session->call({view("x", RLX_DTYPE_F32, dims, x)});
  };
  EXPECT_TRUE(run({1, 2, 3, 4}));
  Result<TensorView> y = session->output("y");
  ASSERT_TRUE(y) << y.message();
  ASSERT_EQ(y->rank, 1u);
  EXPECT_EQ(y->dims[0], 2);
  EXPECT_NE(run({1, 2, 3}).message().find("n: expected an even size"), std::string::npos);
  EXPECT_NE(run({NAN, 2}).message().find("x: first element is NaN"), std::string::npos);
  std::vector<float> bad(2000, 1.0f);
  for (size_t i = 10; i < 1000; i += 3)
    bad[i] = -1;
  EXPECT_NE(run(bad).message().find("x: negative element"), std::string::npos);
  EXPECT_TRUE(run({5, 6}));
}

/// A module that maps n elements of type `from` to `to` by `op`, a line that
/// computes %r from %v.
std::string elementwise(std::string_view from, std::string_view to, std::string_view op) {
  auto replaceAll = [](std::string text, std::string_view what, std::string_view with) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
    return text;
  };
  std::string text = R"(
module attributes {
  rlx.signature = {
    name = "elementwise", symbols = ["n"],
    inputs = [{name = "x", type = FROM, dims = array<i64: -1>}], params = [],
    outputs = [{name = "y", type = TO, dims = array<i64: -1>}]}} {
  func.func @rlx_run(%x: memref<?xFROM> {rlx.input = 0 : i64},
                     %y: memref<?xTO> {rlx.output = 0 : i64},
                     %workspace: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xFROM>
    scf.forall (%i) = (0) to (%n) step (8) {
      %v = vector.load %x[%i] : memref<?xFROM>, vector<8xFROM>
      OP
      vector.store %r, %y[%i] : memref<?xTO>, vector<8xTO>
    }
    return
  }
  func.func @rlx_shapes(%n: index) -> (index, index) {
    %c0 = arith.constant 0 : index
    return %n, %c0 : index, index
  }
})";
  return replaceAll(replaceAll(replaceAll(text, "FROM", from), "TO", to), "OP", op);
}

template <typename To, typename From>
std::vector<To> apply(const Module &module, uint32_t from, uint32_t to, std::vector<From> x) {
  std::vector<To> y(x.size());
  std::vector<int64_t> dims = {static_cast<int64_t>(x.size())};
  Result<Session> session = Session::create(module);
  EXPECT_TRUE(session) << session.message();
  Status status = session->call({view("x", from, dims, x)}, {view("y", to, dims, y)});
  EXPECT_TRUE(status) << status.message();
  return y;
}

TEST_P(HostAbi, CallsLibmForWhatIsNotInlined) {
  Module module = load(elementwise("f32", "f32", R"(
      %e = math.exp %v : vector<8xf32>
      %f = math.erf %e : vector<8xf32>
      %r = math.tanh %f : vector<8xf32>)"));
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) / 8 - 2;
  std::vector<float> y = apply<float>(module, RLX_DTYPE_F32, RLX_DTYPE_F32, x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], std::tanh(std::erf(std::exp(double(x[i])))), 1e-6);
}

TEST_P(HostAbi, ComputesOnSmallFloats) {
  Module module = load(elementwise("bf16", "bf16", R"(
      %s = arith.addf %v, %v : vector<8xbf16>
      %r = math.sqrt %s : vector<8xbf16>)"));
  std::vector<uint16_t> x(8, std::bit_cast<uint32_t>(8.0f) >> 16);
  std::vector<uint16_t> y = apply<uint16_t>(module, RLX_DTYPE_BF16, RLX_DTYPE_BF16, x);
  EXPECT_EQ(y[3], std::bit_cast<uint32_t>(4.0f) >> 16);
}

/// f16 to f64 by the definition of the format.
double halfToDouble(uint16_t half) {
  int exponent = (half >> 10) & 31;
  double fraction = half & 1023;
  double magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

/// The nearest f16, halves to even, found among all of them.
uint16_t doubleToHalf(double x) {
  uint16_t low = 0, high = 0x7c00; // positive halves are ordered as their bits
  double magnitude = std::fabs(x);
  while (high - low > 1) {
    uint16_t middle = (low + high) / 2;
    (halfToDouble(middle) <= magnitude ? low : high) = middle;
  }
  double above = high == 0x7c00 ? 65536.0 : halfToDouble(high);
  double tie = (halfToDouble(low) + above) / 2;
  uint16_t nearest = magnitude > tie || (magnitude == tie && (low & 1)) ? high : low;
  return nearest | (std::signbit(x) ? 0x8000 : 0);
}

/// Inputs around every half, and what is beyond.
std::vector<double> valuesAroundHalves() {
  std::vector<double> values;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double low = halfToDouble(bits);
    double high = bits == 0x7bff ? 65536.0 : halfToDouble(bits + 1);
    double tie = (low + high) / 2;
    for (double value : {low, tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e9)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  for (double value : {1e5, 1e30, 1e300, double(INFINITY), 1e-10, 1e-40, 1e-310, 0.0})
    values.push_back(value);
  return values;
}

void checkHalfConversions(Module fromF16, Module toF16, Module fromF64) {
  std::vector<uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), 0);
  std::vector<float> widened = apply<float>(fromF16, RLX_DTYPE_F16, RLX_DTYPE_F32, halves);
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    double expected = halfToDouble(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(widened[bits])) << bits;
    else
      EXPECT_EQ(widened[bits], expected) << bits;
  }

  std::vector<double> values = valuesAroundHalves();
  values.resize((values.size() + 7) / 8 * 8);
  std::vector<float> floats(values.begin(), values.end());
  std::vector<uint16_t> narrowed = apply<uint16_t>(toF16, RLX_DTYPE_F32, RLX_DTYPE_F16, floats);
  for (size_t i = 0; i < floats.size(); ++i)
    EXPECT_EQ(narrowed[i], doubleToHalf(floats[i])) << floats[i];
  narrowed = apply<uint16_t>(fromF64, RLX_DTYPE_F64, RLX_DTYPE_F16, values);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(narrowed[i], doubleToHalf(values[i])) << values[i];

  std::vector<uint16_t> nan =
      apply<uint16_t>(toF16, RLX_DTYPE_F32, RLX_DTYPE_F16, std::vector<float>(8, NAN));
  EXPECT_TRUE(std::isnan(halfToDouble(nan[0])));
}

Module loadFor(std::string_view cpu, const std::string &text) {
  CompileOptions options;
  options.targetCpu = cpu;
  Result<std::vector<uint8_t>> bytes = compileText(text, options);
  EXPECT_TRUE(bytes) << bytes.message();
  Result<Module> module = Module::loadMemory(*bytes);
  EXPECT_TRUE(module) << module.message();
  return *module;
}

TEST(SmallFloats, RoundOnceOnTheBaseline) {
  checkHalfConversions(
      loadFor("x86-64",
              elementwise("f16", "f32", "%r = arith.extf %v : vector<8xf16> to vector<8xf32>")),
      loadFor("x86-64",
              elementwise("f32", "f16", "%r = arith.truncf %v : vector<8xf32> to vector<8xf16>")),
      loadFor("x86-64",
              elementwise("f64", "f16", "%r = arith.truncf %v : vector<8xf64> to vector<8xf16>")));
}

TEST(SmallFloats, RoundOnceOnThisMachine) {
  checkHalfConversions(
      loadFor("host",
              elementwise("f16", "f32", "%r = arith.extf %v : vector<8xf16> to vector<8xf32>")),
      loadFor("host",
              elementwise("f32", "f16", "%r = arith.truncf %v : vector<8xf32> to vector<8xf16>")),
      loadFor("host",
              elementwise("f64", "f16", "%r = arith.truncf %v : vector<8xf64> to vector<8xf16>")));
}

TEST(HostAbiErrors, AllocationIsRefused) {
  std::string text = elementwise("f32", "f32", R"(
      %m = memref.alloc() : memref<8xf32>
      %r = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>)");
  Result<std::vector<uint8_t>> bytes = compileText(text, {});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.status().code(), ErrorCode::Internal);
  EXPECT_NE(bytes.message().find("'memref.alloc' left in compiled code"), std::string::npos);
}

TEST(HostAbiErrors, SupportLibrariesAreRefused) {
  // A division of i128 is a call of compiler-rt.
  std::string text = elementwise("i64", "i64", R"(
      %w = arith.extsi %v : vector<8xi64> to vector<8xi128>
      %d = arith.muli %w, %w : vector<8xi128>
      %q = arith.divsi %w, %d : vector<8xi128>
      %r = arith.trunci %q : vector<8xi128> to vector<8xi64>)");
  CompileOptions options;
  options.optLevel = 0;
  Result<std::vector<uint8_t>> bytes = compileText(text, options);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("compiled code needs '__divti3'"), std::string::npos)
      << bytes.message();
}

TEST(HostAbiErrors, UnknownCpuIsNamed) {
  CompileOptions options;
  options.targetCpu = "pentium9000";
  Result<std::vector<uint8_t>> bytes = compileText(kLoops, options);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("'pentium9000'"), std::string::npos);
  options.targetCpu.clear();
  options.targetTriple = "riscv64-linux-gnu";
  bytes = compileText(kLoops, options);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("'riscv64-linux-gnu'"), std::string::npos);
}

TEST(CrossCompilation, AArch64ObjectsAndModules) {
  CompileOptions options;
  options.targetTriple = "aarch64-linux-gnu";
  Result<std::vector<uint8_t>> bytes = compileText(kAddDoubled, options);
  ASSERT_TRUE(bytes) << bytes.message();
  ASSERT_GT(bytes->size(), 20u);
  EXPECT_EQ((*bytes)[18], 183); // EM_AARCH64
  Result<Module> module = Module::loadMemory(*bytes);
#if defined(__x86_64__)
  ASSERT_FALSE(module);
  EXPECT_EQ(module.status().code(), ErrorCode::Incompatible);
#endif
}

} // namespace
