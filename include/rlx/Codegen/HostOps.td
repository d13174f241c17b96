//===- HostOps.td - what compiled code asks of its host ----*- tablegen -*-===//
//
// A dialect of the few calls that compiled code makes through its host table,
// between the outlining of parallel loops and the C ABI.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CODEGEN_HOSTOPS_TD
#define RLX_CODEGEN_HOSTOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Host_Dialect : Dialect {
  let name = "rlx_host";
  let cppNamespace = "::rlx::host";
  let summary = "Calls from compiled code to its host";
}

def Host_ParallelForOp
    : Op<Host_Dialect, "parallel_for", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a task for each index below a count, in parallel";
  let description = [{
    Calls `task(captures..., i)` for each `0 <= i < count`, on any threads and in
    any order, and returns when all calls have.

    ```mlir
    rlx_host.parallel_for %n of @rlx_run_region_0(%x, %y : memref<?xf32>, memref<?xf32>)
    ```

    (C1) `task` is a function of the types of `captures`, then `index`, and returns nothing.
  }];
  let arguments = (ins Index:$count, FlatSymbolRefAttr:$task, Variadic<AnyType>:$captures);
  let assemblyFormat = "$count `of` $task `(` ($captures^ `:` type($captures))? `)` attr-dict";
}

def Host_LaunchOp : Op<Host_Dialect, "launch"> {
  let summary = "launch a kernel on the device";
  let description = [{
    Queues the kernel at position `kernel` of the module's kernel table, on a grid of
    blocks of threads. Kernels run one after another, in the order of their launches. A
    grid without blocks does nothing. A memref is passed as the LLVM dialect's
    descriptor, field by field.

    ```mlir
    rlx_host.launch 3 blocks(%n, %c1, %c1) threads(%c256, %c1, %c1) (%x, %i : memref<?xf32>, index)
    ```
  }];
  let arguments = (ins I32Attr:$kernel, Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       Index:$block_x, Index:$block_y, Index:$block_z,
                       DefaultValuedAttr<I32Attr, "0">:$shared_bytes, Variadic<AnyType>:$captures);
  let assemblyFormat = [{
    $kernel `blocks` `(` $grid_x `,` $grid_y `,` $grid_z `)`
    `threads` `(` $block_x `,` $block_y `,` $block_z `)`
    `(` ($captures^ `:` type($captures))? `)` attr-dict
  }];
}

def Host_CheckOp : Op<Host_Dialect, "check"> {
  let summary = "let the run fail unless a byte of device memory is true";
  let description = [{
    Queues, behind the kernels launched so far, a check that `flag` is not zero. The
    function goes on; the host reports the failure when the run is over.

    ```mlir
    rlx_host.check %flag, "an index is out of range" : memref<i8>
    ```
  }];
  let arguments = (ins AnyMemRef:$flag, StrAttr:$message);
  let assemblyFormat = "$flag `,` $message attr-dict `:` type($flag)";
}

def Host_BeginRegionOp : Op<Host_Dialect, "begin_region"> {
  let summary = "tell the host that a region of the run begins";
  let description = [{
    Marks where a region of `rlx_run` begins; it lasts until the next mark that is
    reached, or until the end. `region` is its index in the module's attribute
    `rlx.regions`.

    ```mlir
    rlx_host.begin_region 3
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$region);
  let assemblyFormat = "$region attr-dict";
}

#endif // RLX_CODEGEN_HOSTOPS_TD
