// RUN: rlx-opt %s --rlx-emit-host-abi --split-input-file --verify-diagnostics

// expected-error @below {{module attribute 'rlx.signature': expected the module's name}}
module {
  func.func @rlx_run() { return }
}

// -----

// expected-error @below {{expected functions 'rlx_run' and 'rlx_shapes'}}
module attributes {rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  func.func @rlx_run() { return }
}

// -----

module attributes {rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  func.func @rlx_run() { return }
  // expected-error @below {{'rlx_shapes': expected 0 arguments and 1 results of type index}}
  func.func @rlx_shapes() { return }
}

// -----

module attributes {rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  // expected-error @below {{argument #0 of 'rlx_run': expected one of the attributes 'rlx.input'}}
  func.func @rlx_run(%x: memref<4xf32>) { return }
  func.func @rlx_shapes() -> index {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}

// -----

module attributes {rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  // expected-error @below {{argument #0 of 'rlx_run': expected 'rlx.input' to be the index of a tensor}}
  func.func @rlx_run(%x: memref<4xf32> {rlx.input = 0 : i64}) { return }
  func.func @rlx_shapes() -> index {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}

// -----

// expected-error @below {{'rlx.regions': expected an array of {name, parallel}}}
module attributes {rlx.regions = [{name = "a"}], rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  func.func @rlx_run() { return }
  func.func @rlx_shapes() -> index {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}

// -----

// expected-error @below {{expected function 'rlx_costs' of a module with regions}}
module attributes {rlx.regions = [{name = "a", parallel = true}], rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  func.func @rlx_run() { return }
  func.func @rlx_shapes() -> index {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}

// -----

module attributes {rlx.signature = {name = "g", symbols = [], inputs = [], params = [], outputs = []}} {
  func.func @rlx_run() {
    // expected-error @below {{expected one of 0 regions, found 2}}
    rlx_host.begin_region 2
    return
  }
  func.func @rlx_shapes() -> index {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
}
