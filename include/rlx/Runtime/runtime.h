/*===- runtime.h - load compiled modules, bind params, run ----------------===*\
|*
|* The whole runtime in C. A program needs this header and one library,
|* librlx_runtime; there is no compiler behind it.
|*
|*     rlx_module *module;                        // what rlx-compile wrote
|*     rlx_params *params;                        // its weights
|*     rlx_session *session;                      // one stream of runs
|*     if ((error = rlx_module_load("decoder.so", &module)) ||
|*         (error = rlx_params_bind_file(module, "decoder.safetensors", &params)) ||
|*         (error = rlx_session_create(module, params, &session)))
|*       return report(error);
|*
|*     const int64_t dims[] = {1, 7, 256};
|*     rlx_tensor in = {"tokens", RLX_DTYPE_F32, 3, dims, tokens};
|*     rlx_tensor out = {"queries_out", RLX_DTYPE_F32, 3, dims, queries};
|*     if ((error = rlx_session_call(session, &in, 1, &out, 1)))
|*       return report(error);
|*
|* Objects. An rlx_module is immutable; any number of threads may use it. An
|* rlx_params holds the weights bound to a module and what the module computes
|* from them once; sessions share it. An rlx_session owns a workspace and does
|* one run at a time; sessions are independent, so give each thread its own.
|* A session keeps its module and params alive, and params keep their module.
|*
|* Errors. Every function that can fail returns null on success and otherwise
|* an error that the caller frees. Out parameters are null after a failure.
|*
|* Threads. All sessions of a process share one pool, as large as the CPUs that
|* the process may use (affinity mask and cgroup quota; RLX_NUM_THREADS in the
|* environment overrides it). Results do not depend on the number of threads.
|*
|* This header is plain C11 and depends on abi.h alone.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RLX_RUNTIME_RUNTIME_H
#define RLX_RUNTIME_RUNTIME_H

#include "rlx/Runtime/abi.h"

#if defined(__GNUC__)
#define RLX_API __attribute__((visibility("default")))
#else
#define RLX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===- Errors -------------------------------------------------------------===*/

/** What kind of thing went wrong; the message says what exactly. */
typedef enum rlx_error_code {
  RLX_ERROR_INVALID_ARGUMENT = 1, /**< a null pointer, an unknown name, a bad size */
  RLX_ERROR_IO = 2,               /**< the system refused to open, read or write a file */
  RLX_ERROR_FORMAT = 3,           /**< a file is truncated, corrupt, or something else */
  RLX_ERROR_INCOMPATIBLE = 4,     /**< a module for another ABI, architecture, CPU or device */
  RLX_ERROR_UNSUPPORTED = 5,      /**< well-formed, but nothing here implements it */
  RLX_ERROR_MISMATCH = 6,         /**< tensors are missing, extra, misshapen or mistyped */
  RLX_ERROR_BUSY = 7,             /**< the session or params are in use by a run */
  RLX_ERROR_OUT_OF_MEMORY = 8,    /**< a buffer could not be allocated */
  RLX_ERROR_FAILED = 9,           /**< compiled code reported a failure */
  RLX_ERROR_INTERNAL = 10         /**< a bug in this library; please report it */
} rlx_error_code;

/** Why a call failed. Null stands for success. */
typedef struct rlx_error rlx_error;

/** The kind of `error`; 0 if it is null. */
RLX_API int rlx_error_get_code(const rlx_error *error);

/** One line for each thing that is wrong, without a final newline. Valid until
 *  the error is freed; empty if `error` is null. */
RLX_API const char *rlx_error_message(const rlx_error *error);

/** Frees an error; null is allowed. */
RLX_API void rlx_error_free(rlx_error *error);

/*===- Tensors ------------------------------------------------------------===*/

/** A named tensor in the caller's memory: dense, row-major, aligned to its
 *  element size. For modules of device cuda, memory of that device serves as well
 *  as the host's, and is used in place. Where a tensor is an input or a param, `data` is only read.
 */
typedef struct rlx_tensor {
  const char *name;
  uint32_t dtype; /**< an rlx_dtype */
  uint32_t rank;
  const int64_t *dims; /**< `rank` sizes, each >= 0; may be null if `rank` is 0 */
  void *data;
} rlx_tensor;

/** Bytes of one element, or 0 if `dtype` is not an rlx_dtype. */
RLX_API size_t rlx_dtype_size(uint32_t dtype);

/** The spelling of a type, as in "f32"; "invalid" if it is not an rlx_dtype. */
RLX_API const char *rlx_dtype_name(uint32_t dtype);

/*===- Modules ------------------------------------------------------------===*/

/** Compiled code, checked and loaded. Immutable, shared, counted. */
typedef struct rlx_module rlx_module;

/** Loads a module that `rlx-compile --emit shared` wrote. Everything that can
 *  be checked (format, ABI, checksum, architecture, CPU features, device) is
 *  checked before any of its code runs. The file may be replaced afterwards. */
RLX_API rlx_error *rlx_module_load(const char *path, rlx_module **module);

/** The same from the file's bytes, which are not needed after the call. */
RLX_API rlx_error *rlx_module_load_memory(const void *bytes, size_t size, rlx_module **module);

/** Takes a module that is part of the program: `query` is the symbol
 *  `rlx_module_query` of an object made by `rlx-compile --emit obj`. If
 *  `release` is not null, it is called with `context` when the module's last
 *  user is gone, or before this call returns if it fails. */
RLX_API rlx_error *rlx_module_from_query(rlx_module_query_fn query, void (*release)(void *context),
                                         void *context, rlx_module **module);

/** Chooses the GPU of a module for device cuda by its number, 0 by default, before
 *  params are bound or a session is made. */
RLX_API rlx_error *rlx_module_set_device(rlx_module *module, uint32_t ordinal);

/** Adds a reference, and returns `module`. */
RLX_API rlx_module *rlx_module_retain(rlx_module *module);

/** Drops a reference; null is allowed. */
RLX_API void rlx_module_release(rlx_module *module);

/** Names, types, dynamic dims and needs of a module; valid as long as it is.
 *  Fields that the module is too old for are 0. */
RLX_API const rlx_module_info *rlx_module_describe(const rlx_module *module);

/*===- Params -------------------------------------------------------------===*/

/** The weights of a module, and what it precomputes from them. Shared, counted. */
typedef struct rlx_params rlx_params;

/** Whose memory the params live in. */
typedef enum rlx_storage {
  RLX_COPY = 0,  /**< the library's: the caller's tensors are not needed after the call */
  RLX_BORROW = 1 /**< the caller's: it stays valid, and changes only around a rebind */
} rlx_storage;

/** Binds `count` tensors to a module's params by name, in any order. All that
 *  do not fit are reported together. */
RLX_API rlx_error *rlx_params_bind(rlx_module *module, const rlx_tensor *tensors, size_t count,
                                   rlx_storage storage, rlx_params **params);

/** Binds the tensors of a safetensors file. */
RLX_API rlx_error *rlx_params_bind_file(rlx_module *module, const char *path, rlx_params **params);

/** Replaces the given params, keeps the others, and precomputes again; with
 *  `count` 0 it takes note that borrowed memory has new values. Allocates
 *  nothing. Fails with RLX_ERROR_BUSY, changing nothing, during a run. */
RLX_API rlx_error *rlx_params_rebind(rlx_params *params, const rlx_tensor *tensors, size_t count);

/** Adds a reference, and returns `params`. */
RLX_API rlx_params *rlx_params_retain(rlx_params *params);

/** Drops a reference; null is allowed. */
RLX_API void rlx_params_release(rlx_params *params);

/*===- Sessions -----------------------------------------------------------===*/

/** One run at a time of a module with params, in a workspace of its own. */
typedef struct rlx_session rlx_session;

/** Creates a session. `params` may be null if the module has none. */
RLX_API rlx_error *rlx_session_create(rlx_module *module, rlx_params *params,
                                      rlx_session **session);

/** Destroys a session that is not running; null is allowed. */
RLX_API void rlx_session_destroy(rlx_session *session);

/** Lets runs use at most `threads` threads, the caller's among them; 0, the
 *  default, stands for the whole pool, 1 keeps all work on the calling thread. */
RLX_API rlx_error *rlx_session_set_threads(rlx_session *session, uint32_t threads);

/** Calls task(task_context, i) for every i < count, on any threads, in any
 *  order, and returns when all have returned. */
typedef void (*rlx_parallel_for_fn)(void *context, rlx_task_fn task, void *task_context,
                                    size_t count);

/** Runs parallel work through the caller's threads instead of the pool; null
 *  goes back to the pool. The thread limit above does not apply. */
RLX_API rlx_error *rlx_session_set_parallel_for(rlx_session *session,
                                                rlx_parallel_for_fn parallel_for, void *context);

/** Told on the thread that runs as it comes to a region of the module's
 *  descriptor, and with RLX_NO_REGION as the last one ends. Does not call into
 *  the session. */
typedef void (*rlx_trace_fn)(void *context, uint32_t region);
#define RLX_NO_REGION UINT32_MAX

/** Lets `trace` follow the session's runs; null, the default, ends that. Runs
 *  that nobody follows cost nothing more. */
RLX_API rlx_error *rlx_session_set_trace(rlx_session *session, rlx_trace_fn trace, void *context);

/** Runs once: reads all inputs, writes the given outputs, found by name in any
 *  order. Outputs that are not given go to buffers of the session. All tensors
 *  that do not fit are reported together, before anything runs. The session
 *  forgets the caller's tensors at the end, and those set before. */
RLX_API rlx_error *rlx_session_call(rlx_session *session, const rlx_tensor *inputs,
                                    size_t num_inputs, const rlx_tensor *outputs,
                                    size_t num_outputs);

/* The same in steps, for a caller that keeps its buffers from run to run. */

/** Points an input at the caller's memory, until it is set again. The name and
 *  dims are copied, the data are not. */
RLX_API rlx_error *rlx_session_set_input(rlx_session *session, const rlx_tensor *input);

/** Points an output at the caller's memory, until it is set again; with a null
 *  `data`, gives it back to a buffer of the session and ignores the dims. */
RLX_API rlx_error *rlx_session_set_output(rlx_session *session, const rlx_tensor *output);

/** Checks the inputs' shapes, computes the outputs', and allocates all that
 *  the next run needs. Inputs may have null `data` so far. Running does this
 *  by itself where shapes have changed. */
RLX_API rlx_error *rlx_session_prepare(rlx_session *session);

/** Runs on the inputs and outputs that are set. Allocates nothing if the last
 *  run or prepare had the same shapes. */
RLX_API rlx_error *rlx_session_run(rlx_session *session);

/** Describes an output after a prepare (its shape) or a run (its values too).
 *  Name and dims point into the session, and so does `data` unless the caller
 *  gave the buffer; all stay until the session's next run or change. */
RLX_API rlx_error *rlx_session_get_output(rlx_session *session, const char *name,
                                          rlx_tensor *output);

/** Fills in what each of the descriptor's `num_regions` regions costs with the
 *  shapes of the last prepare or run. */
RLX_API rlx_error *rlx_session_get_costs(rlx_session *session, rlx_region_cost *costs);

/*===- The library --------------------------------------------------------===*/

/** The library's version, as in "0.1.0". */
RLX_API const char *rlx_version(void);

/** The number of threads of the shared pool, the calling one included. */
RLX_API uint32_t rlx_pool_threads(void);

#ifdef __cplusplus
}
#endif

#endif /* RLX_RUNTIME_RUNTIME_H */
