/*===- embed.c - a program with a compiled module in it -------------------===*|
|*
|* Everything is in the executable: the model's code (an object of rlx-compile
|* --emit obj), the runtime, no compiler. The program makes up params and inputs
|* for whatever model it was linked with, runs it twice, and checks that both runs
|* agree.
|*
|*     embed            params and inputs of 0.5
|*     embed P.safetensors   params from a file
|*
\*===----------------------------------------------------------------------===*/
#include "rlx/Runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defined by the object. */
const rlx_module_info *rlx_module_query(uint32_t max_abi_version);

/* Size of the dims that are open. */
enum { OPEN_DIM = 2 };

static void check(rlx_error *error) {
  if (!error)
    return;
  fprintf(stderr, "embed: error: %s\n", rlx_error_message(error));
  exit(1);
}

static size_t count_elements(const rlx_tensor *tensor) {
  size_t count = 1;
  for (uint32_t i = 0; i < tensor->rank; ++i)
    count *= (size_t)tensor->dims[i];
  return count;
}

/* A tensor of the declared type whose elements are 0.5, or 1 for integers. */
static rlx_tensor make_tensor(const rlx_tensor_info *info) {
  int64_t *dims = calloc(info->rank + 1, sizeof(int64_t));
  for (uint32_t i = 0; i < info->rank; ++i)
    dims[i] = info->dims[i] >= 0 ? info->dims[i] : OPEN_DIM;
  rlx_tensor tensor = {info->name, info->dtype, info->rank, dims, NULL};
  size_t count = count_elements(&tensor), size = rlx_dtype_size(info->dtype);
  char *bytes = calloc(count + 1, size);
  const float half = 0.5f;
  for (size_t i = 0; i < count; ++i) {
    if (info->dtype == RLX_DTYPE_F32)
      memcpy(bytes + i * size, &half, size);
    else
      bytes[i * size] = 1;
  }
  tensor.data = bytes;
  return tensor;
}

static rlx_tensor *make_tensors(const rlx_tensor_info *infos, uint32_t count) {
  rlx_tensor *tensors = calloc(count + 1, sizeof(rlx_tensor));
  for (uint32_t i = 0; i < count; ++i)
    tensors[i] = make_tensor(&infos[i]);
  return tensors;
}

static void free_tensors(rlx_tensor *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    free((void *)tensors[i].dims);
    free(tensors[i].data);
  }
  free(tensors);
}

/* FNV-1a over the bytes of all outputs. */
static uint64_t hash_outputs(rlx_session *session, const rlx_module_info *info) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < info->num_outputs; ++i) {
    rlx_tensor output;
    check(rlx_session_get_output(session, info->outputs[i].name, &output));
    const unsigned char *bytes = output.data;
    for (size_t n = count_elements(&output) * rlx_dtype_size(output.dtype); n > 0; --n)
      hash = (hash ^ *bytes++) * 0x100000001b3u;
  }
  return hash;
}

int main(int argc, char **argv) {
  rlx_module *module;
  check(rlx_module_from_query(rlx_module_query, NULL, NULL, &module));
  const rlx_module_info *info = rlx_module_describe(module);

  rlx_params *params;
  if (argc > 1) {
    check(rlx_params_bind_file(module, argv[1], &params));
  } else {
    rlx_tensor *tensors = make_tensors(info->params, info->num_params);
    check(rlx_params_bind(module, tensors, info->num_params, RLX_COPY, &params));
    free_tensors(tensors, info->num_params);
  }

  rlx_session *session;
  check(rlx_session_create(module, params, &session));
  rlx_tensor *inputs = make_tensors(info->inputs, info->num_inputs);
  check(rlx_session_call(session, inputs, info->num_inputs, NULL, 0));
  uint64_t first = hash_outputs(session, info);
  check(rlx_session_set_threads(session, 1));
  check(rlx_session_call(session, inputs, info->num_inputs, NULL, 0));
  uint64_t second = hash_outputs(session, info);

  printf("%s: %u inputs, %u params, %u outputs, hash %016llx\n", info->name, info->num_inputs,
         info->num_params, info->num_outputs, (unsigned long long)first);
  free_tensors(inputs, info->num_inputs);
  rlx_session_destroy(session);
  rlx_params_release(params);
  rlx_module_release(module);
  if (first != second) {
    fprintf(stderr, "embed: error: a run on one thread gives another result\n");
    return 1;
  }
  return 0;
}
