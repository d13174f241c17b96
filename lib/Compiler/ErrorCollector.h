//===- ErrorCollector.h - diagnostics as a status --------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_COMPILER_ERRORCOLLECTOR_H
#define RLX_LIB_COMPILER_ERRORCOLLECTOR_H

#include "rlx/Runtime/Status.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace rlx {

/// Collects the errors of a context's diagnostics; the rest goes on to whoever
/// else listens.
class ErrorCollector {
public:
  explicit ErrorCollector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::failure();
          add(diagnostic);
          return mlir::success();
        }) {}

  /// The errors so far, or that `what` failed if there are none.
  Status status(llvm::StringRef what) const {
    if (text.empty())
      return {ErrorCode::Internal, ("internal error: " + what + " failed").str()};
    bool internal = llvm::StringRef(text).contains("internal error");
    return {internal ? ErrorCode::Internal : ErrorCode::InvalidArgument, text};
  }

private:
  /// Where the user finds it: a line of a file, or a node of a graph.
  static void printPlace(mlir::Location location, llvm::raw_ostream &stream) {
    if (auto file = location->findInstanceOf<mlir::FileLineColLoc>()) {
      stream << file.getFilename().getValue() << ':';
      if (file.getLine() != 0) // a module without braces has no line
        stream << file.getLine() << ':' << file.getColumn() << ':';
      stream << ' ';
    } else if (auto name = location->findInstanceOf<mlir::NameLoc>()) {
      stream << "node '" << name.getName().getValue() << "': ";
    }
  }

  void add(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(text);
    if (!text.empty())
      stream << '\n';
    printPlace(diagnostic.getLocation(), stream);
    stream << diagnostic.str();
  }

  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace rlx

#endif // RLX_LIB_COMPILER_ERRORCOLLECTOR_H
