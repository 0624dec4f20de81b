#include "core/expr/structure_key.hpp"

#include "core/expr/normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace aicf {
namespace {

bool commutative(Op op) {
  return op == Op::add || op == Op::mul || op == Op::and_ || op == Op::or_ || op == Op::min || op == Op::max ||
         op == Op::eq || op == Op::ne;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { // splitmix64's finalizer over a running sum
  std::uint64_t z = hash + 0x9e3779b97f4a7c15U + value;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// A word for every op, part of what is hashed: it must not change when the enumeration does.
std::string_view word(Op op) {
  switch (op) {
  case Op::number: return "number";
  case Op::index: return "index";
  case Op::scalar: return "scalar";
  case Op::dim: return "dim";
  case Op::symbol: return "symbol";
  case Op::load: return "load";
  case Op::padded_load: return "pad";
  case Op::neg: return "neg";
  case Op::round_to: return "round_to";
  case Op::reduce: return "reduce";
  default: return name_of(op);
  }
}

void append(std::string& out, const Hash& hash) { out.append(reinterpret_cast<const char*>(hash.data()), hash.size()); }

void append(std::string& out, std::uint64_t value) {
  std::array<char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  out.append(bytes.data(), bytes.size());
}

} // namespace

std::uint64_t content_key(const Arena& arena, std::span<const ExprId> roots, const KeyLabels& labels) {
  std::unordered_map<ExprId, std::uint64_t> key;
  auto label = [](const auto& map, std::uint32_t id) {
    auto found = map.find(id);
    return found == map.end() ? mix(3, id) : found->second;
  };
  std::vector<std::uint64_t> parts;
  for (ExprId id : nodes_below(arena, roots)) {
    const Node& n = arena[id];
    std::uint64_t k = mix(static_cast<std::uint64_t>(n.op), static_cast<std::uint64_t>(n.kind));
    switch (n.op) {
    case Op::number: k = mix(k, std::bit_cast<std::uint64_t>(arena.value(id))); break;
    case Op::index: k = mix(k, label(labels.vars, n.payload)); break;
    case Op::load:
    case Op::padded_load: k = mix(k, label(labels.tensors, n.payload)); break;
    case Op::reduce:
      k = mix(k, arena.reduction(id).reducer);
      for (VarId v : arena.reduction(id).vars) k = mix(k, label(labels.vars, v));
      break;
    default: k = mix(k, n.payload);
    }
    parts.clear();
    for (ExprId operand : arena.operands(id)) parts.push_back(key.at(operand));
    if (commutative(n.op)) std::sort(parts.begin(), parts.end());
    for (std::uint64_t part : parts) k = mix(k, part);
    key[id] = k;
  }
  std::uint64_t all = 0;
  for (ExprId root : roots) all = mix(all, key.at(root));
  return all;
}

std::vector<Hash> content_hashes(const Arena& arena, std::span<const ExprId> roots, std::span<const Hash> reducers) {
  std::unordered_map<ExprId, Hash> known;
  std::vector<Hash> parts;
  std::string bytes;
  for (ExprId id : nodes_below(arena, roots)) {
    const Node& n = arena[id];
    bytes.assign(word(n.op));
    bytes += ';';
    bytes += std::to_string(static_cast<int>(n.kind));
    bytes += ';';
    switch (n.op) {
    case Op::number: append(bytes, std::bit_cast<std::uint64_t>(arena.value(id))); break;
    case Op::round_to: bytes += name_of(static_cast<DType>(n.payload)); break;
    case Op::reduce: {
      const Reduce& r = arena.reduction(id);
      if (r.reducer < first_user_reducer)
        bytes += name_of(static_cast<Builtin>(r.reducer));
      else
        append(bytes, reducers[r.reducer - first_user_reducer]);
      for (VarId v : r.vars) append(bytes, std::uint64_t{v});
      break;
    }
    default: append(bytes, std::uint64_t{n.payload});
    }
    parts.clear();
    for (ExprId operand : arena.operands(id)) parts.push_back(known.at(operand));
    if (commutative(n.op)) std::sort(parts.begin(), parts.end());
    for (const Hash& part : parts) append(bytes, part);
    known[id] = sha256(bytes);
  }
  std::vector<Hash> out;
  for (ExprId root : roots) out.push_back(known.at(root));
  return out;
}

} // namespace aicf
