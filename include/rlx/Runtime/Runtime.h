//===- Runtime.h - load compiled modules, bind params, run ------*- C++ -*-===//
//
// A thin C++ face of runtime.h, which says what each call means. Everything here
// is inline and goes through the C interface, so a program built with another
// compiler or standard library can use it with the shared runtime.
//
//   Result<Module> module = Module::load("decoder.so");
//   Result<Params> params = Params::bindFile(*module, "decoder.safetensors");
//   Result<Session> session = Session::create(*module, *params);
//   Status status = session->call({tokens, image, positions}, {queries, keys});
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_RUNTIME_CPP_H
#define RLX_RUNTIME_RUNTIME_CPP_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/Tensor.h"
#include "rlx/Runtime/runtime.h"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rlx {

namespace detail {

/// Takes an error of the C interface; null is success.
inline Status takeError(rlx_error *error) {
  if (!error)
    return {};
  Status status(static_cast<ErrorCode>(rlx_error_get_code(error)), rlx_error_message(error));
  rlx_error_free(error);
  return status;
}

/// A counted reference to an object of the C interface.
template <typename T, T *(*Retain)(T *), void (*Release)(T *)> class Ref {
public:
  Ref() = default;
  explicit Ref(T *object) : object(object) {}
  Ref(const Ref &other) : object(other.object ? Retain(other.object) : nullptr) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Release(object); }
  T *get() const { return object; }

private:
  T *object = nullptr;
};

} // namespace detail

/// Compiled code, checked and loaded. Copies share it; any thread may use it.
class Module {
public:
  /// Loads the file of a shared module.
  static Result<Module> load(const std::string &path) {
    rlx_module *module = nullptr;
    return make(rlx_module_load(path.c_str(), &module), module);
  }

  /// Loads a shared module from its bytes, which are not needed afterwards.
  static Result<Module> loadMemory(std::span<const uint8_t> bytes) {
    rlx_module *module = nullptr;
    return make(rlx_module_load_memory(bytes.data(), bytes.size(), &module), module);
  }

  /// Takes a module that is part of the program. `keepAlive` is what its code
  /// and data live in, if that is not the program itself.
  static Result<Module> fromQuery(rlx_module_query_fn query,
                                  std::shared_ptr<const void> keepAlive = nullptr) {
    rlx_module *module = nullptr;
    using Holder = std::shared_ptr<const void>;
    auto release = [](void *context) { delete static_cast<Holder *>(context); };
    rlx_error *error =
        rlx_module_from_query(query, release, new Holder(std::move(keepAlive)), &module);
    return make(error, module);
  }

  /// Chooses the GPU of a module for device cuda, before params are bound.
  Status setDevice(uint32_t ordinal) {
    return detail::takeError(rlx_module_set_device(ref.get(), ordinal));
  }

  /// Names, types, dynamic dims and needs.
  const rlx_module_info &info() const { return *rlx_module_describe(ref.get()); }
  std::span<const rlx_tensor_info> inputs() const { return {info().inputs, info().num_inputs}; }
  std::span<const rlx_tensor_info> params() const { return {info().params, info().num_params}; }
  std::span<const rlx_tensor_info> outputs() const { return {info().outputs, info().num_outputs}; }

  std::span<const rlx_region_info> regions() const { return {info().regions, info().num_regions}; }

  /// The object of the C interface, still owned by this one.
  rlx_module *get() const { return ref.get(); }

private:
  explicit Module(rlx_module *module) : ref(module) {}
  static Result<Module> make(rlx_error *error, rlx_module *module) {
    if (error)
      return detail::takeError(error);
    return Module(module);
  }

  detail::Ref<rlx_module, rlx_module_retain, rlx_module_release> ref;
};

/// Whose memory the params live in.
enum class Storage : int { Copy = RLX_COPY, Borrow = RLX_BORROW };

/// The weights of a module. Copies of this object share them.
class Params {
public:
  /// No params, for a module that has none.
  Params() = default;

  /// Binds tensors by name.
  static Result<Params> bind(const Module &module, std::span<const TensorView> tensors,
                             Storage storage = Storage::Copy) {
    rlx_params *params = nullptr;
    return make(rlx_params_bind(module.get(), tensors.data(), tensors.size(),
                                static_cast<rlx_storage>(storage), &params),
                params);
  }

  /// Binds the tensors of a safetensors file.
  static Result<Params> bindFile(const Module &module, const std::string &path) {
    rlx_params *params = nullptr;
    return make(rlx_params_bind_file(module.get(), path.c_str(), &params), params);
  }

  /// Replaces the given params, keeps the others, and precomputes again.
  Status rebind(std::span<const TensorView> tensors = {}) {
    return detail::takeError(rlx_params_rebind(ref.get(), tensors.data(), tensors.size()));
  }

  /// The object of the C interface, still owned by this one.
  rlx_params *get() const { return ref.get(); }

private:
  explicit Params(rlx_params *params) : ref(params) {}
  static Result<Params> make(rlx_error *error, rlx_params *params) {
    if (error)
      return detail::takeError(error);
    return Params(params);
  }

  detail::Ref<rlx_params, rlx_params_retain, rlx_params_release> ref;
};

/// One run at a time of a module with params, in a workspace of its own.
class Session {
public:
  static Result<Session> create(const Module &module, const Params &params = {}) {
    rlx_session *session = nullptr;
    if (rlx_error *error = rlx_session_create(module.get(), params.get(), &session))
      return detail::takeError(error);
    return Session(session);
  }

  /// At most so many threads; 0 for the whole pool, 1 for the calling thread.
  Status setThreads(uint32_t threads) {
    return detail::takeError(rlx_session_set_threads(session.get(), threads));
  }

  /// Runs parallel work through the caller's threads; null for the pool.
  Status setParallelFor(rlx_parallel_for_fn parallelFor, void *context) {
    return detail::takeError(rlx_session_set_parallel_for(session.get(), parallelFor, context));
  }

  /// Lets `trace` follow the regions of runs; null ends that.
  Status setTrace(rlx_trace_fn trace, void *context) {
    return detail::takeError(rlx_session_set_trace(session.get(), trace, context));
  }

  /// Runs once on the given inputs; outputs not given go to the session.
  Status call(std::span<const TensorView> inputs, std::span<const TensorView> outputs = {}) {
    return detail::takeError(rlx_session_call(session.get(), inputs.data(), inputs.size(),
                                              outputs.data(), outputs.size()));
  }

  Status call(std::initializer_list<TensorView> inputs,
              std::initializer_list<TensorView> outputs = {}) {
    return call(std::span(inputs.begin(), inputs.size()),
                std::span(outputs.begin(), outputs.size()));
  }

  Status setInput(const TensorView &input) {
    return detail::takeError(rlx_session_set_input(session.get(), &input));
  }
  Status setOutput(const TensorView &output) {
    return detail::takeError(rlx_session_set_output(session.get(), &output));
  }

  /// Checks shapes, computes those of the outputs, and allocates.
  Status prepare() { return detail::takeError(rlx_session_prepare(session.get())); }

  /// Runs on the inputs and outputs that are set.
  Status run() { return detail::takeError(rlx_session_run(session.get())); }

  /// An output's shape after a prepare, and its values after a run.
  Result<TensorView> output(const char *name) {
    TensorView view;
    if (rlx_error *error = rlx_session_get_output(session.get(), name, &view))
      return detail::takeError(error);
    return view;
  }

  /// What each region of `module`, the session's, costs after a prepare or a run.
  Result<std::vector<rlx_region_cost>> costs(const Module &module) const {
    std::vector<rlx_region_cost> costs(module.regions().size());
    if (costs.empty())
      return costs;
    if (rlx_error *error = rlx_session_get_costs(session.get(), costs.data()))
      return detail::takeError(error);
    return costs;
  }

  /// The object of the C interface, still owned by this one.
  rlx_session *get() const { return session.get(); }

private:
  struct Destroy {
    void operator()(rlx_session *session) const { rlx_session_destroy(session); }
  };
  explicit Session(rlx_session *session) : session(session) {}
  std::unique_ptr<rlx_session, Destroy> session;
};

} // namespace rlx

#endif // RLX_RUNTIME_RUNTIME_CPP_H
