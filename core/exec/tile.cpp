#include "core/exec/tile.hpp"

#include "core/kernel/dim_expr.hpp"

namespace aicf {
namespace {

constexpr std::size_t most_dimensions = 5;
constexpr std::int64_t most_elements = std::int64_t{1} << 32, most_stride = std::int64_t{1} << 40;
constexpr std::int64_t most_box = 256, most_step = 8, unit = 16;

class Tiling {
 public:
  Tiling(const Arg& a, const std::map<std::string, std::int64_t>& d) : arg(a), tile(*a.tile), dims(d) {}

  Result<TiledTensor> run() {
    const std::size_t rank = arg.shape.size();
    if (rank < 1 || rank > most_dimensions) return failed("a tensor map has 1 to 5 dimensions");
    if (tile.box.size() != rank || (!tile.step.empty() && tile.step.size() != rank) ||
        (!arg.strides.empty() && arg.strides.size() != rank))
      return failed("its box, steps and strides need as many dimensions as its shape");
    if (tile.swizzle != 0 && tile.swizzle != 32 && tile.swizzle != 64 && tile.swizzle != 128)
      return failed("a swizzle is of 32, 64 or 128 bytes");
    if (tile.fill_nan && !is_float(arg.dtype)) return failed("integers cannot be filled with NaN");
    out.dtype = arg.dtype;
    out.rank = static_cast<std::uint32_t>(rank);
    out.swizzle = static_cast<std::uint32_t>(tile.swizzle);
    out.fill_nan = tile.fill_nan;
    const auto element = static_cast<std::int64_t>(size_of(arg.dtype));
    std::int64_t packed = element;
    for (std::size_t d = 0; d < rank && errors.empty(); ++d) packed = dimension(d, element, packed);
    const std::int64_t row = out.box[0] * element;
    if (errors.empty() && (row % unit != 0 || (tile.swizzle != 0 && row > tile.swizzle)))
      return failed("a row of its box has " + std::to_string(row) +
                    " bytes: a multiple of 16, and no more than the swizzle, is needed");
    if (!errors.empty()) return std::move(errors);
    return out;
  }

 private:
  const Arg& arg;
  const Tile& tile;
  const std::map<std::string, std::int64_t>& dims;
  TiledTensor out;
  std::vector<Diagnostic> errors;

  Diagnostic failed(const std::string& why) const { return error("exec.tile", "'" + arg.name + "': " + why); }

  std::int64_t number(const DimExpr& e, const char* what, std::int64_t least, std::int64_t most) {
    const auto value = evaluate(e, dims);
    for (const Diagnostic& d : value.diagnostics) errors.push_back(failed(std::string(what) + ": " + d.message));
    if (!value) return least;
    if (*value < least || *value > most)
      errors.push_back(failed(std::string(what) + " is " + std::to_string(*value) + ", outside " +
                              std::to_string(least) + " to " + std::to_string(most)));
    return *value;
  }

  /// Dimension d, whose elements lie `packed` bytes apart where no strides are given; returns those of the next.
  std::int64_t dimension(std::size_t d, std::int64_t element, std::int64_t packed) {
    const std::size_t at = arg.shape.size() - 1 - d;
    const std::int64_t size = number(arg.shape[at], "an extent", 1, most_elements);
    out.size[d] = static_cast<std::uint64_t>(size);
    out.box[d] = static_cast<std::uint32_t>(number(tile.box[at], "an extent of the box", 1, most_box));
    const int step = tile.step.empty() ? 1 : tile.step[at];
    if (step < 1 || step > most_step) errors.push_back(failed("a step is 1 to 8"));
    out.step[d] = static_cast<std::uint32_t>(step);
    std::int64_t stride = packed;
    if (!arg.strides.empty()) stride = element * number(arg.strides[at], "a stride", 1, most_stride / element - 1);
    if (d == 0 && stride != element) errors.push_back(failed("its last dimension must be contiguous"));
    if (d > 0 && (stride % unit != 0 || stride >= most_stride))
      errors.push_back(failed("its rows lie " + std::to_string(stride) + " bytes apart: a multiple of 16 is needed"));
    out.stride[d] = static_cast<std::uint64_t>(stride);
    std::int64_t next = 0;
    return __builtin_mul_overflow(stride, size, &next) ? most_stride : next;
  }
};

} // namespace

Result<TiledTensor> tiled_tensor(const Arg& arg, const std::map<std::string, std::int64_t>& dims) {
  return Tiling(arg, dims).run();
}

} // namespace aicf
