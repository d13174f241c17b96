//===- CompileTest.cpp - graphs, compiled and run -------------------------===//

#include "rlx/Compiler/Compiler.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace rlx;

namespace {

constexpr int64_t kIn = 33, kOut = 17;

/// y = relu(x w + b) for any number of rows, with sizes that no register divides.
Graph makeLinear() {
  Graph graph("linear");
  Value x = graph.input("x", {DType::F32, {"rows", kIn}});
  Value w = graph.param("w", {DType::F32, {kIn, kOut}});
  Value b = graph.param("b", {DType::F32, {kOut}});
  Value y = graph.fusedMatmulBiasAct(x, w, b, ActivationKind::Relu);
  Status status = graph.setOutputs({{"y", y}});
  EXPECT_TRUE(status) << status.message();
  return graph;
}

std::vector<float> makeValues(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = float(seed >> 8) / float(1 << 23) - 1;
  }
  return values;
}

/// Runs a module of makeLinear.
std::vector<float> run(const Module &module, int64_t rows) {
  std::vector<float> w = makeValues(kIn * kOut, 1), b = makeValues(kOut, 2);
  std::vector<int64_t> wDims = {kIn, kOut}, bDims = {kOut};
  std::vector<TensorView> tensors = {TensorView("w", DType::F32, wDims, w.data()),
                                     TensorView("b", DType::F32, bDims, b.data())};
  Result<Params> params = Params::bind(module, tensors);
  EXPECT_TRUE(params) << params.message();
  Result<Session> session = Session::create(module, *params);
  EXPECT_TRUE(session) << session.message();
  std::vector<float> x = makeValues(rows * kIn, 3), y(rows * kOut);
  std::vector<int64_t> xDims = {rows, kIn}, yDims = {rows, kOut};
  Status status = session->call({TensorView("x", DType::F32, xDims, x.data())},
                                {TensorView("y", DType::F32, yDims, y.data())});
  EXPECT_TRUE(status) << status.message();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < kOut; ++j) {
      double sum = b[j];
      for (int64_t k = 0; k < kIn; ++k)
        sum += double(x[i * kIn + k]) * w[k * kOut + j];
      EXPECT_NEAR(y[i * kOut + j], std::max(sum, 0.0), 2e-5);
    }
  return y;
}

TEST(Compile, InProcessIsTheSharedModule) {
  Graph graph = makeLinear();
  Result<Module> inProcess = compileInProcess(graph);
  ASSERT_TRUE(inProcess) << inProcess.message();
  Result<std::vector<uint8_t>> file = compile(graph);
  ASSERT_TRUE(file) << file.message();
  Result<Module> shared = Module::loadMemory(*file);
  ASSERT_TRUE(shared) << shared.message();
  for (int64_t rows : {1, 5, 64, 131})
    EXPECT_EQ(run(*inProcess, rows), run(*shared, rows));
}

TEST(Compile, SwitchesChangeTheCodeAndNotTheResult) {
  Graph graph = makeLinear();
  for (const SwitchablePass &pass : switchablePasses()) {
    CompileOptions options;
    options.disable = {std::string(pass.name)};
    Result<Module> module = compileInProcess(graph, options);
    ASSERT_TRUE(module) << module.message();
    run(*module, 9);
  }
}

TEST(Compile, IsDeterministic) {
  Graph graph = makeLinear();
  Result<std::vector<uint8_t>> first = compile(graph), second = compile(graph);
  ASSERT_TRUE(first) << first.message();
  ASSERT_TRUE(second) << second.message();
  EXPECT_EQ(*first, *second);
}

TEST(Compile, ReportsPhases) {
  CompileOptions options;
  options.emit = EmitKind::Obj;
  std::vector<std::string> phases;
  Result<std::vector<uint8_t>> object =
      compile(makeLinear(), options, [&](std::string_view phase) { phases.emplace_back(phase); });
  ASSERT_TRUE(object) << object.message();
  EXPECT_EQ(phases, (std::vector<std::string>{"input", "graph", "linalg", "codegen", "llvm",
                                              "optimize", "emit"}));
}

TEST(Compile, RefusesAnIncompleteGraph) {
  Graph graph("unfinished");
  graph.input("x", {DType::F32, {4}});
  EXPECT_FALSE(compile(graph));
}

} // namespace
