/* A program that opens the runtime as a plugin would, and links neither it nor libm:
 * modules that call libm load all the same.
 *
 *     rlx-dlopen-test librlx_runtime.so MODULE
 */
#define _GNU_SOURCE
#include "rlx/Runtime/runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void expect(int condition, const char *what, const char *detail) {
  if (condition)
    return;
  fprintf(stderr, "error: %s: %s\n", what, detail ? detail : "");
  exit(1);
}

int main(int argc, char **argv) {
  expect(argc == 3, "expected arguments", "RUNTIME MODULE");

  /* Without these the test would prove nothing. */
  expect(!dlsym(RTLD_DEFAULT, "exp"), "this program", "expected no libm in it");
  expect(!dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), argv[2], "expected to need libm");

  void *runtime = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  expect(runtime != NULL, argv[1], dlerror());
  rlx_error *(*load)(const char *, rlx_module **) = dlsym(runtime, "rlx_module_load");
  const char *(*message)(const rlx_error *) = dlsym(runtime, "rlx_error_message");
  expect(load && message, argv[1], "expected the C interface");

  rlx_module *module = NULL;
  rlx_error *error = load(argv[2], &module);
  expect(!error, argv[2], error ? message(error) : NULL);
  return 0;
}
