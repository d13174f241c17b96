// RUN: rlx-opt %s --rlx-verify-self-contained --split-input-file --verify-diagnostics

func.func @allocation() {
  // expected-error @below {{internal error: 'memref.alloc' left in compiled code}}
  %m = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @contiguous_copies(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<8x8xf32>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  %rows = memref.subview %z[2, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 16>>
  memref.copy %rows, %rows : memref<4x8xf32, strided<[8, 1], offset: 16>> to memref<4x8xf32, strided<[8, 1], offset: 16>>
  return
}

// -----

func.func @strided_copy(%x: memref<4x4xf32>, %y: memref<4x4xf32, strided<[8, 1]>>) {
  // expected-error @below {{internal error: strided 'memref.copy' left}}
  memref.copy %x, %y : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  return
}
