//===- Status.h - success, or what went wrong -------------------*- C++ -*-===//
//
// The error type of every public C++ interface of RLX: `Status` for a call that
// returns nothing else, `Result<T>` for one that returns a T. Both convert to
// true on success. Nothing here throws or depends on the rest of the project.
//
//   Result<Module> module = Module::load("decoder.so");
//   if (!module)
//     return module.status();
//   module->info();
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_STATUS_H
#define RLX_RUNTIME_STATUS_H

#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace rlx {

/// What kind of thing went wrong. The values are those of `rlx_error_code`.
enum class ErrorCode : int {
  InvalidArgument = 1, ///< a bad name, size, option or graph
  Io = 2,              ///< the system refused to open, read or write a file
  Format = 3,          ///< a file is truncated, corrupt, or something else
  Incompatible = 4,    ///< a module for another ABI, architecture, CPU or device
  Unsupported = 5,     ///< well-formed, but nothing here implements it
  Mismatch = 6,        ///< tensors are missing, extra, misshapen or mistyped
  Busy = 7,            ///< the object is in use by a run
  OutOfMemory = 8,     ///< a buffer could not be allocated
  Failed = 9,          ///< compiled code or an external program reported a failure
  Internal = 10        ///< a bug in RLX
};

/// Success, or an error with a code and a message. Cheap to move and to copy;
/// success is one null pointer.
///
/// A message is one line for each thing that is wrong, joined by newlines,
/// without a final one: lower case, no full stop, the thing's name first.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;

  /// An error.
  Status(ErrorCode code, std::string message)
      : state(std::make_shared<const State>(State{code, std::move(message)})) {}

  /// Success, spelled out.
  static Status success() { return {}; }

  bool ok() const { return !state; }
  explicit operator bool() const { return ok(); }

  /// The error's code; not to be asked of a success.
  ErrorCode code() const {
    assert(state && "a success has no code");
    return state->code;
  }

  /// The error's message; empty on success.
  const std::string &message() const {
    static const std::string empty;
    return state ? state->message : empty;
  }

  /// The same error with `context: ` before each line of its message.
  Status withContext(std::string_view context) const {
    if (ok())
      return {};
    std::string text;
    std::string_view rest = state->message;
    for (;;) {
      size_t end = rest.find('\n');
      text.append(context).append(": ").append(rest.substr(0, end));
      if (end == std::string_view::npos)
        return {state->code, std::move(text)};
      text += '\n';
      rest.remove_prefix(end + 1);
    }
  }

private:
  struct State {
    ErrorCode code;
    std::string message;
  };
  std::shared_ptr<const State> state;
};

/// A T, or the error for which there is none.
template <typename T> class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_same_v<std::remove_cv_t<T>, Status>);

public:
  /// A value.
  Result(T value) : state(std::in_place_index<1>, std::move(value)) {}

  /// An error; `status` is not a success.
  Result(Status status) : state(std::in_place_index<0>, std::move(status)) {
    assert(!std::get<0>(state).ok() && "a result without a value needs an error");
  }

  /// An error.
  Result(ErrorCode code, std::string message)
      : state(std::in_place_index<0>, code, std::move(message)) {}

  bool ok() const { return state.index() == 1; }
  explicit operator bool() const { return ok(); }

  /// The error, or success if there is a value.
  Status status() const { return ok() ? Status() : *std::get_if<0>(&state); }

  /// The error's message; empty on success.
  const std::string &message() const {
    static const std::string empty;
    return ok() ? empty : std::get_if<0>(&state)->message();
  }

  /// The value, which is there if `ok()`. `std::move(*result)` takes it.
  T &operator*() & { return *pointer(); }
  const T &operator*() const & { return *pointer(); }
  T &&operator*() && { return std::move(*pointer()); }
  T *operator->() { return pointer(); }
  const T *operator->() const { return pointer(); }

private:
  T *pointer() {
    assert(ok() && "no value: check the result first");
    return std::get_if<1>(&state);
  }
  const T *pointer() const {
    assert(ok() && "no value: check the result first");
    return std::get_if<1>(&state);
  }

  std::variant<Status, T> state;
};

} // namespace rlx

#endif // RLX_RUNTIME_STATUS_H
