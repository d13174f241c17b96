//===- VectorizeLoopsTest.cpp - vector loops against upstream's loops -----===//
//
// Runs kernels lowered by rlx-vectorize-loops and by convert-linalg-to-loops on the
// same data, with static and with dynamic sizes, and compares. Every buffer ends at
// a page that can't be accessed, so reading past it is caught too.
//
//===----------------------------------------------------------------------===//

#include "JitKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace rlx {
#define GEN_PASS_DECL_VECTORIZELOOPS
#define GEN_PASS_DECL_LEGALIZEFLOATS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// A kernel `@kernel` over memrefs in which $N, $M and $K stand for sizes.
struct Case {
  const char *name;
  const char *text;
  std::vector<std::array<int64_t, 3>> sizes = {
      {1, 1, 1}, {7, 59, 3}, {59, 7, 16}, {3, 397, 20}, {16, 64, 5}};
};

/// The text with sizes filled in, or "?" for them.
std::string instantiate(StringRef text, std::optional<std::array<int64_t, 3>> sizes) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t symbol = text[i] == '$' ? StringRef("NMK").find(text[i + 1]) : StringRef::npos;
    if (symbol == StringRef::npos) {
      result += text[i];
      continue;
    }
    result += sizes ? std::to_string((*sizes)[symbol]) : "?";
    ++i;
  }
  return result;
}

/// Memory for a memref of static shape, right before an inaccessible page.
class Buffer {
public:
  explicit Buffer(MemRefType type) : type(type) {
    size_t page = sysconf(_SC_PAGESIZE);
    bytes = type.getNumElements() * elementBytes();
    mapped = (bytes + page - 1) / page * page + page;
    base = static_cast<char *>(
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + mapped - page, page, PROT_NONE);
    data = base + mapped - page - bytes;
    std::fill(base, data, char(0x5a));
    int64_t address = reinterpret_cast<int64_t>(data);
    descriptor = {address, address, 0};
    llvm::append_range(descriptor, type.getShape());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t stride = 1;
      for (int64_t size : type.getShape().drop_front(dim + 1))
        stride *= size;
      descriptor.push_back(stride);
    }
    pointer = descriptor.data();
  }
  Buffer(Buffer &&other) = delete;
  ~Buffer() { munmap(base, mapped); }

  void randomize(std::mt19937 &random) {
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      set(i, std::uniform_real_distribution<double>(-2, 2)(random), random);
  }
  void copyFrom(const Buffer &other) { std::copy_n(other.data, bytes, data); }
  void *argument() { return &pointer; }
  MemRefType getType() const { return type; }
  bool wroteBefore() const {
    return std::any_of(base, data, [](char byte) { return byte != 0x5a; });
  }

  double get(int64_t i) const {
    Type element = type.getElementType();
    uint64_t bits = 0;
    memcpy(&bits, data + i * elementBytes(), elementBytes());
    if (auto floatType = dyn_cast<FloatType>(element)) {
      APFloat value(floatType.getFloatSemantics(), APInt(8 * elementBytes(), bits));
      bool lost;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      return value.convertToDouble();
    }
    return static_cast<double>(APInt(8 * elementBytes(), bits).getSExtValue());
  }

private:
  unsigned elementBytes() const { return type.getElementTypeBitWidth() / 8; }

  void set(int64_t i, double value, std::mt19937 &random) {
    uint64_t bits;
    if (auto floatType = dyn_cast<FloatType>(type.getElementType())) {
      APFloat converted(value);
      bool lost;
      converted.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
      bits = converted.bitcastToAPInt().getZExtValue();
    } else {
      bits = random() % 2; // indices and conditions are valid so
    }
    memcpy(data + i * elementBytes(), &bits, elementBytes());
  }

  MemRefType type;
  size_t bytes, mapped;
  char *base, *data;
  SmallVector<int64_t> descriptor;
  int64_t *pointer;
};

class VectorizeLoops : public testing::TestWithParam<Case> {
protected:
  using Engine = std::unique_ptr<ExecutionEngine>;

  /// Compiles the kernel for `target` with our pass, or without a target upstream's way.
  Engine build(std::optional<std::array<int64_t, 3>> sizes, const CpuTarget *target) {
    OwningOpRef<ModuleOp> module = parse(sizes);
    PassManager manager(context.get());
    if (target)
      manager.addNestedPass<func::FuncOp>(
          createVectorizeLoops({target->triple, target->cpu, target->features}));
    manager.addPass(createLegalizeFloats({}));
    if (failed(manager.run(*module)))
      return nullptr;
    if (target) {
      bool hasLinalg = false;
      module->walk(
          [&](Operation *op) { hasLinalg |= op->getName().getStringRef().starts_with("linalg."); });
      EXPECT_FALSE(hasLinalg);
    }
    return llvm::cantFail(
        test::compile(*module, target ? *target : test::runnableTargets().front()));
  }

  OwningOpRef<ModuleOp> parse(std::optional<std::array<int64_t, 3>> sizes) {
    return parseSourceString<ModuleOp>(instantiate(GetParam().text, sizes), context.get());
  }

  static void invoke(ExecutionEngine &engine, std::vector<std::unique_ptr<Buffer>> &buffers) {
    SmallVector<void *> arguments;
    for (auto &buffer : buffers)
      arguments.push_back(buffer->argument());
    llvm::cantFail(engine.invokePacked("_mlir_ciface_kernel", arguments));
  }

  /// Runs `tested` and `reference` on equal data and compares everything they may write.
  void compare(ExecutionEngine &tested, ExecutionEngine &reference, std::array<int64_t, 3> sizes) {
    OwningOpRef<ModuleOp> module = parse(sizes);
    auto kernel = module->lookupSymbol<func::FuncOp>("kernel");
    std::mt19937 random(static_cast<unsigned>(sizes[0] * 65537 + sizes[1]));
    std::vector<std::unique_ptr<Buffer>> expected, actual;
    for (Type type : kernel.getArgumentTypes()) {
      expected.push_back(std::make_unique<Buffer>(cast<MemRefType>(type)));
      actual.push_back(std::make_unique<Buffer>(cast<MemRefType>(type)));
      expected.back()->randomize(random);
      actual.back()->copyFrom(*expected.back());
    }
    invoke(reference, expected);
    invoke(tested, actual);
    for (auto [index, want, got] : llvm::enumerate(expected, actual)) {
      EXPECT_FALSE(got->wroteBefore());
      double tolerance = 0;
      Type element = want->getType().getElementType();
      if (auto floatType = dyn_cast<FloatType>(element))
        tolerance = std::ldexp(16.0, -static_cast<int>(floatType.getFPMantissaWidth()));
      for (int64_t i = 0; i < want->getType().getNumElements(); ++i) {
        double scale = std::max(1.0, std::abs(want->get(i))) * std::sqrt(64 + sizes[0] * sizes[1]);
        ASSERT_NEAR(got->get(i), want->get(i), tolerance * scale)
            << "element " << i << " of argument " << index;
      }
    }
  }

  std::unique_ptr<MLIRContext> context = test::makeContext();
};

TEST_P(VectorizeLoops, MatchesUpstreamLoops) {
  Engine reference = build(std::nullopt, nullptr);
  ASSERT_TRUE(reference);
  for (const CpuTarget &target : test::runnableTargets()) {
    SCOPED_TRACE(target.cpu);
    Engine dynamic = build(std::nullopt, &target);
    ASSERT_TRUE(dynamic);
    for (std::array<int64_t, 3> sizes : GetParam().sizes) {
      SCOPED_TRACE(llvm::formatv("N={0} M={1} K={2}", sizes[0], sizes[1], sizes[2]).str());
      ASSERT_NO_FATAL_FAILURE(compare(*dynamic, *reference, sizes)) << "dynamic";
      Engine fixed = build(sizes, &target);
      ASSERT_TRUE(fixed);
      ASSERT_NO_FATAL_FAILURE(compare(*fixed, *reference, sizes)) << "static";
    }
  }
}

const Case cases[] = {
#include "VectorizeLoopsCases.inc"
};

INSTANTIATE_TEST_SUITE_P(Kernels, VectorizeLoops, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
