//===- CApi.cpp - the C interface over the objects ------------------------===//
//
// Checks pointers, turns a Status into an error object, and lets no exception
// out. The objects do the rest.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "ThreadPool.h"
#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/TensorFile.h"
#include "rlx/Runtime/runtime.h"

#include <exception>
#include <new>
#include <string>

using namespace rlx;

struct rlx_error {
  int code;
  std::string message;
};

static_assert(int(ErrorCode::InvalidArgument) == RLX_ERROR_INVALID_ARGUMENT &&
              int(ErrorCode::Io) == RLX_ERROR_IO && int(ErrorCode::Format) == RLX_ERROR_FORMAT &&
              int(ErrorCode::Incompatible) == RLX_ERROR_INCOMPATIBLE &&
              int(ErrorCode::Unsupported) == RLX_ERROR_UNSUPPORTED &&
              int(ErrorCode::Mismatch) == RLX_ERROR_MISMATCH &&
              int(ErrorCode::Busy) == RLX_ERROR_BUSY &&
              int(ErrorCode::OutOfMemory) == RLX_ERROR_OUT_OF_MEMORY &&
              int(ErrorCode::Failed) == RLX_ERROR_FAILED &&
              int(ErrorCode::Internal) == RLX_ERROR_INTERNAL);

/// The one error that must not need memory. Freeing it does nothing.
static rlx_error *outOfMemory() {
  static rlx_error error{RLX_ERROR_OUT_OF_MEMORY, "out of memory"};
  return &error;
}

/// Calls `function`, which returns a Status.
template <typename Function> static rlx_error *guarded(Function function) {
  try {
    Status status = function();
    if (status.ok())
      return nullptr;
    return new rlx_error{static_cast<int>(status.code()), status.message()};
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &exception) {
    return new (std::nothrow) rlx_error{RLX_ERROR_INTERNAL, exception.what()};
  }
}

static Status nullArgument(const char *name) {
  return {ErrorCode::InvalidArgument, std::string("argument '") + name + "' is null"};
}

/// Moves a result into an out parameter.
template <typename T> static Status assign(Result<T *> result, T **out) {
  if (!result)
    return result.status();
  *out = *result;
  return {};
}

int rlx_error_get_code(const rlx_error *error) { return error ? error->code : 0; }

const char *rlx_error_message(const rlx_error *error) {
  return error ? error->message.c_str() : "";
}

void rlx_error_free(rlx_error *error) {
  if (error != outOfMemory())
    delete error;
}

size_t rlx_dtype_size(uint32_t dtype) {
  return isValidDType(dtype) ? sizeOf(static_cast<DType>(dtype)) : 0;
}

const char *rlx_dtype_name(uint32_t dtype) {
  return isValidDType(dtype) ? nameOf(static_cast<DType>(dtype)).data() : "invalid";
}

rlx_error *rlx_module_load(const char *path, rlx_module **module) {
  return guarded([&]() -> Status {
    if (!path || !module)
      return nullArgument(path ? "module" : "path");
    *module = nullptr;
    Result<std::vector<uint8_t>> file = runtime::readFile(path);
    if (!file)
      return file.status();
    return assign(rlx_module::load(*file), module).withContext(path);
  });
}

rlx_error *rlx_module_load_memory(const void *bytes, size_t size, rlx_module **module) {
  return guarded([&]() -> Status {
    if (!bytes || !module)
      return nullArgument(bytes ? "module" : "bytes");
    *module = nullptr;
    return assign(rlx_module::load({static_cast<const uint8_t *>(bytes), size}), module);
  });
}

rlx_error *rlx_module_from_query(rlx_module_query_fn query, void (*release)(void *context),
                                 void *context, rlx_module **module) {
  return guarded([&]() -> Status {
    if (!query || !module) {
      if (release)
        release(context);
      return nullArgument(query ? "module" : "query");
    }
    *module = nullptr;
    return assign(rlx_module::fromQuery(query, release, context), module);
  });
}

rlx_module *rlx_module_retain(rlx_module *module) {
  module->refs.retain();
  return module;
}

void rlx_module_release(rlx_module *module) {
  if (module && module->refs.release())
    delete module;
}

rlx_error *rlx_module_set_device(rlx_module *module, uint32_t ordinal) {
  return guarded([&]() -> Status {
    if (!module)
      return nullArgument("module");
    return module->setDevice(ordinal);
  });
}

const rlx_module_info *rlx_module_describe(const rlx_module *module) { return module->info; }

rlx_error *rlx_params_bind(rlx_module *module, const rlx_tensor *tensors, size_t count,
                           rlx_storage storage, rlx_params **params) {
  return guarded([&]() -> Status {
    if (!module || !params || (count > 0 && !tensors))
      return nullArgument(!module ? "module" : !params ? "params" : "tensors");
    *params = nullptr;
    if (storage != RLX_COPY && storage != RLX_BORROW)
      return {ErrorCode::InvalidArgument, "argument 'storage' is neither RLX_COPY nor RLX_BORROW"};
    return assign(rlx_params::bind(module, {tensors, count}, storage), params);
  });
}

rlx_error *rlx_params_bind_file(rlx_module *module, const char *path, rlx_params **params) {
  return guarded([&]() -> Status {
    if (!module || !path || !params)
      return nullArgument(!module ? "module" : !path ? "path" : "params");
    *params = nullptr;
    Result<TensorFile> file = TensorFile::open(path);
    if (!file)
      return file.status();
    // Copied, so that the file may change once it is bound.
    return assign(rlx_params::bind(module, asTensors(file->tensors()), RLX_COPY), params)
        .withContext(path);
  });
}

rlx_error *rlx_params_rebind(rlx_params *params, const rlx_tensor *tensors, size_t count) {
  return guarded([&]() -> Status {
    if (!params || (count > 0 && !tensors))
      return nullArgument(params ? "tensors" : "params");
    return params->rebind({tensors, count});
  });
}

rlx_params *rlx_params_retain(rlx_params *params) {
  params->refs.retain();
  return params;
}

void rlx_params_release(rlx_params *params) {
  if (params && params->refs.release())
    delete params;
}

rlx_error *rlx_session_create(rlx_module *module, rlx_params *params, rlx_session **session) {
  return guarded([&]() -> Status {
    if (!module || !session)
      return nullArgument(module ? "session" : "module");
    *session = nullptr;
    return assign(rlx_session::create(module, params), session);
  });
}

void rlx_session_destroy(rlx_session *session) { delete session; }

rlx_error *rlx_session_set_threads(rlx_session *session, uint32_t threads) {
  return guarded([&] { return session ? session->setThreads(threads) : nullArgument("session"); });
}

rlx_error *rlx_session_set_parallel_for(rlx_session *session, rlx_parallel_for_fn parallel_for,
                                        void *context) {
  return guarded([&] {
    return session ? session->setParallelFor(parallel_for, context) : nullArgument("session");
  });
}

rlx_error *rlx_session_set_trace(rlx_session *session, rlx_trace_fn trace, void *context) {
  return guarded(
      [&] { return session ? session->setTrace(trace, context) : nullArgument("session"); });
}

rlx_error *rlx_session_call(rlx_session *session, const rlx_tensor *inputs, size_t num_inputs,
                            const rlx_tensor *outputs, size_t num_outputs) {
  return guarded([&]() -> Status {
    if (!session || (num_inputs > 0 && !inputs) || (num_outputs > 0 && !outputs))
      return nullArgument(!session ? "session" : num_inputs > 0 && !inputs ? "inputs" : "outputs");
    return session->call({inputs, num_inputs}, {outputs, num_outputs});
  });
}

rlx_error *rlx_session_set_input(rlx_session *session, const rlx_tensor *input) {
  return guarded([&]() -> Status {
    if (!session || !input || !input->name)
      return nullArgument(!session ? "session" : !input ? "input" : "input->name");
    return session->setInput(*input);
  });
}

rlx_error *rlx_session_set_output(rlx_session *session, const rlx_tensor *output) {
  return guarded([&]() -> Status {
    if (!session || !output || !output->name)
      return nullArgument(!session ? "session" : !output ? "output" : "output->name");
    return session->setOutput(*output);
  });
}

rlx_error *rlx_session_prepare(rlx_session *session) {
  return guarded([&] { return session ? session->prepare() : nullArgument("session"); });
}

rlx_error *rlx_session_run(rlx_session *session) {
  return guarded([&] { return session ? session->run() : nullArgument("session"); });
}

rlx_error *rlx_session_get_output(rlx_session *session, const char *name, rlx_tensor *output) {
  return guarded([&]() -> Status {
    if (!session || !name || !output)
      return nullArgument(!session ? "session" : !name ? "name" : "output");
    *output = {};
    return session->getOutput(name, *output);
  });
}

rlx_error *rlx_session_get_costs(rlx_session *session, rlx_region_cost *costs) {
  return guarded([&]() -> Status {
    if (!session || !costs)
      return nullArgument(session ? "costs" : "session");
    return session->getCosts(costs);
  });
}

const char *rlx_version(void) { return RLX_VERSION; }

uint32_t rlx_pool_threads(void) { return runtime::poolThreads(); }
