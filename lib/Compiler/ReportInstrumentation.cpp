//===- ReportInstrumentation.cpp - fills in a report ----------------------===//
//
// Passes are watched from outside: the ops of each kind are counted before and after,
// and remarks belong to the pass that began last.
//
//===----------------------------------------------------------------------===//

#include "ReportInstrumentation.h"

#include "rlx/Codegen/Signature.h"
#include "rlx/Compiler/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;
using namespace rlx;

//===----------------------------------------------------------------------===//
// Reading the IR
//===----------------------------------------------------------------------===//

using OpCounts = std::map<std::string, int64_t>;

/// Counts the ops that passes fuse and make, by kind.
static OpCounts countOps(Operation *root) {
  OpCounts counts;
  root->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool isOfInterest = name.starts_with("rlx.") || name.starts_with("linalg.");
    if ((isOfInterest && !op->hasTrait<OpTrait::IsTerminator>()) || name == "scf.forall")
      ++counts[name.str()];
  });
  return counts;
}

/// Where the user finds it: a node of the graph, or a line of a file.
static std::string formatPlace(Location location) {
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ':' << file.getLine() << ':' << file.getColumn();
  return text.empty() ? "graph" : text;
}

static std::optional<uint64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getZExtValue();
  return std::nullopt;
}

/// Bytes of all params of a signature.
static uint64_t countParamBytes(const ModuleSignature &signature) {
  uint64_t total = 0;
  for (const TensorSignature &param : signature.params) {
    uint64_t bytes = llvm::divideCeil(param.elementType.getIntOrFloatBitWidth(), 8);
    for (int64_t dim : param.dims)
      bytes *= dim;
    total += bytes;
  }
  return total;
}

/// Reads the regions of a module and their costs, where these are known.
static std::vector<CompileReport::Region> readRegions(ModuleOp module) {
  std::vector<CompileReport::Region> regions;
  auto table = module->getAttrOfType<ArrayAttr>(hostabi::kRegions);
  auto costs = module.lookupSymbol<func::FuncOp>(hostabi::kCosts);
  if (!table || !costs)
    return regions;
  Operation *results = costs.getBody().front().getTerminator();
  for (auto [index, region] : llvm::enumerate(table.getAsRange<DictionaryAttr>()))
    regions.push_back({region.getAs<StringAttr>(hostabi::kRegionName).str(),
                       region.getAs<BoolAttr>(hostabi::kRegionParallel).getValue(),
                       getConstant(results->getOperand(2 * index)),
                       getConstant(results->getOperand(2 * index + 1))});
  return regions;
}

static CompileReport::Memory readMemory(ModuleOp module, const ModuleSignature &signature) {
  CompileReport::Memory memory;
  memory.params = countParamBytes(signature);
  if (auto packed = module->getAttrOfType<IntegerAttr>(hostabi::kPackedSize))
    memory.packedParams = packed.getInt();
  if (auto plan = module->getAttrOfType<DictionaryAttr>(hostabi::kWorkspacePlan)) {
    memory.workspace = plan.getAs<IntegerAttr>(hostabi::kPlanBytes).getInt();
    memory.liveBytes = plan.getAs<IntegerAttr>(hostabi::kPlanLowerBound).getInt();
  }
  return memory;
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

/// What instrumentation and diagnostics share.
class ReportRecorder::State {
public:
  explicit State(CompileReport &report) : report(report) {
    for (const SwitchablePass &pass : switchablePasses())
      summaries[llvm::StringRef(pass.name)] = pass.summary;
  }

  void runBefore(Pass *pass, Operation *op) {
    std::lock_guard lock(mutex);
    if (!summaries.contains(pass->getArgument()))
      return;
    current = pass->getArgument().str();
    before[{pass, op}] = countOps(op);
  }

  void runAfter(Pass *pass, Operation *op) {
    std::lock_guard lock(mutex);
    if (pass->getArgument() == "rlx-plan-memory")
      readModule(cast<ModuleOp>(op));
    auto counts = before.find({pass, op});
    if (counts == before.end())
      return;
    CompileReport::Pass &entry = findEntry(pass->getArgument());
    for (const auto &[name, count] : countOps(op))
      entry.changes[name] += count;
    for (const auto &[name, count] : counts->second)
      entry.changes[name] -= count;
    std::erase_if(entry.changes, [](const auto &change) { return change.second == 0; });
    before.erase(counts);
  }

  void addRemark(Diagnostic &diagnostic) {
    std::lock_guard lock(mutex);
    CompileReport::Declined declined{current, formatPlace(diagnostic.getLocation()),
                                     diagnostic.str()};
    auto isSame = [&](const CompileReport::Declined &other) {
      return other.place == declined.place && other.reason == declined.reason;
    };
    if (!current.empty() && llvm::none_of(report.declined, isSame))
      report.declined.push_back(std::move(declined));
  }

private:
  CompileReport::Pass &findEntry(StringRef name) {
    for (CompileReport::Pass &pass : report.passes)
      if (pass.name == name)
        return pass;
    report.passes.push_back({name.str(), std::string(summaries[name]), {}});
    return report.passes.back();
  }

  void readModule(ModuleOp module) {
    FailureOr<ModuleSignature> signature = ModuleSignature::get(module);
    if (failed(signature))
      return;
    report.regions = readRegions(module);
    report.memory = readMemory(module, *signature);
  }

  CompileReport &report;
  std::mutex mutex;
  llvm::StringMap<std::string_view> summaries; ///< of the passes to tell of
  std::string current;                         ///< the one that began last
  llvm::DenseMap<std::pair<Pass *, Operation *>, OpCounts> before;
};

namespace {

/// Calls a recorder's state, for as long as the pass manager lives.
template <typename State> class Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(std::shared_ptr<State> state) : state(std::move(state)) {}
  void runBeforePass(Pass *pass, Operation *op) override { state->runBefore(pass, op); }
  void runAfterPass(Pass *pass, Operation *op) override { state->runAfter(pass, op); }

private:
  std::shared_ptr<State> state;
};

} // namespace

ReportRecorder::ReportRecorder(CompileReport &report, MLIRContext *context)
    : state(std::make_shared<State>(report)),
      handler(context, [state = state](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          state->addRemark(diagnostic);
        return failure(); // others may want it too
      }) {}

ReportRecorder::~ReportRecorder() = default;

void ReportRecorder::follow(PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Instrumentation<State>>(state));
}
