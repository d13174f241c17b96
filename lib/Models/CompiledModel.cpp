//===- CompiledModel.cpp - What compiled models have in common ------------===//

#include "rlx/Models/CompiledModel.h"

#include <utility>

namespace rlx::models {

Result<CompileOptions> CompiledModel::presetFor(std::string_view preset, std::string_view device) {
  Result<CompileOptions> options = CompileOptions::preset(preset);
  if (options)
    options->device = device;
  return options;
}

Status CompiledModel::bindParams(const std::string &path) {
  Result<Params> params = Params::bindFile(compiled, path);
  return params ? bindParams(*params) : params.status();
}

Status CompiledModel::bindParams(std::span<const TensorView> tensors) {
  Result<Params> params = Params::bind(compiled, tensors);
  return params ? bindParams(*params) : params.status();
}

Status CompiledModel::bindParams(const Params &params) {
  Result<Session> created = Session::create(compiled, params);
  if (!created)
    return created.status();
  if (Status status = created->setThreads(threads); !status)
    return status;
  session.emplace(std::move(*created));
  return {};
}

Status CompiledModel::setThreads(uint32_t count) {
  threads = count;
  return session ? session->setThreads(count) : Status();
}

Status CompiledModel::call(std::span<const TensorView> inputs) {
  if (!session)
    return {ErrorCode::InvalidArgument, "run: expected params to be bound, found none"};
  return session->call(inputs);
}

Result<std::span<const float>> CompiledModel::output(const char *name) {
  Result<TensorView> view = session->output(name);
  if (!view)
    return view.status();
  return std::span<const float>(view->values<float>());
}

} // namespace rlx::models
