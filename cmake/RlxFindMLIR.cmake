# Finds LLVM and MLIR 22 and defines rlx_use_mlir(target).
#
# The version is checked here: the packages' version files refuse a request for "22".

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "RLX needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(RLX_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

# Parsing MLIR's headers is most of the time of a build: all targets that use MLIR share
# one precompiled header. Its flags must be theirs, so executables are built as PIC too.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
add_library(rlxPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/RlxPrecompiled.cpp)
target_include_directories(rlxPrecompiled SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(rlxPrecompiled PUBLIC ${RLX_LLVM_DEFINITIONS})
target_compile_options(rlxPrecompiled PRIVATE ${RLX_COMPILER_FLAGS})
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(rlxPrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endif()
target_precompile_headers(rlxPrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/RlxPrecompiled.h)

# rlx_use_mlir(target): include folders, definitions and libraries of MLIR.
function(rlx_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_compile_definitions(${target} PUBLIC ${RLX_LLVM_DEFINITIONS})
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  target_compile_options(${target} PRIVATE ${RLX_COMPILER_FLAGS})
  target_precompile_headers(${target} REUSE_FROM rlxPrecompiled)
endfunction()
