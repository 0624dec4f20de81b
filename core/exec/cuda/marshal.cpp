#include "core/exec/cuda/marshal.hpp"

#include "core/kernel/dim_expr.hpp"

#include <cstring>

namespace aicf::cuda {
namespace {

class Marshalling {
 public:
  Marshalling(const Call& c, std::span<const Buffer> b) : call(c), module(c.module), buffers(b) {}

  Result<LaunchShape> run() {
    // Limits: CUDA programming guide, table "Technical specifications per compute capability" (the same from 5.0 on).
    extents(module.launch.grid, "grid", {2147483647, 65535, 65535}, 0, shape.grid);
    extents(module.launch.block, "block", {1024, 1024, 64}, 1, shape.block);
    extents(module.launch.cluster, "cluster", {16, 16, 16}, 1, shape.cluster);
    if (auto bytes = value(module.launch.dynamic_shared, "dynamic shared memory")) {
      if (*bytes < 0 || *bytes > largest_shared)
        fail("exec.launch", "dynamic shared memory of " + text(*bytes) + " bytes");
      else
        shape.dynamic_shared = static_cast<unsigned>(*bytes);
    }
    if (errors.empty()) together();
    arguments();
    if (!errors.empty()) return errors;
    return shape;
  }

 private:
  static constexpr std::int64_t largest_shared = 1 << 20; // beyond any device; the device's own limit is the backend's
  const Call& call;
  const KernelModule& module;
  std::span<const Buffer> buffers;
  LaunchShape shape;
  std::vector<Diagnostic> errors;

  static std::string text(std::int64_t value) { return std::to_string(value); }
  void fail(const char* code, const std::string& message) {
    errors.push_back(error(code, "kernel '" + module.entry + "': " + message));
  }

  std::optional<std::int64_t> value(const DimExpr& expression, const std::string& what) {
    auto result = evaluate(expression, call.dims);
    for (Diagnostic& d : result.diagnostics) {
      d.message = "kernel '" + module.entry + "', " + what + ": " + d.message;
      errors.push_back(std::move(d));
    }
    return result.value;
  }

  void extents(const std::array<DimExpr, 3>& expressions, const char* what, std::array<std::int64_t, 3> most,
               std::int64_t least, std::array<unsigned, 3>& out) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = std::string(what) + "." + "xyz"[i];
      auto extent = value(expressions[i], name);
      if (!extent) continue;
      if (*extent < least || *extent > most[i])
        fail("exec.launch", name + " is " + text(*extent) + ", outside " + text(least) + " … " + text(most[i]));
      else
        out[i] = static_cast<unsigned>(*extent);
    }
  }

  void together() {
    const auto& [gx, gy, gz] = shape.grid;
    shape.empty = gx == 0 || gy == 0 || gz == 0;
    if (auto threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2]; threads > 1024)
      fail("exec.launch", "a block of " + std::to_string(threads) + " threads (1024 at most)");
    if (auto blocks = shape.cluster[0] * shape.cluster[1] * shape.cluster[2]; blocks > 16)
      fail("exec.launch", "a cluster of " + std::to_string(blocks) + " blocks (16 at most)");
    for (std::size_t i = 0; i < 3; ++i)
      if (shape.grid[i] % shape.cluster[i] != 0)
        fail("exec.launch", std::string("grid.") + "xyz"[i] + " is no multiple of the cluster's extent");
  }

  void arguments() {
    std::size_t next = 0;
    for (const Arg& arg : module.args) {
      if (arg.role == Arg::Role::scalar) {
        auto found = call.scalars.find(arg.name);
        if (found == call.scalars.end()) {
          fail("exec.scalar", "the scalar '" + arg.name + "' has no value");
          continue;
        }
        Argument argument;
        store_element(arg.dtype, argument.bytes.data(), 0, found->second);
        shape.arguments.push_back(argument);
      } else if (next == call.buffers.size()) {
        fail("exec.buffers", "no buffer for '" + arg.name + "'");
      } else {
        buffer(arg, call.buffers[next++]);
      }
    }
    if (next != call.buffers.size()) fail("exec.buffers", "more buffers than tensor arguments");
    for (const std::string& name : module.dim_args) {
      auto found = call.dims.find(name);
      if (found == call.dims.end()) {
        fail("exec.dims", "the dimension '" + name + "' has no value");
        continue;
      }
      Argument argument;
      std::memcpy(argument.bytes.data(), &found->second, sizeof found->second);
      shape.arguments.push_back(argument);
    }
  }

  void buffer(const Arg& arg, std::size_t index) {
    if (index >= buffers.size()) return fail("exec.buffers", "'" + arg.name + "' names a buffer that is not there");
    const Buffer& b = buffers[index];
    if (arg.role != Arg::Role::workspace && b.dtype != arg.dtype)
      fail("exec.dtype", "'" + arg.name + "' is " + std::string(name_of(arg.dtype)) + ", its buffer " +
                             std::string(name_of(b.dtype)));
    if (auto needed = elements(arg); needed && *needed > static_cast<std::int64_t>(b.bytes.size() / size_of(arg.dtype)))
      fail("exec.buffer-size", "'" + arg.name + "' needs " + text(*needed) + " elements, its buffer has " +
                                   std::to_string(b.bytes.size() / size_of(arg.dtype)));
    shape.arguments.push_back({index, {}});
    if (!arg.tile) return;
    auto tiled = tiled_tensor(arg, call.dims);
    for (const Diagnostic& d : tiled.diagnostics) fail(d.code.c_str(), d.message);
    shape.arguments.back().tile = tiled.value;
  }

  /// 1 + the largest offset that the argument's shape and strides reach; 0 when it is empty.
  std::optional<std::int64_t> elements(const Arg& arg) {
    std::vector<std::int64_t> extents, strides;
    for (const DimExpr& e : arg.shape) extents.push_back(value(e, "shape of '" + arg.name + "'").value_or(-1));
    for (const DimExpr& e : arg.strides) strides.push_back(value(e, "stride of '" + arg.name + "'").value_or(-1));
    if (arg.strides.empty()) strides.assign(extents.size(), 0);
    if (strides.size() != extents.size()) {
      fail("exec.strides", "'" + arg.name + "' has another number of strides than of extents");
      return std::nullopt;
    }
    std::int64_t packed = 1, last = 0;
    bool overflow = false, negative = false, none = false;
    for (std::size_t i = extents.size(); i-- > 0;) {
      negative = negative || extents[i] < 0 || strides[i] < 0;
      none = none || extents[i] == 0;
      const std::int64_t stride = arg.strides.empty() ? packed : strides[i];
      std::int64_t step = 0;
      overflow = overflow || __builtin_mul_overflow(extents[i] - 1, stride, &step) ||
                 __builtin_add_overflow(last, step, &last) || __builtin_mul_overflow(packed, extents[i], &packed);
    }
    if (none && !negative) return 0;
    if (negative || overflow) {
      if (errors.empty() || overflow) fail("exec.shape", "'" + arg.name + "' has a negative or too large shape");
      return std::nullopt;
    }
    return last + 1;
  }
};

} // namespace

Result<LaunchShape> marshal(const Call& call, std::span<const Buffer> buffers) {
  return Marshalling(call, buffers).run();
}

} // namespace aicf::cuda
