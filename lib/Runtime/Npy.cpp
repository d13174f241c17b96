//===- Npy.cpp - reads and writes npy files -------------------------------===//
//
// A magic number, a version, a header length, a Python dictionary of three keys,
// then the elements.
//
//===----------------------------------------------------------------------===//

#include "TensorFileContents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>

using namespace rlx;
using namespace rlx::runtime;

static constexpr std::string_view magic = "\x93NUMPY";

/// numpy's spelling of each element type, in the order of DType. numpy itself has
/// no bf16.
static constexpr std::array<std::string_view, allDTypes.size()> typeNames = {
    "<f4", "<f2", "", "<f8", "|i1", "<i4", "<i8", "|b1"};

static Status malformed(std::string message) { return {ErrorCode::Format, std::move(message)}; }

namespace {

/// What the header says.
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> isFortran;
  std::optional<std::vector<uint64_t>> shape;
};

/// Reads the dictionary: string keys, and values as numpy writes them.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  /// Reads a header and nothing else.
  Result<Header> parse() {
    Header header;
    if (!take('{'))
      return malformed("npy header: expected a dictionary");
    while (!take('}')) {
      std::optional<std::string> key = parseString();
      if (!key || !take(':'))
        return malformed("npy header: expected 'key': value");
      if (Status status = parseValue(*key, header); !status)
        return status.withContext("npy header");
      if (!take(',') && peek() != '}')
        return malformed(fmt::format("npy header: expected ',' or '}}' after '{}'", *key));
    }
    skipSpace();
    if (!text.empty())
      return malformed("npy header: text after the dictionary");
    for (auto [key, isGiven] : {std::pair("descr", header.descr.has_value()),
                                std::pair("fortran_order", header.isFortran.has_value()),
                                std::pair("shape", header.shape.has_value())})
      if (!isGiven)
        return malformed(fmt::format("npy header: '{}' is missing", key));
    return header;
  }

private:
  Status parseValue(const std::string &key, Header &header) {
    if (key == "descr")
      return set(header.descr, key, "a type's name", parseString());
    if (key == "fortran_order")
      return set(header.isFortran, key, "True or False", parseBool());
    if (key == "shape")
      return set(header.shape, key,
                 fmt::format("a tuple of at most {} numbers of 64 bits", maxFileRank),
                 parseShape());
    return malformed(fmt::format("'{}': expected one of descr, fortran_order and shape", key));
  }

  /// Sets a field that was not given yet to what has been parsed.
  template <typename T>
  static Status set(std::optional<T> &field, const std::string &key, std::string_view expected,
                    std::optional<T> value) {
    if (field)
      return malformed(fmt::format("'{}' is given twice", key));
    if (!value)
      return malformed(fmt::format("'{}': expected {}", key, expected));
    field = std::move(value);
    return {};
  }

  std::optional<std::string> parseString() {
    char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    size_t end = quote ? text.find(quote) : std::string_view::npos;
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string value(text.substr(0, end));
    text.remove_prefix(end + 1);
    return value;
  }

  std::optional<bool> parseBool() {
    skipSpace();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (text.starts_with(word)) {
        text.remove_prefix(word.size());
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<std::vector<uint64_t>> parseShape() {
    std::vector<uint64_t> shape;
    if (!take('('))
      return std::nullopt;
    while (!take(')')) {
      skipSpace();
      uint64_t dim;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
      if (error != std::errc() || shape.size() == maxFileRank)
        return std::nullopt;
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      shape.push_back(dim);
      if (!take(',') && (peek() != ')' || shape.size() == 1)) // one dim is written (3,)
        return std::nullopt;
    }
    return shape;
  }

  void skipSpace() {
    size_t end = text.find_first_not_of(" \n");
    text.remove_prefix(std::min(end, text.size()));
  }
  char peek() {
    skipSpace();
    return text.empty() ? '\0' : text.front();
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }

  std::string_view text;
};

} // namespace

static Result<DType> parseType(const std::string &descr) {
  std::string name = descr;
  if (name.size() == 3 && (name[0] == '=' || name[0] == '|' || name[0] == '<'))
    name[0] = name[2] == '1' ? '|' : '<'; // this machine's order is little-endian
  for (DType type : allDTypes)
    if (!name.empty() && name == typeNames[static_cast<size_t>(type)])
      return type;
  return Status(ErrorCode::Unsupported, fmt::format("unsupported npy type '{}'", descr));
}

/// Splits the header's text off the file; what remains in `bytes` are the elements.
static Result<std::string_view> takeHeader(std::span<const uint8_t> &bytes) {
  constexpr size_t lengthAt = 8; // after the magic number and two bytes of version
  if (bytes.size() < lengthAt || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    return malformed("not an npy file");
  uint8_t version = bytes[magic.size()];
  if (version < 1 || version > 3)
    return Status(ErrorCode::Unsupported, fmt::format("unsupported npy version {}", version));
  size_t lengthSize = version == 1 ? 2 : 4;
  uint32_t length = 0;
  if (bytes.size() < lengthAt + lengthSize)
    return malformed("truncated: the npy header's length is missing");
  std::memcpy(&length, bytes.data() + lengthAt, lengthSize);
  bytes = bytes.subspan(lengthAt + lengthSize);
  if (length > bytes.size())
    return malformed(
        fmt::format("truncated: expected a header of {} bytes, found {}", length, bytes.size()));
  std::string_view header(reinterpret_cast<const char *>(bytes.data()), length);
  bytes = bytes.subspan(length);
  return header;
}

Result<TensorFile> TensorFile::parseNpy(std::span<const uint8_t> bytes, std::string name,
                                        std::shared_ptr<const void> owner) {
  Result<std::string_view> text = takeHeader(bytes);
  if (!text)
    return text.status();
  Result<Header> header = HeaderParser(*text).parse();
  if (!header)
    return header.status();
  Result<DType> type = parseType(*header->descr);
  if (!type)
    return type.status();
  if (*header->isFortran && header->shape->size() > 1)
    return Status(ErrorCode::Unsupported, "unsupported npy order: expected C order, found Fortran");
  std::optional<uint64_t> size = countBytes(*type, *header->shape);
  if (!size)
    return malformed("too large");
  if (*size != bytes.size())
    return malformed(fmt::format("{}: expected {} bytes of elements, found {}",
                                 bytes.size() < *size ? "truncated" : "wrong file size", *size,
                                 bytes.size()));
  if (*type == DType::Bool && !areBools(bytes))
    return malformed("a bool is neither 0 nor 1");

  auto contents = std::make_shared<Contents>();
  contents->mapping = std::move(owner);
  contents->add(std::move(name), *type, {header->shape->begin(), header->shape->end()}, bytes);
  return TensorFile(std::move(contents));
}

Status rlx::writeNpy(const std::string &path, const TensorView &tensor) {
  std::string_view descr = typeNames[tensor.dtype];
  if (descr.empty())
    return {ErrorCode::Unsupported, fmt::format("{}: npy has no type for {}; use .safetensors",
                                                path, nameOf(tensor.type()))};
  std::string shape;
  for (int64_t dim : tensor.shape())
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", dim);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descr, shape, tensor.rank == 1 ? "," : "");

  // Spaces and a newline, up to a multiple of 64 as numpy does.
  constexpr size_t unit = 64, prefixSize = 10;
  size_t end = (prefixSize + header.size() + 1 + unit - 1) / unit * unit;
  header.resize(end - prefixSize - 1, ' ');
  header += '\n';
  auto length = static_cast<uint16_t>(header.size()); // at most 32 dims of 20 digits
  std::string prefix(magic);
  prefix += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};

  auto bytesOfText = [](const std::string &text) {
    return std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  };
  std::array<std::span<const uint8_t>, 3> parts = {
      bytesOfText(prefix), bytesOfText(header),
      std::span(static_cast<const uint8_t *>(tensor.data), tensor.numBytes())};
  return writeFileAtomically(path, parts);
}
