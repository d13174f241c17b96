/*===- abi.h - the contract between a compiled module and its host --------===*\
|*
|* A module is one ELF object with one exported symbol, `rlx_module_query`.
|* The host (lib/Runtime, or any program that follows this header) asks it for
|* a constant descriptor, then calls the functions the descriptor names.
|* Compiled code reaches the outside only through the `rlx_host` table it is
|* given on every call, and through libc's memory functions and libm.
|*
|* Versioning: the major number changes when an existing field changes its
|* meaning or place, the minor number when fields are appended. A host accepts
|* a module of its own major version and of any minor version; host and module
|* read only the first `struct_size` bytes of each other's structures. Fields
|* that came with a minor version are marked with it.
|*
|* This header is plain C11 and depends on nothing else.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RLX_RUNTIME_ABI_H
#define RLX_RUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RLX_ABI_MAJOR 1u
#define RLX_ABI_MINOR 1u
#define RLX_ABI_VERSION ((RLX_ABI_MAJOR << 16) | RLX_ABI_MINOR)

/** Element types of tensors. All are dense and row-major; `bool` is one byte, 0 or 1. */
typedef enum rlx_dtype {
  RLX_DTYPE_F32 = 0,
  RLX_DTYPE_F16 = 1,
  RLX_DTYPE_BF16 = 2,
  RLX_DTYPE_F64 = 3,
  RLX_DTYPE_I8 = 4,
  RLX_DTYPE_I32 = 5,
  RLX_DTYPE_I64 = 6,
  RLX_DTYPE_BOOL = 7
} rlx_dtype;

/** Where a module's `run` computes. */
typedef enum rlx_device { RLX_DEVICE_CPU = 0, RLX_DEVICE_CUDA = 1 } rlx_device;

/** Alignment, in bytes, of the packed-params and workspace buffers. */
#define RLX_BUFFER_ALIGNMENT 64u

/** A dimension is a size (>= 0), a dynamic-dim symbol (`-1 - index`), or, for
 *  outputs only, RLX_DIM_COMPUTED: known once `shapes` has been called. */
#define RLX_DIM_COMPUTED INT64_MIN

/** Name and type of one input, output or param. */
typedef struct rlx_tensor_info {
  const char *name;
  uint32_t dtype; /**< an rlx_dtype */
  uint32_t rank;
  const int64_t *dims; /**< `rank` dimensions, coded as above */
} rlx_tensor_info;

/** One unit of parallel work; units of one parallel_for are independent. */
typedef void (*rlx_task_fn)(void *task_context, size_t index);

/** What compiled code may ask of its host. */
typedef struct rlx_host {
  uint32_t struct_size; /**< sizeof(rlx_host) of the host */
  uint32_t abi_version; /**< RLX_ABI_VERSION of the host */
  void *context;        /**< passed back as the first argument of each call */

  /** Calls task(task_context, i) for every i < count, on any threads, in any
   *  order, and returns when all have returned. */
  void (*parallel_for)(void *context, rlx_task_fn task, void *task_context, size_t count);

  /** Records why the current call fails; the callee then returns RLX_FAILED. */
  void (*fail)(void *context, const char *message);

  /* Since 1.1, for modules of device RLX_DEVICE_CUDA. */

  /** Queues kernel `kernel` of the descriptor's table on `grid` blocks of `block`
   *  threads; `arguments[i]` points to the value of its parameter i. Kernels run in
   *  the order of their launches. Returns RLX_FAILED if that is known to fail. */
  int32_t (*launch)(void *context, uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t shared_bytes, void **arguments);

  /** Queues a check of a byte in device memory: if it is zero, the current call
   *  fails with `message` when all that it has queued is done. */
  int32_t (*check)(void *context, const void *flag, const char *message);

  /** Since 1.1. Null, or called by `run` on the thread that called it as it
   *  comes to region `region` of the descriptor's. The region lasts until the
   *  next call, or until `run` returns. */
  void (*begin_region)(void *context, uint32_t region);
} rlx_host;

/** Results of the functions of a module. */
enum { RLX_OK = 0, RLX_FAILED = 1 };

/** A kernel of a module's device code. */
typedef struct rlx_kernel_info {
  const char *name;
} rlx_kernel_info;

/** How a region of `run` computes. */
typedef enum rlx_region_kind {
  RLX_REGION_SERIAL = 0,  /**< on the calling thread */
  RLX_REGION_PARALLEL = 1 /**< by a parallel_for */
} rlx_region_kind;

/** A piece of `run` that a profile tells apart: a parallel loop, or work
 *  between two of them. */
typedef struct rlx_region_info {
  const char *name; /**< the nodes of the graph that it computes, joined by " + " */
  uint32_t kind;    /**< an rlx_region_kind */
} rlx_region_info;

/** What one execution of a region amounts to. */
typedef struct rlx_region_cost {
  uint64_t flops; /**< operations on floating-point numbers; 2 for a multiply-add */
  uint64_t bytes; /**< of the buffers that it reads, and of those that it writes */
} rlx_region_cost;

/** What a module is, needs and offers. Constant; lives as long as the module. */
typedef struct rlx_module_info {
  uint32_t abi_version;
  uint32_t struct_size;

  const char *name;     /**< the graph's name */
  const char *triple;   /**< LLVM target triple the code was compiled for */
  const char *features; /**< comma-separated CPU features the code needs, LLVM names */
  const char *options;  /**< the compile options, a JSON object */
  uint32_t device;      /**< an rlx_device */

  uint32_t num_symbols; /**< dynamic dims, each a size >= 0 given at run time */
  uint32_t num_inputs;
  uint32_t num_params;
  uint32_t num_outputs;
  const char *const *symbols; /**< names of the dynamic dims */
  const rlx_tensor_info *inputs;
  const rlx_tensor_info *params;
  const rlx_tensor_info *outputs;

  uint64_t packed_size; /**< bytes of the buffer that `bind` fills */

  /** Computes the dims of all outputs, one after another, and the bytes of
   *  workspace that `run` needs, for the given sizes of the dynamic dims. */
  int32_t (*shapes)(const rlx_host *host, const int64_t *symbols, int64_t *output_dims,
                    uint64_t *workspace_size);

  /** Computes once what depends on params alone. `params` follow the order of
   *  the descriptor and stay valid and unchanged while `packed` is in use. */
  int32_t (*bind)(const rlx_host *host, const void *const *params, void *packed);

  /** Runs the graph. Buffers do not overlap, except inputs with one another. */
  int32_t (*run)(const rlx_host *host, const int64_t *symbols, const void *const *params,
                 const void *packed, const void *const *inputs, void *const *outputs,
                 void *workspace);

  /* Since 1.1, for device RLX_DEVICE_CUDA: params, packed, inputs, outputs and
   * workspace are device memory, and `bind` and `run` queue kernels. */

  const char *device_arch;   /**< least architecture, as in "sm_90" */
  const char *device_code;   /**< PTX text, zero-terminated */
  uint64_t device_code_size; /**< bytes of it without the zero */
  uint32_t num_kernels;
  const rlx_kernel_info *kernels;

  /* Since 1.1. */

  uint32_t num_regions; /**< 0 if the module does not tell regions apart */
  const rlx_region_info *regions;

  /** Computes the costs of all regions for the given sizes of the dynamic dims;
   *  null if there are no regions. */
  int32_t (*costs)(const rlx_host *host, const int64_t *symbols, rlx_region_cost *costs);
} rlx_module_info;

/** Bytes of the structure in version 1.0, the least that a module may have. */
#define RLX_MODULE_INFO_SIZE_1_0 offsetof(rlx_module_info, device_arch)

/** Signature of a module's exported symbol. Returns null if the module's major
 *  version is not that of `max_abi_version`. Runs on any CPU of the
 *  architecture, whatever `features` says. */
typedef const rlx_module_info *(*rlx_module_query_fn)(uint32_t max_abi_version);

#define RLX_MODULE_QUERY_SYMBOL "rlx_module_query"

/** The file's own description, in the ELF section `.rlx.meta` of a shared
 *  module, so that a loader can refuse a file before running any of it. */
#define RLX_META_SECTION ".rlx.meta"
#define RLX_META_MAGIC 0x444f4d584c525f5full /* "__RLXMOD", little endian */

typedef struct rlx_module_meta {
  uint64_t magic;       /**< RLX_META_MAGIC */
  uint32_t abi_version; /**< RLX_ABI_VERSION of the compiler */
  uint32_t device;      /**< an rlx_device */
  uint64_t file_size;   /**< bytes of the whole file */
  uint64_t checksum;    /**< FNV-1a 64 of the whole file, these 8 bytes as zeros */
  char features[480];   /**< as in rlx_module_info, zero-terminated */
} rlx_module_meta;      /* 512 bytes */

#ifdef __cplusplus
}
#endif

#endif /* RLX_RUNTIME_ABI_H */
