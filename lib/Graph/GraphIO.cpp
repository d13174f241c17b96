//===- GraphIO.cpp - Reads and writes graphs, and opens them to MLIR ------===//

#include "GraphBuilder.h"
#include "rlx/Graph/GraphModule.h"
#include "rlx/Runtime/TensorFile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// The IR behind a graph
//===----------------------------------------------------------------------===//

Result<ModuleOp> GraphModule::get(const Graph &graph) {
  const GraphBuilder &builder = *graph.builder;
  if (!builder.status)
    return builder.status;
  if (!builder.complete)
    return Status(ErrorCode::InvalidArgument,
                  "graph '" + graph.name() + "': expected outputs to be set");
  return *builder.module;
}

std::shared_ptr<MLIRContext> GraphModule::context(const Graph &graph) {
  return graph.builder->context;
}

Result<ir::GraphOp> GraphModule::find(ModuleOp module) {
  auto graphs = module.getOps<ir::GraphOp>();
  size_t count = std::distance(graphs.begin(), graphs.end());
  if (count != 1)
    return Status(ErrorCode::InvalidArgument,
                  "expected one rlx.graph, found " + std::to_string(count));
  return *graphs.begin();
}

Result<Graph> GraphModule::adopt(std::shared_ptr<MLIRContext> context,
                                 OwningOpRef<ModuleOp> module) {
  {
    DiagnosticCollector errors(context.get(), DiagnosticCollector::Places::Print);
    if (failed(verify(*module)))
      return Status(ErrorCode::InvalidArgument, errors.text());
  }
  Result<ir::GraphOp> graph = find(*module);
  if (!graph)
    return graph.status();
  return Graph(std::make_unique<GraphBuilder>(std::move(context), std::move(module), *graph));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Result<OwningOpRef<ModuleOp>> parseModule(MLIRContext *context,
                                                 std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string source = buffer->getBufferIdentifier().str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  DiagnosticCollector errors(context, DiagnosticCollector::Places::Print);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module)
    return Status(ErrorCode::Format,
                  errors.text().empty() ? source + ": not a graph" : errors.text());
  return module;
}

static Result<Graph> readGraph(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string source = buffer->getBufferIdentifier().str();
  std::shared_ptr<MLIRContext> context = makeGraphContext();
  Result<OwningOpRef<ModuleOp>> module = parseModule(context.get(), std::move(buffer));
  if (!module)
    return module.status();
  Result<Graph> graph = GraphModule::adopt(std::move(context), std::move(*module));
  if (!graph)
    return graph.status().withContext(source);
  return graph;
}

Result<Graph> Graph::parse(std::string_view text, std::string_view source) {
  return readGraph(llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}, source));
}

Result<Graph> Graph::load(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Status(ErrorCode::Io, path + ": " + buffer.getError().message());
  return readGraph(std::move(*buffer));
}

Result<std::string> Graph::print() const {
  Result<ModuleOp> module = GraphModule::get(*this);
  if (!module)
    return module.status();
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}

Status Graph::save(const std::string &path) const {
  Result<ModuleOp> module = GraphModule::get(*this);
  if (!module)
    return module.status();
  std::string contents;
  llvm::raw_string_ostream os(contents);
  if (StringRef(path).ends_with(".mlirbc")) {
    if (failed(writeBytecodeToFile(*module, os)))
      return Status(ErrorCode::Internal, path + ": the graph could not be written as bytecode");
  } else if (StringRef(path).ends_with(".mlir")) {
    module->print(os);
    os << '\n';
  } else {
    return Status(ErrorCode::InvalidArgument, path + ": expected a name in .mlir or .mlirbc");
  }
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(contents.data()),
                                 contents.size());
  return writeFileAtomically(path, std::span(&bytes, 1));
}

} // namespace rlx
