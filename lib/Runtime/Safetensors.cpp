//===- Safetensors.cpp - reads and writes safetensors files ---------------===//
//
// 8 bytes of header length, a JSON header, then the tensors' bytes without holes.
// The header is read by events: a document tree would silently drop repeated
// keys, and recursion would follow any nesting.
//
//===----------------------------------------------------------------------===//

#include "TensorFileContents.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <unordered_set>

using namespace rlx;
using namespace rlx::runtime;

using Json = nlohmann::json;

/// The limit that the format's reference implementation sets.
static constexpr uint64_t maxHeaderSize = 100'000'000;
static constexpr size_t lengthSize = sizeof(uint64_t);
static constexpr const char *metadataKey = "__metadata__";

/// The format's spelling of each element type, in the order of DType.
static constexpr std::array<std::string_view, allDTypes.size()> typeNames = {
    "F32", "F16", "BF16", "F64", "I8", "I32", "I64", "BOOL"};

static Status malformed(std::string message) { return {ErrorCode::Format, std::move(message)}; }

namespace {

/// What the header says of one tensor.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<uint64_t>> shape;
  std::optional<std::vector<uint64_t>> offsets;
};

/// Follows the JSON events of a header, and stops at the first that does not
/// belong there. Nothing nests deeper than the format does.
class HeaderHandler : public nlohmann::json_sax<Json> {
public:
  std::vector<Entry> entries;
  TensorMetadata metadata;
  Status error;

  bool start_object(size_t) override {
    switch (where) {
    case Where::Start:
      where = Where::Top;
      return true;
    case Where::TopValue:
      where = isMetadata ? Where::Metadata : Where::Tensor;
      return true;
    default:
      return unexpected("an object");
    }
  }

  bool end_object() override {
    where = where == Where::Top ? Where::End : Where::Top;
    return true;
  }

  bool key(std::string &text) override {
    if (text.find('\0') != std::string::npos)
      return fail("a key contains a zero byte");
    switch (where) {
    case Where::Top:
      return beginTensor(text);
    case Where::Metadata:
      if (!metadataKeys.insert(text).second)
        return fail(fmt::format("{}: '{}' is given twice", metadataKey, text));
      metadata.emplace_back(text, "");
      where = Where::MetadataValue;
      return true;
    default:
      return beginField(text);
    }
  }

  bool start_array(size_t) override {
    if (where != Where::Field || !numbers)
      return unexpected("an array");
    where = Where::Numbers;
    return true;
  }

  bool end_array() override {
    where = Where::Tensor;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    if (where != Where::Numbers)
      return unexpected("a number");
    if (numbers->size() == maxFileRank)
      return fail(fmt::format("tensor '{}': more than {} dims", entries.back().name, maxFileRank));
    numbers->push_back(value);
    return true;
  }

  bool string(std::string &text) override {
    if (where == Where::MetadataValue) {
      metadata.back().second = text;
      where = Where::Metadata;
      return true;
    }
    if (where != Where::Field || numbers)
      return unexpected("a string");
    entries.back().dtype = text;
    where = Where::Tensor;
    return true;
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(int64_t) override { return unexpected("a negative number"); }
  bool number_float(double, const std::string &text) override {
    bool isWhole = text.find_first_of(".eE") == std::string::npos;
    return unexpected(isWhole ? "a number of more than 64 bits" : "a fraction");
  }
  bool binary(Json::binary_t &) override { return unexpected("binary data"); }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail(fmt::format("the header is not valid JSON at byte {}", position));
  }

private:
  enum class Where {
    Start,
    Top,      ///< expects a tensor's name
    TopValue, ///< expects its object
    Tensor,   ///< expects the name of a field
    Field,    ///< expects the field's value
    Numbers,
    Metadata,
    MetadataValue,
    End
  };

  bool fail(std::string message) {
    error = malformed(std::move(message));
    return false;
  }

  bool unexpected(std::string_view what) {
    return fail(fmt::format("{}{} in the header where it does not belong", subject(), what));
  }

  /// The value that is being read, if it has a name.
  std::string subject() const {
    switch (where) {
    case Where::Tensor:
    case Where::Field:
    case Where::Numbers:
      return fmt::format("tensor '{}': ", entries.back().name);
    case Where::Metadata:
      return fmt::format("{}: ", metadataKey);
    case Where::MetadataValue:
      return fmt::format("{}: '{}': ", metadataKey, metadata.back().first);
    case Where::TopValue:
      return isMetadata ? fmt::format("{}: ", metadataKey)
                        : fmt::format("tensor '{}': ", entries.back().name);
    default:
      return "";
    }
  }

  bool beginTensor(const std::string &name) {
    isMetadata = name == metadataKey;
    if (name.empty())
      return fail("a tensor without a name");
    // Names are printed: one with a line break or an escape could pass for another message.
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; }))
      return fail("a tensor whose name has a control character");
    if (!names.insert(name).second)
      return fail(fmt::format("tensor '{}' is given twice", name));
    if (!isMetadata)
      entries.emplace_back().name = name;
    where = Where::TopValue;
    return true;
  }

  bool beginField(const std::string &field) {
    Entry &entry = entries.back();
    auto *target = field == "shape"          ? &entry.shape
                   : field == "data_offsets" ? &entry.offsets
                                             : nullptr;
    if (!target && field != "dtype")
      return fail(fmt::format("tensor '{}': unknown field '{}'", entry.name, field));
    if (target ? target->has_value() : entry.dtype.has_value())
      return fail(fmt::format("tensor '{}': '{}' is given twice", entry.name, field));
    numbers = target ? &target->emplace() : nullptr;
    where = Where::Field;
    return true;
  }

  Where where = Where::Start;
  bool isMetadata = false;
  std::vector<uint64_t> *numbers = nullptr; ///< of the field, if its value is an array
  std::unordered_set<std::string> names;
  std::unordered_set<std::string> metadataKeys;
};

/// A tensor of the header that has been checked.
struct Placed {
  std::string name;
  DType type;
  std::vector<int64_t> shape;
  uint64_t begin;
  uint64_t end;
};

} // namespace

static Result<Placed> place(Entry &entry, uint64_t dataSize) {
  auto bad = [&](std::string_view what) {
    return malformed(fmt::format("tensor '{}': {}", entry.name, what));
  };
  if (!entry.dtype || !entry.shape || !entry.offsets)
    return bad("dtype, shape or data_offsets missing");
  const auto *typeName = std::find(typeNames.begin(), typeNames.end(), *entry.dtype);
  if (typeName == typeNames.end())
    return Status(ErrorCode::Unsupported,
                  fmt::format("tensor '{}': unsupported dtype '{}'", entry.name, *entry.dtype));
  DType type = allDTypes[static_cast<size_t>(typeName - typeNames.begin())];

  if (entry.offsets->size() != 2)
    return bad(fmt::format("expected two data_offsets, found {}", entry.offsets->size()));
  uint64_t begin = (*entry.offsets)[0], end = (*entry.offsets)[1];
  if (begin > end || end > dataSize)
    return bad(
        fmt::format("data at [{}, {}) lie outside the {} bytes of data", begin, end, dataSize));
  std::optional<uint64_t> bytes = countBytes(type, *entry.shape);
  if (!bytes)
    return bad("too large");
  if (*bytes != end - begin)
    return bad(fmt::format("expected {} bytes of data, found {}", *bytes, end - begin));
  return Placed{
      std::move(entry.name), type, {entry.shape->begin(), entry.shape->end()}, begin, end};
}

/// The tensors in the order of their data, which they share out without a rest.
static Result<std::vector<Placed>> placeAll(std::vector<Entry> &entries, uint64_t dataSize) {
  std::vector<Placed> tensors;
  for (Entry &entry : entries) {
    Result<Placed> tensor = place(entry, dataSize);
    if (!tensor)
      return tensor.status();
    tensors.push_back(std::move(*tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const Placed &a, const Placed &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t end = 0;
  for (const Placed &tensor : tensors) {
    if (tensor.begin != end)
      return malformed(fmt::format("tensor '{}': data begin at {}, expected {}: {}", tensor.name,
                                   tensor.begin, end,
                                   tensor.begin < end ? "tensors overlap" : "a hole"));
    end = tensor.end;
  }
  if (end != dataSize)
    return malformed(fmt::format("{} bytes of data belong to no tensor", dataSize - end));
  return tensors;
}

Result<TensorFile> TensorFile::parseSafetensors(std::span<const uint8_t> bytes,
                                                std::shared_ptr<const void> owner) {
  uint64_t headerSize = 0;
  if (bytes.size() < lengthSize)
    return malformed(
        fmt::format("truncated: expected at least {} bytes, found {}", lengthSize, bytes.size()));
  std::memcpy(&headerSize, bytes.data(), lengthSize);
  uint64_t rest = bytes.size() - lengthSize;
  if (headerSize > maxHeaderSize)
    return malformed(fmt::format("not a safetensors file: a header of {} bytes, expected at most "
                                 "{}",
                                 headerSize, maxHeaderSize));
  if (headerSize > rest)
    return malformed(
        fmt::format("truncated: expected a header of {} bytes, found {}", headerSize, rest));

  std::span<const uint8_t> header = bytes.subspan(lengthSize, headerSize);
  std::span<const uint8_t> data = bytes.subspan(lengthSize + headerSize);
  if (header.empty() || header.front() != '{')
    return malformed("not a safetensors file: the header does not begin with '{'");
  HeaderHandler handler;
  if (!Json::sax_parse(header.begin(), header.end(), &handler))
    return handler.error.ok() ? malformed("the header is not valid JSON") : handler.error;
  Result<std::vector<Placed>> tensors = placeAll(handler.entries, data.size());
  if (!tensors)
    return tensors.status();

  auto contents = std::make_shared<Contents>();
  contents->mapping = std::move(owner);
  contents->metadata = std::move(handler.metadata);
  for (Placed &tensor : *tensors) {
    std::span<const uint8_t> elements = data.subspan(tensor.begin, tensor.end - tensor.begin);
    if (tensor.type == DType::Bool && !areBools(elements))
      return malformed(fmt::format("tensor '{}': a bool is neither 0 nor 1", tensor.name));
    contents->add(std::move(tensor.name), tensor.type, std::move(tensor.shape), elements);
  }
  return TensorFile(std::move(contents));
}

/// Text as a JSON string, if it is UTF-8.
static std::optional<std::string> quote(const std::string &text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

Status rlx::writeSafetensors(const std::string &path, std::span<const TensorView> tensors,
                             const TensorMetadata &metadata) {
  auto refuse = [&](std::string_view name, std::string_view what) -> Status {
    return {ErrorCode::InvalidArgument, fmt::format("{}: tensor '{}': {}", path, name, what)};
  };
  // Large elements first: then all are aligned, and there are no holes.
  std::vector<const TensorView *> order;
  for (const TensorView &tensor : tensors)
    order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView *a, const TensorView *b) {
    return std::pair(sizeOf(b->type()), a) < std::pair(sizeOf(a->type()), b);
  });

  std::string header = "{";
  if (!metadata.empty()) {
    for (const auto &[key, value] : metadata) {
      std::optional<std::string> quotedKey = quote(key), quotedValue = quote(value);
      if (!quotedKey || !quotedValue)
        return refuse(metadataKey, "not UTF-8");
      header += fmt::format("{}{}:{}", header.size() == 1 ? "\"__metadata__\":{" : ",", *quotedKey,
                            *quotedValue);
    }
    header += '}';
  }
  std::vector<std::span<const uint8_t>> parts(2);
  std::unordered_set<std::string> names;
  uint64_t offset = 0;
  for (const TensorView *tensor : order) {
    std::optional<std::string> name = quote(tensor->name);
    if (!name || !*tensor->name || std::strcmp(tensor->name, metadataKey) == 0)
      return refuse(tensor->name, "not a possible name");
    if (!names.insert(tensor->name).second)
      return refuse(tensor->name, "given twice");
    size_t size = tensor->numBytes();
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", *name, typeNames[tensor->dtype],
                          Json(tensor->shape()).dump(), offset, offset + size);
    offset += size;
    parts.emplace_back(static_cast<const uint8_t *>(tensor->data), size);
  }
  header += '}';
  // Spaces up to a position from which a mapping is aligned for compiled code.
  constexpr size_t unit = RLX_BUFFER_ALIGNMENT;
  size_t end = (lengthSize + header.size() + unit - 1) / unit * unit;
  header.resize(end - lengthSize, ' ');

  uint64_t headerSize = header.size();
  parts[0] = {reinterpret_cast<const uint8_t *>(&headerSize), lengthSize};
  parts[1] = {reinterpret_cast<const uint8_t *>(header.data()), header.size()};
  return writeFileAtomically(path, parts);
}
