/*===- toy_cuda.c - a hand-written module for a GPU -----------------------===*|
|*
|* What the compiler emits for device cuda, with the kernels of fake_cuda.c: a param that
|* `bind` packs, a dynamic input, a check of tensor data.
|*
|*     y[i][j] = 2 * w[j] * x[i][j], unless ok is false
|*
\*===----------------------------------------------------------------------===*/
#include "rlx/Runtime/abi.h"

#define WIDTH 4

#if defined(__x86_64__)
#define TRIPLE "x86_64-unknown-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLE "aarch64-unknown-linux-gnu"
#endif

static const int64_t x_dims[] = {-1, WIDTH};
static const int64_t row_dims[] = {WIDTH};
static const rlx_tensor_info inputs[] = {{"x", RLX_DTYPE_F32, 2, x_dims},
                                         {"ok", RLX_DTYPE_BOOL, 0, 0}};
static const rlx_tensor_info params[] = {{"w", RLX_DTYPE_F32, 1, row_dims}};
static const rlx_tensor_info outputs[] = {{"y", RLX_DTYPE_F32, 2, x_dims}};
static const char *const symbols[] = {"N"};
static const rlx_kernel_info kernels[] = {{"twice"}, {"multiply"}};
static const uint32_t block[] = {256, 1, 1};

static int32_t shapes(const rlx_host *host, const int64_t *sizes, int64_t *dims,
                      uint64_t *workspace_size) {
  (void)host;
  dims[0] = sizes[0];
  dims[1] = WIDTH;
  *workspace_size = (uint64_t)sizes[0] * WIDTH * sizeof(float);
  return RLX_OK;
}

static int32_t bind(const rlx_host *host, const void *const *params, void *packed) {
  const uint32_t grid[] = {1, 1, 1};
  const void *w = params[0];
  int64_t n = WIDTH;
  void *arguments[] = {&packed, &w, &n};
  return host->launch(host->context, 0, grid, block, 0, arguments);
}

static int32_t run(const rlx_host *host, const int64_t *sizes, const void *const *params,
                   const void *packed, const void *const *inputs, void *const *outputs,
                   void *workspace) {
  (void)params, (void)workspace;
  const uint32_t grid[] = {(uint32_t)(sizes[0] * WIDTH + 255) / 256, 1, 1};
  const void *x = inputs[0];
  void *y = outputs[0];
  int64_t n = sizes[0] * WIDTH;
  void *arguments[] = {&y, &x, &packed, &n};
  int32_t status = host->launch(host->context, 1, grid, block, 0, arguments);
  return status != RLX_OK ? status : host->check(host->context, inputs[1], "x is not ok");
}

static const char code[] = ".version 8.0";

static const rlx_module_info info = {
    .abi_version = RLX_ABI_VERSION,
    .struct_size = sizeof(rlx_module_info),
    .name = "toy_cuda",
    .triple = TRIPLE,
    .features = "",
    .options = "{}",
    .device = RLX_DEVICE_CUDA,
    .num_symbols = 1,
    .num_inputs = 2,
    .num_params = 1,
    .num_outputs = 1,
    .symbols = symbols,
    .inputs = inputs,
    .params = params,
    .outputs = outputs,
    .packed_size = WIDTH * sizeof(float),
    .shapes = shapes,
    .bind = bind,
    .run = run,
    .device_arch = "sm_80",
    .device_code = code,
    .device_code_size = sizeof(code) - 1,
    .num_kernels = 2,
    .kernels = kernels};

const rlx_module_info *rlx_toy_cuda_query(uint32_t max_abi_version) {
  return max_abi_version >> 16 == RLX_ABI_MAJOR ? &info : 0;
}
