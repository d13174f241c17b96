// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @concat_one(
// CHECK-NEXT:    return %arg0
func.func @concat_one(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.concat %x axis = 0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
