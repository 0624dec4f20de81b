#include "core/graph/onnx_tensor.hpp"

#include "core/base/npy.hpp"

#include <onnx/onnx.pb.h>

#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

namespace aicf {
namespace {

using Proto = onnx::TensorProto;

std::optional<DType> dtype_of(int type) {
  switch (type) {
  case Proto::FLOAT: return DType::f32;
  case Proto::FLOAT16: return DType::f16;
  case Proto::BFLOAT16: return DType::bf16;
  case Proto::DOUBLE: return DType::f64;
  case Proto::INT8: return DType::i8;
  case Proto::INT32: return DType::i32;
  case Proto::INT64: return DType::i64;
  case Proto::BOOL: return DType::boolean;
  default: return std::nullopt;
  }
}

/// Copies a repeated field whose elements have the tensor's own form.
template <class Field> bool copy(const Field& field, HostTensor& out) {
  if (static_cast<std::size_t>(field.size()) != out.element_count()) return false;
  if (!out.bytes.empty()) std::memcpy(out.bytes.data(), field.data(), out.bytes.size());
  return true;
}

/// int32_data also carries the narrow types, f16 and bf16 as their bits (onnx.proto, field 5).
template <class Narrow> bool narrow(const Proto& proto, HostTensor& out, bool& fits) {
  if (static_cast<std::size_t>(proto.int32_data_size()) != out.element_count()) return false;
  for (int i = 0; i < proto.int32_data_size(); ++i) {
    std::int32_t wide = proto.int32_data(i);
    auto value = static_cast<Narrow>(wide);
    fits = fits && static_cast<std::int32_t>(value) == wide;
    std::memcpy(out.bytes.data() + static_cast<std::size_t>(i) * sizeof(Narrow), &value, sizeof(Narrow));
  }
  return true;
}

bool fill(const Proto& proto, HostTensor& out, bool& fits) {
  if (proto.has_raw_data()) { // little-endian, as this machine is
    if (proto.raw_data().size() != out.bytes.size()) return false;
    if (!out.bytes.empty()) std::memcpy(out.bytes.data(), proto.raw_data().data(), out.bytes.size());
    return true;
  }
  switch (out.dtype) {
  case DType::f32: return copy(proto.float_data(), out);
  case DType::f64: return copy(proto.double_data(), out);
  case DType::i32: return copy(proto.int32_data(), out);
  case DType::i64: return copy(proto.int64_data(), out);
  case DType::f16:
  case DType::bf16: return narrow<std::uint16_t>(proto, out, fits);
  case DType::i8: return narrow<std::int8_t>(proto, out, fits);
  case DType::boolean: return narrow<std::uint8_t>(proto, out, fits);
  }
  return false;
}

/// Elements that the file holds; an upper bound of what may be allocated for it.
std::size_t stored_elements(const Proto& proto, DType type) {
  if (proto.has_raw_data()) return proto.raw_data().size() / size_of(type);
  return static_cast<std::size_t>(proto.float_data_size()) + static_cast<std::size_t>(proto.double_data_size()) +
         static_cast<std::size_t>(proto.int32_data_size()) + static_cast<std::size_t>(proto.int64_data_size());
}

} // namespace

Result<HostTensor> tensor_of(const Proto& proto, const std::string& file) {
  auto fail = [&](const char* code, std::string why) {
    if (!proto.name().empty()) why = "tensor '" + proto.name() + "': " + why;
    return error(code, std::move(why), {file, 0, 0, 0});
  };
  auto type = dtype_of(proto.data_type());
  if (!type) {
    std::string name = Proto::DataType_IsValid(proto.data_type())
                           ? Proto::DataType_Name(static_cast<Proto::DataType>(proto.data_type()))
                           : std::to_string(proto.data_type());
    return fail("onnx.dtype", "element type " + name +
                                  " is not supported (FLOAT FLOAT16 BFLOAT16 DOUBLE INT8 INT32 INT64 "
                                  "BOOL are)");
  }
  if (proto.data_location() == Proto::EXTERNAL || proto.external_data_size() > 0)
    return fail("onnx.external", "its data lies in another file, which is not supported");
  if (proto.has_segment()) return fail("onnx.segment", "it is a segment of a tensor, which is not supported");
  std::vector<std::int64_t> shape(proto.dims().begin(), proto.dims().end());
  std::size_t bound = 1, count = 1; // bound: an extent of 0 counts as 1, the others must fit all the same
  for (std::int64_t extent : shape) {
    if (extent < 0) return fail("onnx.shape", "negative extent " + std::to_string(extent));
    if (__builtin_mul_overflow(bound, static_cast<std::size_t>(extent == 0 ? 1 : extent), &bound))
      return fail("onnx.shape", "the shape is too large");
    count *= static_cast<std::size_t>(extent);
  }
  const std::size_t stored = stored_elements(proto, *type);
  if (count != stored)
    return fail("onnx.size",
                "the shape asks for " + std::to_string(count) + " elements, the file has " + std::to_string(stored));
  HostTensor tensor(*type, std::move(shape));
  bool fits = true;
  if (!fill(proto, tensor, fits)) return fail("onnx.size", "its data is in a field of another element type");
  if (!fits) return fail("onnx.range", "a value does not fit its element type");
  if (*type == DType::boolean) // kernels may rely on 0 and 1
    for (std::byte& b : tensor.bytes) b = std::byte{b != std::byte{0}};
  return tensor;
}

namespace {

/// Bits of an integer type that DType lacks; 0: it is none.
int foreign_bits(int type) {
  switch (type) {
  case Proto::UINT8: return 8;
  case Proto::UINT16:
  case Proto::INT16: return 16;
  case Proto::UINT32: return 32;
  case Proto::UINT64: return 64;
  default: return 0;
  }
}

/// The same tensor as INT64; false when a value has no place there, or the data is in a field of another type.
bool widen(Proto& proto) {
  int bits = foreign_bits(proto.data_type());
  bool is_signed = proto.data_type() == Proto::INT16;
  std::vector<std::uint64_t> values;
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    auto size = static_cast<std::size_t>(bits / 8);
    for (std::size_t at = 0; at + size <= raw.size(); at += size) {
      std::uint64_t v = 0; // raw data is little-endian
      for (std::size_t k = 0; k < size; ++k) v |= std::uint64_t{static_cast<unsigned char>(raw[at + k])} << (8 * k);
      values.push_back(v);
    }
  } else if (bits >= 32) {
    for (std::uint64_t v : proto.uint64_data()) values.push_back(v);
  } else {
    for (std::int32_t v : proto.int32_data()) values.push_back(static_cast<std::uint64_t>(std::int64_t{v}));
  }
  Proto wide;
  wide.set_name(proto.name());
  for (std::int64_t extent : proto.dims()) wide.add_dims(extent);
  wide.set_data_type(Proto::INT64);
  for (std::uint64_t v : values) {
    auto value = static_cast<std::int64_t>(v);
    if (is_signed) value = static_cast<std::int16_t>(v);
    if (!is_signed && value < 0) return false;
    wide.add_int64_data(value);
  }
  proto = std::move(wide);
  return true;
}

} // namespace

Result<OnnxTensor> read_widened_onnx_tensor(const std::filesystem::path& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.failure<OnnxTensor>();
  Proto proto;
  bool parses = !bytes->empty() && bytes->size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
                proto.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()));
  if (!parses || foreign_bits(proto.data_type()) == 0) return parse_onnx_tensor(*bytes, file.string());
  int bits = foreign_bits(proto.data_type());
  bool is_unsigned = proto.data_type() != Proto::INT16;
  if (!widen(proto)) return error("onnx.range", "a value does not fit 64 bits with a sign", {file.string(), 0, 0, 0});
  auto tensor = tensor_of(proto, file.string());
  if (!tensor) return tensor.failure<OnnxTensor>();
  return OnnxTensor{proto.name(), std::move(*tensor), bits, is_unsigned};
}

Result<OnnxTensor> parse_onnx_tensor(std::span<const std::byte> bytes, const std::string& name) {
  Proto proto;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return error("onnx.size", "larger than 2 GiB, protobuf's limit", {name, 0, 0, 0});
  if (bytes.empty() || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return error("onnx.format", "not an ONNX tensor", {name, 0, 0, 0});
  auto tensor = tensor_of(proto, name);
  if (!tensor) return tensor.failure<OnnxTensor>();
  return OnnxTensor{proto.name(), std::move(*tensor), 0, false};
}

Result<OnnxTensor> read_onnx_tensor(const std::filesystem::path& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.failure<OnnxTensor>();
  return parse_onnx_tensor(*bytes, file.string());
}

std::vector<Diagnostic> write_onnx_tensor(const std::filesystem::path& file, const std::string& name,
                                          const HostTensor& tensor) {
  static constexpr std::array types{Proto::FLOAT, Proto::FLOAT16, Proto::BFLOAT16, Proto::DOUBLE, Proto::INT8,
                                    Proto::INT32, Proto::INT64,   Proto::BOOL}; // in the order of DType
  Proto proto;
  proto.set_name(name);
  proto.set_data_type(types.at(static_cast<std::size_t>(tensor.dtype)));
  for (std::int64_t extent : tensor.shape) proto.add_dims(extent);
  proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  std::ofstream out(file, std::ios::binary);
  if (!out || !proto.SerializeToOstream(&out) || !out.flush())
    return {error("onnx.write", "cannot write it", {file.string(), 0, 0, 0})};
  return {};
}

} // namespace aicf
