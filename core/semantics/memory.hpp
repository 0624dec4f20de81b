// The memory verdict: passes over the elements, bytes read and written, and workspace, derived from the loads of a
// definition and the ranges that they stand in. Bytes are those that a kernel of the form asks for: an element once in
// each pass over it, whatever varies along the axis; what stays the same along the axis, once a row and pass. What
// caches make of repeated requests is a matter of machines (core/plan/machine.hpp), not of meaning.
// Pure functions of their arguments; any thread may call them.
#pragma once
#include "core/structure/structure.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aicf {

/// What bytes are counted for: the type bound to `float`, and the dims where they are known.
struct Sizes {
  DType float_type = DType::f32;
  std::map<std::string, std::int64_t> dims; ///< by name; empty: bytes stay symbolic
};

/// A sum of bytes, each a number times a product of extents: "8*M*N + 4*M".
class Amount {
 public:
  struct Extent {
    ExprId lo = no_expr, hi = no_expr;
    auto operator<=>(const Extent&) const = default; // NOLINT(modernize-use-nullptr): the check misreads <=>
  };
  using Extents = std::vector<Extent>; ///< ascending

  void add(double bytes, Extents over);
  void add(const Amount& other);
  [[nodiscard]] std::string text(const Canonical& canonical) const;
  /// Nothing where a dim has no size.
  [[nodiscard]] std::optional<double> at(const Canonical& canonical, const Sizes& sizes) const;

 private:
  std::map<Extents, double> terms_;
};

/// How often a form reads the elements.
enum class Reading : std::uint8_t {
  as_defined, ///< again for every level of a cascade, and for results along the axis
  bounded,    ///< states of bounded size stand for levels that have them
  once        ///< they stay on chip
};

struct MemoryModel {
  std::string unknown;              ///< why bytes have no closed form; empty: they have
  bool at_most = false;             ///< masks and guards leave some elements unread
  Amount as_defined, bounded, once; ///< bytes read
  Amount written;
  Amount part;       ///< workspace of one part of each row: the state that a later launch merges
  Amount statistics; ///< the reductions themselves, as results
  int passes_as_defined = 1, passes_bounded = 1;
};

[[nodiscard]] MemoryModel memory_model(const StructureProfile& profile, DType float_type);

} // namespace aicf
