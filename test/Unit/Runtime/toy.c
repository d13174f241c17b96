/*===- toy.c - a hand-written module with everything a module can have ----===*|
|*
|* What the compiler emits, without the compiler: two dynamic inputs that share a
|* symbol, params with packing, an output of computed shape, a workspace, parallel
|* work, failures. In formulas, for N rows of 4:
|*
|*     y[i][j] = 2 * w[j] * x[i][j] + b[j] + shift[i]
|*     sums    = [sum_j y[0][j], ..., sum_j y[N-1][j], count]     (N + 1 values)
|*
|* Built as a shared module for the loader's tests, and into the test program.
|* RLX_TOY_NO_QUERY and RLX_TOY_UNDEFINED make modules that are broken.
|*
\*===----------------------------------------------------------------------===*/
#include "rlx/Runtime/abi.h"

#define WIDTH 4

#if defined(__x86_64__)
#define TRIPLE "x86_64-unknown-linux-gnu"
#define FEATURES "sse,sse2"
#elif defined(__aarch64__)
#define TRIPLE "aarch64-unknown-linux-gnu"
#define FEATURES "neon"
#endif

static const int64_t x_dims[] = {-1, WIDTH};
static const int64_t shift_dims[] = {-1};
static const int64_t row_dims[] = {WIDTH};
static const int64_t sums_dims[] = {RLX_DIM_COMPUTED};

static const rlx_tensor_info inputs[] = {{"x", RLX_DTYPE_F32, 2, x_dims},
                                         {"shift", RLX_DTYPE_F32, 1, shift_dims}};
static const rlx_tensor_info params[] = {{"w", RLX_DTYPE_F32, 1, row_dims},
                                         {"b", RLX_DTYPE_F32, 1, row_dims},
                                         {"count", RLX_DTYPE_I64, 0, 0}};
static const rlx_tensor_info outputs[] = {{"y", RLX_DTYPE_F32, 2, x_dims},
                                          {"sums", RLX_DTYPE_F32, 1, sums_dims}};
static const char *const symbols[] = {"N"};

static int32_t shapes(const rlx_host *host, const int64_t *sizes, int64_t *dims,
                      uint64_t *workspace_size) {
  if (sizes[0] == 666) {
    host->fail(host->context, "no workspace for 666 rows");
    return RLX_FAILED;
  }
  dims[0] = sizes[0];
  dims[1] = WIDTH;
  dims[2] = sizes[0] + 1;
  *workspace_size = (uint64_t)sizes[0] * WIDTH * sizeof(float);
  return RLX_OK;
}

static int32_t bind(const rlx_host *host, const void *const *params, void *packed) {
  const float *w = params[0];
  float *twice = packed;
  if (w[0] != w[0]) {
    host->fail(host->context, "w[0] is not a number");
    return RLX_FAILED;
  }
  for (int j = 0; j < WIDTH; ++j)
    twice[j] = 2 * w[j];
  return RLX_OK;
}

struct row_task {
  const rlx_host *host;
  const float *twice, *b, *x, *shift;
  float *y, *sums, *scratch;
  int32_t *results;
};

static void run_row(void *context, size_t i) {
  const struct row_task *task = context;
  const float *x = task->x + i * WIDTH;
  float *scratch = task->scratch + i * WIDTH;
  if (x[0] != x[0]) {
    task->host->fail(task->host->context, "a row of x begins with a NaN");
    __atomic_store_n(task->results, RLX_FAILED, __ATOMIC_RELAXED);
    return;
  }
  for (int j = 0; j < WIDTH; ++j)
    scratch[j] = task->twice[j] * x[j];
  float sum = 0;
  for (int j = 0; j < WIDTH; ++j)
    sum += task->y[i * WIDTH + j] = scratch[j] + task->b[j] + task->shift[i];
  task->sums[i] = sum;
}

static const rlx_region_info regions[] = {{"rows", RLX_REGION_PARALLEL},
                                          {"count", RLX_REGION_SERIAL}};

static int32_t costs(const rlx_host *host, const int64_t *sizes, rlx_region_cost *result) {
  (void)host;
  result[0] = (rlx_region_cost){(uint64_t)sizes[0] * 4 * WIDTH,
                                ((uint64_t)sizes[0] * (2 * WIDTH + 2) + 2 * WIDTH) * sizeof(float)};
  result[1] = (rlx_region_cost){0, sizeof(int64_t) + sizeof(float)};
  return RLX_OK;
}

static void begin_region(const rlx_host *host, uint32_t region) {
  if (host->struct_size >= sizeof(rlx_host) && host->begin_region)
    host->begin_region(host->context, region);
}

static int32_t run(const rlx_host *host, const int64_t *sizes, const void *const *params,
                   const void *packed, const void *const *inputs, void *const *outputs,
                   void *workspace) {
  int32_t result = RLX_OK;
  struct row_task task = {host,       packed,     params[1], inputs[0], inputs[1],
                          outputs[0], outputs[1], workspace, &result};
  begin_region(host, 0);
  host->parallel_for(host->context, run_row, &task, (size_t)sizes[0]);
  begin_region(host, 1);
  task.sums[sizes[0]] = (float)*(const int64_t *)params[2];
  return result;
}

static const rlx_module_info info = {
    .abi_version = RLX_ABI_VERSION,
    .struct_size = sizeof(rlx_module_info),
    .name = "toy",
    .triple = TRIPLE,
    .features = FEATURES,
    .options = "{}",
    .device = RLX_DEVICE_CPU,
    .num_symbols = 1,
    .num_inputs = 2,
    .num_params = 3,
    .num_outputs = 2,
    .symbols = symbols,
    .inputs = inputs,
    .params = params,
    .outputs = outputs,
    .packed_size = WIDTH * sizeof(float),
    .shapes = shapes,
    .bind = bind,
    .run = run,
    .num_regions = 2,
    .regions = regions,
    .costs = costs,
};

#ifdef RLX_TOY_UNDEFINED
extern int rlx_toy_symbol_of_nobody(void);
int rlx_toy_use_it(void) { return rlx_toy_symbol_of_nobody(); }
#endif

#ifndef RLX_TOY_NO_QUERY
const rlx_module_info *rlx_module_query(uint32_t max_abi_version) {
  return max_abi_version >> 16 == RLX_ABI_MAJOR ? &info : 0;
}
#else
const rlx_module_info *rlx_toy_hidden_info(void) { return &info; }
#endif

__attribute__((section(RLX_META_SECTION), used, retain)) static const rlx_module_meta meta = {
    .magic = RLX_META_MAGIC,
    .abi_version = RLX_ABI_VERSION,
    .device = RLX_DEVICE_CPU,
    .features = FEATURES,
};
