//===- CudaDevice.h - GPUs, their memory and kernels ------------*- C++ -*-===//
//
// Owners of what the driver hands out. All of them belong to one device, whose context
// is current while one of their functions runs, and not after it.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_CUDADEVICE_H
#define RLX_LIB_RUNTIME_CUDADEVICE_H

#include "CudaDriver.h"
#include "rlx/Runtime/abi.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rlx::runtime {

/// One GPU, shared by all that use it.
class CudaDevice {
public:
  /// The GPU of this number; `arch` is what it has to be at least, as in "sm_90".
  static Result<std::shared_ptr<CudaDevice>> open(uint32_t ordinal, const char *arch);
  ~CudaDevice();

  /// Makes the device the calling thread's for a scope.
  class Scope {
  public:
    explicit Scope(const CudaDevice &device) : driver(device.driver) {
      driver.pushContext(device.context);
    }
    ~Scope() {
      cuda::Context context;
      driver.popContext(&context);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    const CudaDriver &driver;
  };

  const CudaDriver &driver;

  /// Whether `pointer` is memory of a device rather than the host's.
  bool isDeviceMemory(const void *pointer) const;

private:
  CudaDevice(const CudaDriver &driver, cuda::Device device, cuda::Context context)
      : driver(driver), device(device), context(context) {}

  cuda::Device device;
  cuda::Context context;
};

/// Device memory that grows and never shrinks.
class CudaBuffer {
public:
  CudaBuffer() = default;
  CudaBuffer(const CudaBuffer &) = delete;
  CudaBuffer &operator=(const CudaBuffer &) = delete;
  CudaBuffer(CudaBuffer &&other) noexcept
      : device(std::move(other.device)), memory(std::exchange(other.memory, 0)),
        capacity(std::exchange(other.capacity, 0)) {}
  ~CudaBuffer();

  /// Makes room for `size` bytes, losing the contents if there was too little. `what`
  /// names the buffer in an error. Not null afterwards, whatever the size.
  Status reserve(const std::shared_ptr<CudaDevice> &device, uint64_t size, const char *what);

  void *data() const { return reinterpret_cast<void *>(memory); }

private:
  std::shared_ptr<CudaDevice> device;
  cuda::Pointer memory = 0;
  uint64_t capacity = 0;
};

/// The kernels of a module on a device.
class CudaKernels {
public:
  /// Has the driver compile the module's PTX.
  static Result<std::shared_ptr<CudaKernels>> load(std::shared_ptr<CudaDevice> device,
                                                   const rlx_module_info &info);
  ~CudaKernels();

  const std::shared_ptr<CudaDevice> device;

  cuda::Function function(uint32_t kernel) const { return functions.at(kernel); }
  size_t size() const { return functions.size(); }

private:
  explicit CudaKernels(std::shared_ptr<CudaDevice> device) : device(std::move(device)) {}

  cuda::Module module = nullptr;
  std::vector<cuda::Function> functions;
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_CUDADEVICE_H
