//===- Passes.td - passes of the code generator -------------*- tablegen -*-===//
#ifndef RLX_CODEGEN_PASSES_TD
#define RLX_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

/// Options that describe the target, as CpuTarget::get takes them.
defvar cpuTargetOptions = [
  Option<"triple", "triple", "std::string", "\"\"", "LLVM target triple; the host's if empty">,
  Option<"cpu", "cpu", "std::string", "\"host\"", "LLVM CPU name">,
  Option<"features", "features", "std::string", "\"\"", "LLVM features on top of the CPU's">
];

//===----------------------------------------------------------------------===//
// Middle end (lib/Codegen/Common)
//===----------------------------------------------------------------------===//

def PackWeights : Pass<"rlx-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "compute matmuls with constant weights on packed panels";
  let description = [{
    A contraction `x[r..., k] * w[k, n]` whose weight depends on params alone
    becomes `rlx.packed_matmul`, together with the zero or the bias it starts from
    and an activation that follows it alone. The packing is left beside it as
    ordinary ops on the weight, for `rlx-hoist-params`.

    Before:
    ```mlir
    %init = linalg.broadcast ins(%bias : tensor<64xf32>) outs(%e : tensor<7x64xf32>) dimensions = [0]
    %y = linalg.matmul ins(%x, %w : tensor<7x32xf32>, tensor<32x64xf32>) outs(%init : tensor<7x64xf32>)
    ```
    After:
    ```mlir
    %split = tensor.expand_shape %w [[0], [1, 2]] : tensor<32x64xf32> into tensor<32x4x16xf32>
    %packed = linalg.transpose ins(%split) outs(%e0 : tensor<4x32x16xf32>) permutation = [1, 0, 2]
    %y = rlx.packed_matmul ins(%x, %packed) bias(%bias) outs(%e) -> tensor<7x64xf32>
    ```
  }];
  let options = [Option<"panelWidth", "panel-width", "int64_t", "16",
                        "Columns of a panel, those of the register tile">];
  let statistics = [Statistic<"numPacked", "packed", "Number of packed matmuls">];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::rlx::ir::RlxDialect"
  ];
}

def HoistParams : Pass<"rlx-hoist-params", "::mlir::ModuleOp"> {
  let summary = "move what depends on params alone to bind time";
  let description = [{
    Ops of `rlx_run` that depend on params and constants alone move to a new
    function `rlx_bind`, which the host calls once when params are bound. Their
    results live in the packed buffer, of which `rlx_run` gets the parts it needs
    as arguments tagged `rlx.packed`. Views of params stay, since they are free.

    Before:
    ```mlir
    func.func @rlx_run(%x: tensor<4xf32> {rlx.input = 0}, %w: tensor<4xf32> {rlx.param = 0}, ...) {
      %v = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %y = linalg.add ins(%x, %v : ...) ...
    ```
    After:
    ```mlir
    func.func @rlx_bind(%w: tensor<4xf32> {rlx.param = 0}, %out: memref<4xf32> {rlx.packed = 0}) {
      %v = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      bufferization.materialize_in_destination %v in restrict writable %out ...
    }
    func.func @rlx_run(%x: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<4xf32> {rlx.packed = 0}, ...) {
      %y = linalg.add ins(%x, %v : ...) ...
    ```
  }];
  let statistics = [Statistic<"numHoisted", "hoisted", "Number of tensors computed at bind time">];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect"
  ];
}

def SplitKeys : Pass<"rlx-split-keys", "::mlir::func::FuncOp"> {
  let summary = "attend to chunks of many keys apart where there are few queries";
  let description = [{
    Attention of few queries to many keys becomes attention to chunks of keys, whose
    results are combined by the rows' maxima and sums. Chunks are independent work
    for threads, and what computes keys and values joins them tile by tile. Their
    size keeps keys and values of a chunk in the cache of a core, and partial results
    small beside them; it divides the number of keys, or the op stays as it is.

    Before:
    ```mlir
    %o = rlx.online_attention sequence mask none ins(%q, %k, %v : tensor<1x7x128xf32>, tensor<1x4096x128xf32>, ...)
           outs(%e : tensor<1x7x128xf32>) {num_heads = 8 : i64, ...} -> tensor<1x7x128xf32>
    ```
    After:
    ```mlir
    %p:3 = rlx.online_attention sequence mask none ins(%q, %k, %v : ...)
           outs(%e0, %e1, %e2 : tensor<32x1x7x128xf32>, tensor<32x1x8x7xf32>, tensor<32x1x8x7xf32>)
           {key_chunk = 128 : i64, num_heads = 8 : i64, ...}
    %o = rlx.combine_chunks ins(%p#0, %p#1, %p#2 : ...) outs(%e : tensor<1x7x128xf32>)
           {num_heads = 8 : i64} -> tensor<1x7x128xf32>
    ```
  }];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", "262144",
           "Bytes of keys and values of a chunk to keep in the cache of a core">,
    Option<"minKeysPerQuery", "min-keys-per-query", "int64_t", "8",
           "Keys for each query below which attention is not split">
  ];
  let statistics = [Statistic<"numSplit", "split", "Number of attention ops split">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def TileAndFuse : Pass<"rlx-tile-and-fuse", "::mlir::func::FuncOp"> {
  let summary = "compute groups of structured ops tile by tile, in parallel";
  let description = [{
    Groups linalg and rlx structured ops into regions and makes each region one
    `scf.forall` over tiles of its last op, the root. A producer joins the region
    as long as each tile needs a tile of it that no other tile needs, and as long
    as enough independent tiles are left to feed the threads; cheap elementwise ops
    are copied for each of their users first. Tiles are cut from the outermost loop
    inwards until all intermediate tiles fit in the cache of one core. Regions with
    little work stay as they are and run on the calling thread.

    Before:
    ```mlir
    %s = linalg.add ins(%x, %pe : tensor<4096x256xf32>, tensor<4096x256xf32>) outs(...)
    %y = rlx.packed_matmul ins(%s, %w : ...) outs(%e : tensor<4096x128xf32>)
    ```
    After:
    ```mlir
    %y = scf.forall (%i) = (0) to (4096) step (64) shared_outs(%o = %e) -> (tensor<4096x128xf32>) {
      %xt = tensor.extract_slice %x[%i, 0] [64, 256] [1, 1] : ...
      %st = linalg.add ins(%xt, %pet : tensor<64x256xf32>, tensor<64x256xf32>) outs(...)
      %yt = rlx.packed_matmul ins(%st, %w : ...) outs(... : tensor<64x128xf32>)
      scf.forall.in_parallel { tensor.parallel_insert_slice %yt into %o[%i, 0] [64, 128] [1, 1] ... }
    }
    ```
  }];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", "262144",
           "Bytes of intermediate tiles to keep in the cache of a core">,
    Option<"maxTiles", "max-tiles", "int64_t", "16",
           "Tiles to cut where the cache does not ask for more">,
    Option<"minTiles", "min-tiles", "int64_t", "8",
           "Independent tiles below which a producer stays outside">,
    Option<"minFlops", "min-flops", "int64_t", "50000",
           "Operations worth handing to another thread">
  ];
  let statistics = [
    Statistic<"numRegions", "regions", "Number of parallel regions">,
    Statistic<"numFused", "fused", "Number of ops fused into the region of another">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def Bufferize : Pass<"rlx-bufferize", "::mlir::ModuleOp"> {
  let summary = "turn tensors into buffers";
  let description = [{
    Upstream's one-shot bufferization, after `tensor.empty` values that end up in an
    output or a tile of a larger tensor have been replaced by that place itself.
    Tensor arguments become read-only memrefs of identity layout.

    Before:
    ```mlir
    %e = tensor.empty() : tensor<8xf32>
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %y in restrict writable %out : ...
    ```
    After:
    ```mlir
    linalg.exp ins(%x : memref<8xf32>) outs(%out : memref<8xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"
  ];
}

def MarkRegions : Pass<"rlx-mark-regions", "::mlir::ModuleOp"> {
  let summary = "tell the pieces of a run apart, and count what each costs";
  let description = [{
    Each outermost parallel loop of `rlx_run` is a region, and so is the work between
    two of them, where every contraction or attention begins a new one. Before each
    goes a `rlx_host.begin_region`; the module gets their names, which are those of
    the graph's nodes, as `rlx.regions`; and a new function `rlx_costs` computes each
    region's floating-point operations and bytes from the dynamic dims.

    Operations are counted on the loops as they are, tile by tile, so that what a
    fusion computes twice counts twice; a masked score counts like any other. Bytes
    are those of the buffers outside that a region reads before it has written them,
    and of those that it writes, each once.

    Before:
    ```mlir
    func.func @rlx_run(%x: memref<?x8xf32> {rlx.input = 0}, %y: memref<?x8xf32> {rlx.output = 0}) {
      linalg.exp ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) loc("e")
    ```
    After:
    ```mlir
    module attributes {rlx.regions = [{name = "e", parallel = false} ]}
    func.func @rlx_costs(%n: index) -> (index, index) {
      %elements = arith.muli %n, %c8 : index
      %bytes = arith.muli %elements, %c8 : index
      return %elements, %bytes : index, index
    }
    func.func @rlx_run(%x: memref<?x8xf32> {rlx.input = 0}, %y: memref<?x8xf32> {rlx.output = 0}) {
      rlx_host.begin_region 0
      linalg.exp ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>)
    ```
  }];
  let statistics = [Statistic<"numRegions", "regions", "Number of regions">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::rlx::host::HostDialect"
  ];
}

def PlanMemory : Pass<"rlx-plan-memory", "::mlir::ModuleOp"> {
  let summary = "place all buffers in one workspace by liveness";
  let description = [{
    Replaces each `memref.alloc` of `rlx_run` by a view of a new workspace argument,
    of `rlx_bind` by a view of memory behind the packed params, and of a parallel
    loop by a view of one stack buffer of the task. Buffers that are not live
    together share memory. The bytes of workspace, which may depend on dynamic
    dims, become the last result of `rlx_shapes`. Where they do not, they are noted as
    the module's `rlx.workspace_plan`, beside the most bytes that are live at a time.

    Before:
    ```mlir
    func.func @rlx_run(%x: memref<8xf32> {rlx.input = 0}, ...) {
      %a = memref.alloc() : memref<8xf32>
    ```
    After:
    ```mlir
    func.func @rlx_run(%x: memref<8xf32> {rlx.input = 0}, ..., %w: memref<?xi8> {rlx.workspace}) {
      %a = memref.view %w[%c0][] : memref<?xi8> to memref<8xf32>
    ```
  }];
  let options = [Option<"maxTaskBytes", "max-task-bytes", "int64_t", "1048576",
                        "Most bytes of stack that one task may take">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Kernels (lib/Codegen/CPU)
//===----------------------------------------------------------------------===//

def LowerStructured : Pass<"rlx-lower-structured", "::mlir::func::FuncOp"> {
  let summary = "expand contractions and attention into register-tiled kernels";
  let description = [{
    Expands `rlx.packed_matmul`, `rlx.online_attention` and linalg contractions on
    buffers into loops around micro-kernels: tiles of rows and SIMD columns that
    stay in registers over the whole reduction, sized for the target. Odd row counts
    become a few kernels of almost equal height, odd column counts masked vectors.
    Other linalg ops are left to `rlx-vectorize-loops`.
  }];
  let options = cpuTargetOptions;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Host ABI (lib/Codegen/Common)
//===----------------------------------------------------------------------===//

def OutlineParallel : Pass<"rlx-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "turn scf.forall into tasks that the host runs in parallel";
  let description = [{
    Moves the body of each outermost `scf.forall` into a private function, the
    task, and replaces the loop by `rlx_host.parallel_for`. The iterations are
    numbered in row-major order. A loop that is known to have one iteration runs
    inline, and a loop inside another runs sequentially in its task.

    View-like ops on captured memrefs move into the task, so that what is
    captured are whole buffers. Their arguments are `llvm.noalias`, which holds
    because the ABI keeps inputs, params, packed params, outputs and workspace
    apart, and because the memory plan keeps apart the `memref.view`s of the
    workspace that one loop uses. Where a captured buffer is of another origin,
    nothing is claimed.

    Before:
    ```mlir
    scf.forall (%i) in (%n) {
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    }
    ```
    After:
    ```mlir
    rlx_host.parallel_for %n of @rlx_run_region_0(%x, %y : memref<?xf32>, memref<?xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
    "::rlx::host::HostDialect"
  ];
}

def LegalizeFloats : Pass<"rlx-legalize-floats"> {
  let summary = "expand conversions of small floats that would need a support library";
  let description = [{
    Compiled code may call libc and libm alone, so conversions that LLVM would
    leave to compiler-rt become integer arithmetic: f32 to bf16 and back always,
    f32 to f16 and back unless the target has instructions (`native-f16`), and
    f64 to f16 or bf16 through f32 rounded to odd, so that it rounds once.
    Arithmetic on f16 and bf16 is expected to be done in f32 already.
  }];
  let options = [Option<"nativeF16", "native-f16", "bool", "false",
                        "The target converts f16 to f32 and back in hardware">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def EmitHostAbi : Pass<"rlx-emit-host-abi", "::mlir::ModuleOp"> {
  let summary = "give a module the C interface of rlx/Runtime/abi.h";
  let description = [{
    Expects the functions `rlx_run`, `rlx_bind` (optional) and `rlx_shapes` with
    arguments tagged as in `rlx/Codegen/Signature.h`, as control flow graphs, and

    - gives them the signatures of the ABI; memrefs become pointers, and sizes of
      dynamic dims come from the symbols or, where computed, from `rlx_shapes`;
    - turns `rlx_host.parallel_for` into calls through the host table, with the
      captures in a record on the stack;
    - turns `cf.assert` into a report to the host and a return of RLX_FAILED, in
      tasks as well as in the functions themselves;
    - adds the descriptor, `rlx_module_query`, which runs on the architecture's
      baseline, and the section `.rlx.meta`.

    The size of a workspace argument is not known to the code.
  }];
  let options = [
    Option<"triple", "triple", "std::string", "\"\"", "LLVM target triple; the host's if empty">,
    Option<"cpu", "cpu", "std::string", "\"host\"", "LLVM CPU name">,
    Option<"features", "features", "std::string", "\"\"", "LLVM features on top of the CPU's">,
    Option<"querySymbol", "query-symbol", "std::string", "\"rlx_module_query\"",
           "Name of the exported function">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"
  ];
}

def ConvertToLlvm : Pass<"rlx-convert-to-llvm"> {
  let summary = "convert the scalar and memory ops of a function to the LLVM dialect";
  let description = [{
    Upstream's conversions of arith, index, cf, ub and memref in one walk. Leaves
    `memref.global` to a pass on modules.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifySelfContained : Pass<"rlx-verify-self-contained", "::mlir::ModuleOp"> {
  let summary = "refuse what would make compiled code depend on a support library";
  let description = [{
    An internal check before the host ABI: no `memref.alloc`, `realloc` or
    `dealloc`, no `memref.copy` that is not one block of memory, and no tensors
    may be left.
  }];
}

//===----------------------------------------------------------------------===//
// Vector code (lib/Codegen/CPU)
//===----------------------------------------------------------------------===//

def VectorizeLoops : InterfacePass<"rlx-vectorize-loops", "::mlir::FunctionOpInterface"> {
  let summary = "lower linalg on memrefs to loops over vectors";
  let description = [{
    Replaces every linalg op with buffer semantics, and every `memref.copy`, by a
    nest of `scf.for`. Loops that together walk memory without gaps are merged;
    then a cost model picks the loop dimension that runs along the vector lanes.
    It may be parallel, or a reduction with an associative body, which then keeps
    partial results in the lanes. What does not fill a vector is handled by one
    masked vector where the target has masked accesses, and by a scalar loop
    elsewhere; dynamic sizes are no different from static ones. Results depend on
    the target and on the shapes, never on the alignment or on threads.

    Ops that no dimension suits become scalar loops.

    Before:
    ```mlir
    linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
    ```
    After, with 8 lanes:
    ```mlir
    scf.for %i = %c0 to %whole step %c8 {
      %0 = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
      %1 = math.exp %0 : vector<8xf32>
      vector.store %1, %y[%i] : memref<?xf32>, vector<8xf32>
    }
    scf.if %any_left {
      %mask = vector.create_mask %left : vector<8xi1>
      %0 = vector.maskedload %x[%whole], %mask, %zero : ...
      %1 = math.exp %0 : vector<8xf32>
      vector.maskedstore %y[%whole], %mask, %1 : ...
    }
    ```
  }];
  let options = cpuTargetOptions;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandMath : InterfacePass<"rlx-expand-math", "::mlir::FunctionOpInterface"> {
  let summary = "expand the math dialect to what the target computes fast";
  let description = [{
    On f32 scalars and vectors, replaces `math.exp`, `log`, `tanh` and `erf` by
    branch-free polynomial code within 2 ulp over all magnitudes, `math.rsqrt` by
    a division, `math.fma` by two ops where the target lacks the instruction, and
    `math.roundeven` by arithmetic where it would be a call. Arithmetic and math
    on f16 and bf16 is done in f32 and rounded after each op.

    What is left is an instruction or a call of libm for each element: sines, powers,
    logarithms of other bases, and everything on f64.
  }];
  let options = cpuTargetOptions;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// Kernels (lib/Codegen/GPU)
//===----------------------------------------------------------------------===//

def FuseElementwise : Pass<"rlx-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "compute chains of elementwise ops in one kernel";
  let description = [{
    A linalg op without reductions whose only user is another such op joins it, so that
    the GPU launches one kernel for both and what lies between them stays in registers.

    Before:
    ```mlir
    %0 = linalg.generic ... ins(%x, %y) { arith.addf } -> tensor<7x256xf32>
    %1 = linalg.generic ... ins(%0) { arith.maximumf } -> tensor<7x256xf32>
    ```
    After:
    ```mlir
    %1 = linalg.generic ... ins(%x, %y) { arith.addf, arith.maximumf } -> tensor<7x256xf32>
    ```
  }];
}

def MapToKernels : Pass<"rlx-map-to-kernels", "::mlir::func::FuncOp"> {
  let summary = "launch a GPU kernel for each structured op on buffers";
  let description = [{
    Replaces each linalg op, `memref.copy` and `rlx.online_attention` by a
    `gpu.launch` that computes it. An op with parallel loops alone takes a thread for
    each element; the threads of a warp write neighbouring elements. A reduction takes
    the lanes of a warp for each element of its result where its loops are long, and
    combines their parts in a fixed order; other reductions run in the element's thread.
    Checks of tensor data (`cf.assert` with `rlx.data_check`) become `rlx_host.check`,
    since the host cannot read device memory while it launches.

    Before:
    ```mlir
    linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
    ```
    After:
    ```mlir
    gpu.launch blocks(%b, ...) in (%n_blocks, %c1, %c1) threads(%t, ...) in (%c256, %c1, %c1) {
      %i = affine.apply affine_map<(b, t) -> (b * 256 + t)>(%b, %t)
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %0 = memref.load %x[%i] : memref<?xf32>
        %1 = math.exp %0 : f32
        memref.store %1, %y[%i] : memref<?xf32>
      }
      gpu.terminator
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::rlx::host::HostDialect"
  ];
}

def MergeKernels : Pass<"rlx-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "put all kernels into one gpu.module, equal ones once";
  let description = [{
    `gpu-kernel-outlining` leaves a `gpu.module` for each launch. All functions and
    globals move to `@kernels`; kernels that are equal but for their names, as those of
    layers of one shape are, become one.

    Before:
    ```mlir
    gpu.module @rlx_run_kernel { gpu.func @rlx_run_kernel(...) kernel {...} }
    gpu.module @rlx_run_kernel_0 { gpu.func @rlx_run_kernel(...) kernel {...} }
    ```
    After:
    ```mlir
    gpu.module @kernels { gpu.func @rlx_run_kernel_0(...) kernel {...} }
    ```
  }];
  let statistics = [Statistic<"numKernels", "kernels", "Number of different kernels">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def ExpandDeviceMath : InterfacePass<"rlx-expand-device-math", "::mlir::FunctionOpInterface"> {
  let summary = "expand what a GPU has no instruction and no library for";
  let description = [{
    Replaces, on scalars, the functions that a CPU leaves to libm by arithmetic on f64:
    `math.exp`, `log`, `tanh`, `erf`, `sin`, `cos` and `powf` of f64, within 4 ulp, and
    of f32 the last three, rounded from f64. `rlx-expand-math` comes first and expands
    the others on f32.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def EmitPtx : Pass<"rlx-emit-ptx", "::mlir::ModuleOp"> {
  let summary = "turn the gpu.module into PTX and its launches into host calls";
  let description = [{
    Expects one `gpu.module` of the LLVM dialect. Its PTX becomes the module attribute
    `rlx.ptx`, its kernels' names `rlx.kernels`, and each `gpu.launch_func` a
    `rlx_host.launch` of a kernel by its position there. That kernels call nothing that
    PTX lacks is checked.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90\"", "GPU architecture, as in sm_90">,
    Option<"optLevel", "opt-level", "unsigned", "3", "Effort of LLVM, 0 to 3">
  ];
  let dependentDialects = ["::rlx::host::HostDialect"];
}

#endif // RLX_CODEGEN_PASSES_TD
