// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) names of arguments are not empty.
// expected-error@+1 {{'rlx.graph' op argument 0: expected a name, found an empty one}}
rlx.graph @graph_c1(%x: tensor<4xf32> {rlx.name = ""}) -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}

// -----

// (C1) names of arguments are unique.
// expected-error@+1 {{'rlx.graph' op argument 1: expected a name of its own, found another 'x'}}
rlx.graph @graph_c1_unique(%x: tensor<4xf32> {rlx.name = "x"}, %y: tensor<4xf32> {rlx.name = "x"})
    -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}

// -----

// (C1) a default name counts as well.
// expected-error@+1 {{'rlx.graph' op argument 1: expected a name of its own, found another 'arg1'}}
rlx.graph @graph_c1_default(%x: tensor<4xf32> {rlx.name = "arg1"}, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}

// -----

// (C1) names of results are unique.
// expected-error@+1 {{'rlx.graph' op result 1: expected a name of its own, found another 'y'}}
rlx.graph @graph_c1_result(%x: tensor<4xf32>)
    -> (tensor<4xf32> {rlx.name = "y"}, tensor<4xf32> {rlx.name = "y"}) {
  rlx.output %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// (C1) names are strings.
// expected-error@+1 {{'rlx.graph' op argument 0: expected a string as rlx.name, found 3 : i64}}
rlx.graph @graph_c1_string(%x: tensor<4xf32> {rlx.name = 3}) -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}

// -----

// (C2) rlx.dims has a string for each dimension.
// expected-error@+1 {{'rlx.graph' op argument 0: expected an array of 2 strings as rlx.dims, found ["n"]}}
rlx.graph @graph_c2(%x: tensor<?x4xf32> {rlx.dims = ["n"]}) -> tensor<?x4xf32> {
  rlx.output %x : tensor<?x4xf32>
}

// -----

// (C2) rlx.dims is an array of strings.
// expected-error@+1 {{'rlx.graph' op argument 0: expected an array of 1 strings as rlx.dims, found [1]}}
rlx.graph @graph_c2_string(%x: tensor<?xf32> {rlx.dims = [1]}) -> tensor<?xf32> {
  rlx.output %x : tensor<?xf32>
}

// -----

// (C3) static dims have no name.
// expected-error@+1 {{'rlx.graph' op argument 0: expected no name of static dim 1 in rlx.dims, found "k"}}
rlx.graph @graph_c3(%x: tensor<?x4xf32> {rlx.dims = ["n", "k"]}) -> tensor<?x4xf32> {
  rlx.output %x : tensor<?x4xf32>
}

// -----

// (C4) a param has one type.
rlx.graph @graph_c4() -> tensor<4xf32> {
  // expected-note@+1 {{the other use is here}}
  %a = rlx.param "w" : tensor<4xf32>
  // expected-error@+1 {{'rlx.param' op param 'w': expected tensor<4xf32>, found tensor<5xf32>}}
  %b = rlx.param "w" : tensor<5xf32>
  rlx.output %a : tensor<4xf32>
}

// -----

// (C5) the outputs have the types of the results.
rlx.graph @graph_c5(%x: tensor<4xf32>) -> (tensor<5xf32> {rlx.name = "y"}) {
  // expected-error@+1 {{'rlx.output' op output 'y': expected tensor<5xf32>, found tensor<4xf32>}}
  rlx.output %x : tensor<4xf32>
}

// -----

// (C5) there is an output for each result.
rlx.graph @graph_c5_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'rlx.output' op expected 1 operands, found 2}}
  rlx.output %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// (C6) arguments are tensors of the dialect's element types.
// expected-error@+1 {{'rlx.graph' op argument 0: expected a ranked tensor of f32, f16, bf16, f64, i8, i32, i64 or i1, found tensor<4xi16>}}
rlx.graph @graph_c6(%x: tensor<4xi16>) {
  rlx.output
}

// -----

// (C6) arguments are ranked.
// expected-error@+1 {{'rlx.graph' op argument 0: expected a ranked tensor of f32, f16, bf16, f64, i8, i32, i64 or i1, found tensor<*xf32>}}
rlx.graph @graph_c6_ranked(%x: tensor<*xf32>) {
  rlx.output
}

// -----

// (C7) a graph has a body.
// expected-error@+1 {{'rlx.graph' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
rlx.graph @graph_c7(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

// A graph ends in its output.
func.func @output_parent(%x: tensor<4xf32>) {
  // expected-error@+1 {{'rlx.output' op expects parent op 'rlx.graph'}}
  rlx.output %x : tensor<4xf32>
}
