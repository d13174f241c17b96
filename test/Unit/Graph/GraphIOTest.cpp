//===- GraphIOTest.cpp - Graphs in files and in memory --------------------===//

#include "rlx/Graph/Graph.h"
#include "rlx/Graph/GraphModule.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace rlx {
namespace {

const char *const linearText = R"mlir(
rlx.graph @linear(%x: tensor<?x4xf32> {rlx.name = "x", rlx.dims = ["batch", ""]})
    -> (tensor<?x2xf32> {rlx.name = "y"}) {
  %w = rlx.param "w" : tensor<4x2xf32>
  %y = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  rlx.output %y : tensor<?x2xf32>
}
)mlir";

/// A test with a folder of its own.
class GraphIOTest : public testing::Test {
protected:
  GraphIOTest()
      : folder(std::filesystem::temp_directory_path() /
               ("rlx-graph-io-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~GraphIOTest() override { std::filesystem::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }
  void write(const char *name, const std::string &contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
  }

  std::filesystem::path folder;
};

void expectLinear(const Result<Graph> &graph) {
  ASSERT_TRUE(graph) << graph.message();
  EXPECT_TRUE(graph->isComplete());
  EXPECT_EQ(graph->name(), "linear");
  ASSERT_EQ(graph->inputs().size(), 1u);
  EXPECT_EQ(graph->inputs()[0], (TensorSpec{"x", {DType::F32, {"batch", 4}}}));
  ASSERT_EQ(graph->params().size(), 1u);
  EXPECT_EQ(graph->params()[0], (TensorSpec{"w", {DType::F32, {4, 2}}}));
  ASSERT_EQ(graph->outputs().size(), 1u);
  EXPECT_EQ(graph->outputs()[0], (TensorSpec{"y", {DType::F32, {Dim::dynamic(), 2}}}));
}

TEST_F(GraphIOTest, ParsesText) { expectLinear(Graph::parse(linearText)); }

TEST_F(GraphIOTest, SavesAndLoadsBothFormats) {
  Result<Graph> graph = Graph::parse(linearText);
  ASSERT_TRUE(graph);
  for (const char *name : {"linear.mlir", "linear.mlirbc"}) {
    Status status = graph->save(path(name));
    ASSERT_TRUE(status) << status.message();
    expectLinear(Graph::load(path(name)));
  }
}

TEST_F(GraphIOTest, PrintedTextParses) {
  Result<Graph> graph = Graph::parse(linearText);
  ASSERT_TRUE(graph);
  expectLinear(Graph::parse(*graph->print()));
}

TEST_F(GraphIOTest, SyntaxErrorHasItsPlace) {
  Result<Graph> graph = Graph::parse("rlx.graph @f() {\n  nonsense\n}", "bad.mlir");
  EXPECT_EQ(graph.status().code(), ErrorCode::Format);
  EXPECT_TRUE(graph.message().starts_with("bad.mlir:")) << graph.message();
}

TEST_F(GraphIOTest, TypeErrorHasItsPlace) {
  std::string text = linearText;
  size_t at = text.find("\"w\" : tensor<4x2xf32>");
  text.replace(at, 21, "\"w\" : tensor<5x2xf32>");
  Result<Graph> graph = Graph::parse(text, "bad.mlir");
  EXPECT_FALSE(graph);
  EXPECT_TRUE(graph.message().starts_with("bad.mlir:5:")) << graph.message();
}

TEST_F(GraphIOTest, ExpectsOneGraph) {
  Result<Graph> none = Graph::parse("", "empty.mlir");
  EXPECT_EQ(none.message(), "empty.mlir: expected one rlx.graph, found 0");
  std::string second = linearText;
  second.replace(second.find("@linear"), 7, "@other");
  Result<Graph> two = Graph::parse(linearText + second, "two.mlir");
  EXPECT_EQ(two.message(), "two.mlir: expected one rlx.graph, found 2");
}

TEST_F(GraphIOTest, OtherDialectsAreRefused) {
  Result<Graph> graph = Graph::parse("\"no.such\"() : () -> ()", "other.mlir");
  EXPECT_EQ(graph.status().code(), ErrorCode::Format);
  EXPECT_TRUE(graph.message().starts_with("other.mlir:1:")) << graph.message();
}

TEST_F(GraphIOTest, MissingFile) {
  Result<Graph> graph = Graph::load(path("absent.mlir"));
  EXPECT_EQ(graph.status().code(), ErrorCode::Io);
  EXPECT_EQ(graph.message(), path("absent.mlir") + ": No such file or directory");
}

TEST_F(GraphIOTest, TruncatedBytecode) {
  Result<Graph> graph = Graph::parse(linearText);
  ASSERT_TRUE(graph);
  ASSERT_TRUE(graph->save(path("linear.mlirbc")));
  std::ifstream file(path("linear.mlirbc"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (size_t length : {size_t{4}, size_t{9}, bytes.size() / 2, bytes.size() - 1}) {
    write("cut.mlirbc", bytes.substr(0, length));
    Result<Graph> cut = Graph::load(path("cut.mlirbc"));
    EXPECT_FALSE(cut) << length;
    EXPECT_FALSE(cut.message().empty());
  }
}

TEST_F(GraphIOTest, SaveNeedsAKnownSuffix) {
  Result<Graph> graph = Graph::parse(linearText);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->save(path("linear.txt")).message(),
            path("linear.txt") + ": expected a name in .mlir or .mlirbc");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(GraphIOTest, AnIncompleteGraphIsNotWritten) {
  Graph graph("open");
  graph.input("x", {DType::F32, {2}});
  EXPECT_EQ(graph.save(path("open.mlir")).message(), "graph 'open': expected outputs to be set");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(GraphIOTest, AdoptChecksTheModule) {
  Result<Graph> graph = Graph::parse(linearText);
  ASSERT_TRUE(graph);
  Result<mlir::ModuleOp> module = GraphModule::get(*graph);
  ASSERT_TRUE(module);
  std::shared_ptr<mlir::MLIRContext> context = GraphModule::context(*graph);
  expectLinear(GraphModule::adopt(context, mlir::OwningOpRef<mlir::ModuleOp>(module->clone())));

  mlir::OwningOpRef<mlir::ModuleOp> broken(module->clone());
  broken->walk([](ir::ParamOp op) { op.setName(""); });
  EXPECT_FALSE(GraphModule::adopt(context, std::move(broken)));
}

} // namespace
} // namespace rlx
