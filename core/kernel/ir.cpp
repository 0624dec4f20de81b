#include "core/kernel/ir.hpp"

#include "core/kernel/walk.hpp"

#include <array>
#include <set>

namespace aicf::ir {

std::string_view name_of(Type type) {
  static constexpr std::array<std::string_view, 7> names{"none", "pred", "i32", "i64", "f32", "f64", "pointer"};
  return names.at(static_cast<std::size_t>(type));
}

std::string_view name_of(Binding binding) {
  static constexpr std::array<std::string_view, 7> names{"grid", "cluster", "block",     "warp",
                                                         "lane", "vector",  "sequential"};
  return names.at(static_cast<std::size_t>(binding));
}

std::string_view name_of(Code code) {
  static constexpr std::array<std::string_view, 30> names{
      "constant", "param",   "var",    "apply", "fma",    "convert",    "round",     "view",       "load", "extreme",
      "result",   "shuffle", "note",   "alloc", "store",  "store_peer", "send_peer", "renew",      "copy", "loop",
      "branch",   "role",    "reduce", "sync",  "arrive", "wait",       "commit",    "wait_group", "mma",  "trap"};
  return names.at(static_cast<std::size_t>(code));
}

Type type_of(DType stored) {
  switch (stored) {
  case DType::f32:
  case DType::f16:
  case DType::bf16: return Type::f32;
  case DType::f64: return Type::f64;
  case DType::i8:
  case DType::i32: return Type::i32;
  case DType::i64: return Type::i64;
  case DType::boolean: return Type::pred;
  }
  return Type::none;
}

bool is_packed(const Buffer& buffer) {
  if (buffer.space != Space::reg || buffer.computed || buffer.layout.shape.empty()) return false;
  auto bytes = buffer.layout.shape.back() * static_cast<std::int64_t>(size_of(buffer.dtype));
  return buffer.layout.shape.back() > 1 && bytes % 4 == 0;
}

bool is_packed_halves(const Buffer& buffer) {
  return is_packed(buffer) && (buffer.dtype == DType::f16 || buffer.dtype == DType::bf16);
}

bool is_real(Type type) { return type == Type::f32 || type == Type::f64; }

bool is_statement(Code code) { return code >= Code::note; }

bool is_pure(const Node& node) { return node.code <= Code::view && node.code != Code::var; }

bool iterates(const Node& node) {
  return node.code == Code::loop && (node.binding == Binding::sequential || node.binding == Binding::vector);
}

std::size_t index_count(const Buffer& buffer) {
  if (buffer.space == Space::global) return 2;
  return buffer.layout.shape.size() + (buffer.stages > 1 ? 1 : 0);
}

std::vector<BufferId> arguments(const Kernel& kernel) {
  std::set<BufferId> touched, whole;
  bool in_parts = false;
  for_each_node(kernel, [&](NodeId id) {
    if (kernel.nodes[id].code == Code::view) touched.insert(kernel.nodes[id].buffer);
  });
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    if (kernel.buffers[b].space != Space::global) continue;
    bool workspace = kernel.buffers[b].role == Arg::Role::workspace;
    in_parts = in_parts || workspace;
    if (!workspace || touched.contains(b)) whole.insert(b);
  }
  const std::set<BufferId>& taken = in_parts ? touched : whole;
  return {taken.begin(), taken.end()};
}

} // namespace aicf::ir
