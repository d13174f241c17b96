// Builds a small graph, compiles it for this machine, and runs it.

#include "rlx/Compiler/Compiler.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Runtime.h"

#include <cstdio>

using namespace rlx;

/// softmax(relu(x @ w + b)), compiled and run on three rows.
static Status quickstart() {
  Graph graph("classifier");
  Value x = graph.input("x", {DType::F32, {"batch", 4}});
  Value w = graph.param("w", {DType::F32, {4, 2}});
  Value b = graph.param("b", {DType::F32, {2}});
  Value hidden = graph.fusedMatmulBiasAct(x, w, b, ActivationKind::Relu);
  if (Status status = graph.setOutputs({{"y", graph.softmax(hidden, -1)}}); !status)
    return status;

  Result<Module> module = compileInProcess(graph);
  if (!module)
    return module.status();
  Tensor weights("w", {4, 2}, std::span<const float>({1, 0, 0, 1, 1, 1, 0, 0}));
  Tensor bias("b", {2}, std::span<const float>({0, 1}));
  Result<Params> params = Params::bind(*module, {{weights, bias}});
  if (!params)
    return params.status();
  Result<Session> session = Session::create(*module, *params);
  if (!session)
    return session.status();

  Tensor input("x", {3, 4}, std::span<const float>({1, 2, 3, 4, 0, 0, 0, 0, -1, 1, -1, 1}));
  if (Status status = session->call({input}); !status)
    return status;
  Result<TensorView> y = session->output("y");
  if (!y)
    return y.status();
  for (float value : y->values<float>())
    std::printf("%.4f\n", value);
  return {};
}

int main() {
  Status status = quickstart();
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status ? 0 : 1;
}
