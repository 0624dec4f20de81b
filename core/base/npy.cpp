#include "core/base/npy.hpp"

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace aicf {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t preamble = 10;        // magic, version and length of a version 1 header
constexpr std::size_t most_dimensions = 64; // NumPy 2's own limit

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

/// The header is a Python dictionary literal of three known keys; only that much of Python is read.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view header) : text(header) {}

  /// Empty on success, otherwise what is wrong.
  std::string read(Header& out) {
    bool descr = false, order = false, shape = false;
    if (!take('{')) return "the header is no dictionary";
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return "the header's keys cannot be read";
      if (key == "descr") {
        if (peek() == '[') return "structured element types are not supported";
        if (!string(out.descr)) return "'descr' is no string";
        descr = true;
      } else if (key == "fortran_order") {
        if (word("True"))
          out.fortran = true;
        else if (word("False"))
          out.fortran = false;
        else
          return "'fortran_order' is neither True nor False";
        order = true;
      } else if (key == "shape") {
        if (!tuple(out.shape)) return "'shape' is no tuple of non-negative integers";
        shape = true;
      } else {
        return "unknown key '" + key.substr(0, 40) + "' in the header";
      }
      if (!take(',') && peek() != '}') return "the header is not closed";
    }
    if (peek() != '\0') return "text after the header's dictionary";
    if (!descr || !order || !shape) return "the header lacks descr, fortran_order or shape";
    return {};
  }

 private:
  std::string_view text;
  std::size_t at = 0;

  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at;
    return true;
  }
  bool word(std::string_view w) {
    peek();
    if (!text.substr(at).starts_with(w)) return false;
    at += w.size();
    return true;
  }
  bool string(std::string& out) {
    char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    std::size_t end = text.find(quote, ++at);
    if (end == std::string_view::npos) return false;
    out = text.substr(at, end - at);
    at = end + 1;
    return true;
  }
  bool tuple(std::vector<std::int64_t>& out) {
    out.clear();
    if (!take('(')) return false;
    while (!take(')')) {
      std::int64_t extent = 0;
      peek();
      auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
      if (failure != std::errc{} || extent < 0 || out.size() == most_dimensions) return false;
      at = static_cast<std::size_t>(end - text.data());
      if (at < text.size() && text[at] == 'L') ++at; // Python 2 wrote its long integers so
      out.push_back(extent);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }
};

struct Element {
  DType type = DType::f32;
  bool swapped = false;
};

std::string read_element(const std::string& descr, Element& out) {
  struct Known {
    std::string_view code;
    DType type;
  };
  static constexpr Known known[] = {{"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64},    {"i1", DType::i8},
                                    {"i4", DType::i32}, {"i8", DType::i64}, {"b1", DType::boolean}};
  if (descr.size() >= 2 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    for (const Known& k : known) {
      if (descr.substr(1) != k.code) continue;
      out = {k.type, descr[0] == '>' && size_of(k.type) > 1};
      return {};
    }
  }
  return "element type '" + descr.substr(0, 40) + "' is not supported (f2 f4 f8 i1 i4 i8 b1 are)";
}

/// Bytes of `shape`, or nothing when that overflows. An extent of 0 counts as 1: the product of the others must fit
/// too.
std::optional<std::size_t> byte_count(const std::vector<std::int64_t>& shape, std::size_t element) {
  std::size_t count = element;
  bool empty = false;
  for (std::int64_t extent : shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent == 0 ? 1 : extent), &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

/// Copies column-major `from` into the row-major tensor.
void transpose(const std::byte* from, HostTensor& to) {
  const std::size_t size = size_of(to.dtype), rank = to.shape.size();
  std::vector<std::size_t> stride(rank, size), index(rank, 0);
  for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * static_cast<std::size_t>(to.shape[d - 1]);
  std::size_t source = 0;
  for (std::size_t i = 0; i < to.element_count(); ++i) {
    std::memcpy(to.bytes.data() + i * size, from + source, size);
    for (std::size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < static_cast<std::size_t>(to.shape[d])) break;
      source -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

void swap_bytes(HostTensor& tensor) {
  const std::size_t size = size_of(tensor.dtype);
  for (std::size_t i = 0; i < tensor.bytes.size(); i += size)
    for (std::size_t a = 0, b = size - 1; a < b; ++a, --b) std::swap(tensor.bytes[i + a], tensor.bytes[i + b]);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; // NOLINT: bytes seen as chars
}

std::string last_error() { return std::error_code(errno, std::generic_category()).message(); }

} // namespace

Result<HostTensor> parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  auto fail = [&](const char* code, std::string why) { return error(code, std::move(why), {name, 0, 0, 0}); };
  std::string_view text = as_text(bytes);
  if (text.size() < preamble || !text.starts_with(magic)) return fail("npy.magic", "not a .npy file");
  auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return fail("npy.version", "unknown .npy version " + std::to_string(version));
  const std::size_t start = version == 1 ? preamble : preamble + 2;
  if (text.size() < start) return fail("npy.header", "the file ends within its header");
  const std::size_t length =
      version == 1 ? byte(8) | byte(9) << 8U : byte(8) | byte(9) << 8U | byte(10) << 16U | byte(11) << 24U;
  if (length > text.size() - start) return fail("npy.header", "the file ends within its header");

  Header header;
  if (std::string why = HeaderReader(text.substr(start, length)).read(header); !why.empty())
    return fail("npy.header", why);
  Element element;
  if (std::string why = read_element(header.descr, element); !why.empty()) return fail("npy.dtype", why);
  auto expected = byte_count(header.shape, size_of(element.type));
  std::span<const std::byte> data = bytes.subspan(start + length);
  if (!expected) return fail("npy.size", "the header's shape is too large");
  if (*expected != data.size())
    return fail("npy.size", "the header promises " + std::to_string(*expected) + " bytes of data, the file has " +
                                std::to_string(data.size()));

  HostTensor tensor(element.type, header.shape);
  if (header.fortran && header.shape.size() > 1)
    transpose(data.data(), tensor);
  else if (!data.empty())
    std::memcpy(tensor.bytes.data(), data.data(), data.size());
  if (element.swapped) swap_bytes(tensor);
  if (element.type == DType::boolean) // kernels may rely on 0 and 1
    for (std::byte& b : tensor.bytes) b = std::byte{b != std::byte{0}};
  return tensor;
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& file) {
  auto fail = [&](const std::string& why) {
    return error("io.read", "cannot be read: " + why, {file.string(), 0, 0, 0});
  };
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed)) return fail("it is a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(last_error());
  std::vector<std::byte> bytes;
  std::vector<char> chunk(std::size_t{1} << 16U);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {
    const auto* begin = reinterpret_cast<const std::byte*>(chunk.data()); // NOLINT: chars seen as bytes
    bytes.insert(bytes.end(), begin, begin + in.gcount());
  }
  if (in.bad()) return fail(last_error());
  return bytes;
}

Result<HostTensor> read_npy(const std::filesystem::path& file) {
  auto bytes = read_file(file);
  if (!bytes) return bytes.failure<HostTensor>();
  return parse_npy(*bytes, file.string());
}

std::vector<std::byte> npy_bytes(const HostTensor& tensor) {
  if (tensor.dtype == DType::bf16) return npy_bytes(tensor.converted(DType::f32));
  static constexpr const char* codes[] = {"<f4", "<f2", "", "<f8", "|i1", "<i4", "<i8", "|b1"}; // in DType's order
  std::string dictionary = std::string("{'descr': '") + codes[static_cast<std::size_t>(tensor.dtype)] +
                           "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < tensor.shape.size(); ++d)
    dictionary += (d > 0 ? " " : "") + std::to_string(tensor.shape[d]) + ",";
  if (tensor.shape.size() > 1) dictionary.pop_back(); // only a single extent needs its comma
  dictionary += "), }";
  // Blanks and a newline, so that the data begins at a multiple of 64. Version 1 holds 64 KiB: ranks of thousands.
  dictionary.append(63 - (preamble + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  if (dictionary.size() > 65535) throw std::logic_error("a tensor of too many dimensions for .npy");
  std::string head(magic);
  head += {'\x01', '\0', static_cast<char>(dictionary.size() & 255U), static_cast<char>(dictionary.size() >> 8U)};
  head += dictionary;

  std::vector<std::byte> out(head.size() + tensor.bytes.size());
  std::memcpy(out.data(), head.data(), head.size());
  static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");
  if (!tensor.bytes.empty()) std::memcpy(out.data() + head.size(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

std::vector<Diagnostic> write_npy(const std::filesystem::path& file, const HostTensor& tensor) {
  std::vector<std::byte> bytes = npy_bytes(tensor);
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  std::string_view text = as_text(bytes);
  if (out) out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) return {};
  return {error("io.write", "cannot be written: " + last_error(), {file.string(), 0, 0, 0})};
}

} // namespace aicf
