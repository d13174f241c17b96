/*===- fake_cuda.c - a driver without a GPU -------------------------------===*|
|*
|* Stands in for libcuda.so.1 in tests. Device memory is the host's, and known apart from
|* it; streams run at once, or are recorded into graphs; the kernels of toy_cuda.c are C
|* functions. FAKE_CUDA in the environment breaks things:
|*
|*   none      no GPU          old     a GPU of compute capability 7.5
|*   full      no memory       broken  PTX that does not compile
|*
|* fake_cuda_count(name) says how often something has been done.
|*
\*===----------------------------------------------------------------------===*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, INVALID_PTX = 218, NOT_FOUND = 500 };
enum { MAX_BUFFERS = 256, MAX_OPS = 256, MAX_ARGUMENTS = 8 };

typedef unsigned long long pointer;

/* Calls that are counted. */
enum { LAUNCHES, GRAPHS, RECORDINGS, COPIES_IN, COPIES_OUT, LOADED, NUM_COUNTS };
static int counts[NUM_COUNTS];

int fake_cuda_count(const char *name) {
  static const char *const names[] = {"launches",  "graphs",     "recordings",
                                      "copies in", "copies out", "loaded"};
  for (int i = 0; i < NUM_COUNTS; ++i)
    if (strcmp(names[i], name) == 0)
      return counts[i];
  return -1;
}

static int is_broken(const char *how) {
  const char *value = getenv("FAKE_CUDA");
  return value && strcmp(value, how) == 0;
}

/*===- Devices ------------------------------------------------------------===*/

int cuInit(unsigned flags) { return flags ? INVALID : OK; }
int cuDeviceGetCount(int *count) { return *count = is_broken("none") ? 0 : 2, OK; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, OK; }
int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  return strncpy(name, "Fake GPU", (size_t)size - 1), OK;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  int is_major = attribute == 75;
  *value = is_broken("old") ? (is_major ? 7 : 5) : (is_major ? 9 : 0);
  return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  static int contexts[2];
  return *context = &contexts[device], OK;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return device < 2 ? OK : INVALID; }

static _Thread_local int depth;
int cuCtxPushCurrent_v2(void *context) { return ++depth, context ? OK : INVALID; }
int cuCtxPopCurrent_v2(void **context) { return *context = 0, depth-- > 0 ? OK : INVALID; }

int cuGetErrorString(int result, const char **text) {
  *text = result == OUT_OF_MEMORY ? "out of memory" : "fake error";
  return OK;
}

/*===- Memory -------------------------------------------------------------===*/

static struct {
  char *start;
  size_t size;
} buffers[MAX_BUFFERS];

/* The buffer that an address lies in, or -1. */
static int find_buffer(pointer address) {
  for (int i = 0; i < MAX_BUFFERS; ++i)
    if (buffers[i].start && address >= (pointer)(uintptr_t)buffers[i].start &&
        address < (pointer)(uintptr_t)buffers[i].start + buffers[i].size)
      return i;
  return -1;
}

int cuMemAlloc_v2(pointer *memory, size_t size) {
  if (is_broken("full") || depth == 0)
    return depth ? OUT_OF_MEMORY : INVALID;
  for (int i = 0; i < MAX_BUFFERS; ++i)
    if (!buffers[i].start) {
      buffers[i].start = malloc(size);
      buffers[i].size = size;
      return *memory = (pointer)(uintptr_t)buffers[i].start, OK;
    }
  return OUT_OF_MEMORY;
}

int cuMemFree_v2(pointer memory) {
  int i = find_buffer(memory);
  if (i < 0)
    return INVALID;
  free(buffers[i].start);
  buffers[i].start = 0;
  return OK;
}

int cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
  (void)flags;
  return *memory = malloc(size), OK;
}
int cuMemFreeHost(void *memory) { return free(memory), OK; }

int cuPointerGetAttribute(void *value, int attribute, pointer address) {
  if (attribute != 2 || find_buffer(address) < 0)
    return INVALID;
  *(int *)value = 2;
  return OK;
}

/*===- Kernels ------------------------------------------------------------===*/

struct function {
  const char *name;
  int num_arguments;
  void (*run)(const uint64_t *arguments);
};

/* twice(float *to, const float *from, int64_t n) */
static void twice(const uint64_t *a) {
  float *to = (float *)(uintptr_t)a[0];
  const float *from = (const float *)(uintptr_t)a[1];
  for (uint64_t i = 0; i < a[2]; ++i)
    to[i] = 2 * from[i];
}

/* multiply(float *to, const float *x, const float *w, int64_t n), w of 4 columns */
static void multiply(const uint64_t *a) {
  float *to = (float *)(uintptr_t)a[0];
  const float *x = (const float *)(uintptr_t)a[1], *w = (const float *)(uintptr_t)a[2];
  for (uint64_t i = 0; i < a[3]; ++i)
    to[i] = x[i] * w[i % 4];
}

static struct function functions[] = {{"twice", 3, twice}, {"multiply", 4, multiply}};

int cuModuleLoadDataEx(void **module, const void *code, unsigned n, int *options, void **values) {
  (void)n, (void)options;
  if (is_broken("broken")) {
    strcpy(values[0], "ptxas: line 1");
    return INVALID_PTX;
  }
  ++counts[LOADED];
  return *module = (void *)code, OK;
}
int cuModuleUnload(void *module) { return module ? OK : INVALID; }
int cuModuleGetFunction(struct function **result, void *module, const char *name) {
  (void)module;
  for (int i = 0; i < 2; ++i)
    if (strcmp(functions[i].name, name) == 0)
      return *result = &functions[i], OK;
  return NOT_FOUND;
}

/*===- Streams and graphs -------------------------------------------------===*/

/* A launch, or a copy of `arguments[2]` bytes if `function` is null. */
struct op {
  struct function *function;
  uint64_t arguments[MAX_ARGUMENTS];
};
struct graph {
  int num_ops;
  struct op ops[MAX_OPS];
};
struct stream {
  struct graph *recorded;
};

static void run_op(const struct op *op) {
  if (op->function)
    op->function->run(op->arguments);
  else
    memcpy((void *)(uintptr_t)op->arguments[0], (void *)(uintptr_t)op->arguments[1],
           op->arguments[2]);
}

static int enqueue(struct stream *stream, const struct op *op) {
  if (!stream->recorded)
    return run_op(op), OK;
  stream->recorded->ops[stream->recorded->num_ops++] = *op;
  return OK;
}

static int copy(uint64_t to, uint64_t from, size_t size, struct stream *stream) {
  struct op op = {0, {to, from, size}};
  return enqueue(stream, &op);
}

int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t size, struct stream *stream) {
  if (find_buffer(to) < 0)
    return INVALID;
  return ++counts[COPIES_IN], copy(to, (uintptr_t)from, size, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t size, struct stream *stream) {
  if (find_buffer(from) < 0)
    return INVALID;
  return ++counts[COPIES_OUT], copy((uintptr_t)to, from, size, stream);
}
int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t size, struct stream *stream) {
  return find_buffer(to) < 0 || find_buffer(from) < 0 ? INVALID : copy(to, from, size, stream);
}

int cuLaunchKernel(struct function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, struct stream *stream,
                   void **arguments, void **extra) {
  (void)shared;
  if (extra || !(gx && gy && gz && bx && by && bz))
    return INVALID;
  struct op op = {function, {0}};
  for (int i = 0; i < function->num_arguments; ++i)
    memcpy(&op.arguments[i], arguments[i], sizeof(uint64_t));
  return ++counts[LAUNCHES], enqueue(stream, &op);
}

int cuStreamCreate(struct stream **stream, unsigned flags) {
  (void)flags;
  return *stream = calloc(1, sizeof(**stream)), OK;
}
int cuStreamDestroy_v2(struct stream *stream) { return free(stream), OK; }
int cuStreamSynchronize(struct stream *stream) { return stream->recorded ? INVALID : OK; }

int cuStreamBeginCapture_v2(struct stream *stream, int mode) {
  (void)mode;
  return ++counts[RECORDINGS], stream->recorded = calloc(1, sizeof(struct graph)), OK;
}
int cuStreamEndCapture(struct stream *stream, struct graph **graph) {
  *graph = stream->recorded;
  return stream->recorded = 0, OK;
}
int cuGraphInstantiateWithFlags(struct graph **exec, const struct graph *graph,
                                unsigned long long flags) {
  (void)flags;
  *exec = malloc(sizeof(*graph));
  return **exec = *graph, OK;
}
int cuGraphLaunch(struct graph *graph, struct stream *stream) {
  ++counts[GRAPHS];
  for (int i = 0; i < graph->num_ops; ++i)
    if (enqueue(stream, &graph->ops[i]))
      return INVALID;
  return OK;
}
int cuGraphDestroy(struct graph *graph) { return free(graph), OK; }
int cuGraphExecDestroy(struct graph *graph) { return free(graph), OK; }
