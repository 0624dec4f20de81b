// What computation a definition is, whatever its name: reductions grouped into cascades, the rank and the bounded state
// of each, the sweeps that are needed, and a certificate for every claim (DESIGN.md, section 5).
#pragma once
#include "core/base/certificate.hpp"
#include "core/expr/canonical.hpp"
#include "core/structure/reducer_laws.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// The index variable that every form of a cascade uses for its common axis. Where the axis is several variables
/// together (sum[h, w]), the k-th is axis_var - k.
inline constexpr VarId axis_var = bound_base - 1;

/// Symbols of a summary. `slot` k: the value of slot k of the chunk itself (in a body), of the merged state (in a
/// merge) or of the state at hand (in a finalize). `left` and `right` k: the two operands of a merge.
[[nodiscard]] constexpr std::uint32_t slot_symbol(std::size_t k) { return static_cast<std::uint32_t>(k); }
[[nodiscard]] constexpr std::uint32_t left_symbol(std::size_t k) { return 1000U + static_cast<std::uint32_t>(k); }
[[nodiscard]] constexpr std::uint32_t right_symbol(std::size_t k) { return 2000U + static_cast<std::uint32_t>(k); }

struct Rank {
  enum class Kind {
    finite,
    unbounded,
    unknown,
    none
  } kind = Kind::none; ///< none: the notion does not apply (any, argmax, …)
  int value = 0;
};

/// One reduction of the definition. Expression ids are of the profile's canonical arena.
struct Reduction {
  std::string name, reducer;
  ExprId node = no_expr;               ///< the reduce node in the canonical form
  std::vector<std::string> axes;       ///< source names of the reduced variables
  std::vector<std::string> depends_on; ///< names of the reductions over the same axis that it reads, not indexed by it
  int level = 1;                       ///< 1 + the highest level it reads over that axis
  int best_level = 1;                  ///< likewise, where bounded states add none to what they are read by
  Rank rank;
  bool bounded = false, stable = false;
  std::vector<std::string> state, merge, rescale, finalize; ///< legible, "l = a.l*exp(a.m - m) + b.l*exp(b.m - m)"
  std::string certificate;                                  ///< id in StructureProfile::certificates
};

/// One component of a chunk's state: reducer over the chunk of body(element; earlier slots of the same chunk).
struct Slot {
  std::string name;
  ReducerId reducer = 0;
  ExprId body = no_expr;     ///< over axis_var, row variables and slot symbols of earlier slots
  ExprId identity = no_expr; ///< its value for the empty chunk: a number
  ExprId merge = no_expr;    ///< over left, right and earlier (merged) slot symbols; guarded at the identity
  ExprId fold = no_expr;     ///< of a user reducer: the value so far (left) and an element's (right) of this slot
};

/// A bounded state of a whole cascade: chunk states computed on resident elements merge into the state of their union.
struct Summary {
  std::vector<Slot> slots;
  std::vector<ExprId> finalize; ///< for each reduction of the cascade, over slot symbols (and dims)
  bool stable = false;          ///< every exp argument certified <= 0, no cancellation against the running value
};

/// Elements of one axis on which the merged state gives another value than the definition does.
struct SpecialDifference {
  std::string kind;          ///< "nan", "infinity", "empty", "fully_masked", as profiles name them
  std::string what, chunks;  ///< "-inf first"; "1 1 1 1 1": elements a chunk, merged from the left
  std::size_t reduction = 0; ///< into StructureProfile::reductions
  std::map<std::string, std::vector<double>> inputs; ///< of each leaf along the axis, by element
  double expected = 0, observed = 0;
};

/// Reductions over one axis (equal ranges).
struct Cascade {
  ExprId lo = no_expr, hi = no_expr;      ///< the range of axis_var
  std::vector<ExprId> more_lo, more_hi;   ///< ranges of axis_var - 1, …: empty where the axis is one variable
  std::string axis;                       ///< source name of the first reduced variable
  std::vector<VarId> rows;                ///< variables of outputs that its reductions are indexed by
  std::vector<std::size_t> reductions;    ///< into StructureProfile::reductions, levels ascending
  std::vector<ExprId> elements;           ///< body of each over axis_var; other reductions stay as their reduce nodes
  std::vector<ExprId> predicates;         ///< likewise: which elements take part
  std::optional<Summary> summary;         ///< when every reduction is bounded
  std::vector<SpecialDifference> special; ///< of the summary; the first of each kind
  bool special_known = true;              ///< false: too large to be run
};

struct StructureProfile {
  std::shared_ptr<const Canonical> canonical;
  std::vector<Reduction> reductions; ///< in source order, inner first
  std::vector<Cascade> cascades;
  std::vector<std::string> structures; ///< ids of atlas/structures.json that hold
  std::vector<std::string> stages;     ///< map, reduce, contract, scan, recurrence, gather, stencil
  int passes_definition = 1, passes_best = 1;
  std::vector<ReducerLaws> user_reducers; ///< laws of each user reducer that a reduction uses
  std::vector<Certificate> certificates;
};

/// Never fails on a checked definition: what cannot be decided is `unknown` with a certificate that says why.
/// Deterministic for a given seed. Polls `stop`; a stopped analysis returns what it has, the rest unknown.
[[nodiscard]] StructureProfile analyze(Canonical canonical, std::uint64_t seed = 1, std::stop_token stop = {});

/// The document of `aicf analyze --json`, "aicf.analysis/1".
[[nodiscard]] nlohmann::json to_json(const StructureProfile& profile);

} // namespace aicf
