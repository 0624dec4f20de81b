// What the families of cascades ask of a profile and a problem alike.
#pragma once
#include "core/plan/row_form.hpp"

#include <memory>
#include <string>

namespace aicf {

inline constexpr std::int64_t warp = 32, access_bytes = 16; ///< lanes; the widest access of a lane
inline constexpr std::int64_t register_file = 65536;        ///< 32-bit registers of a multiprocessor
inline constexpr std::int64_t largest_cluster = 8;          ///< blocks, on every GPU that has clusters
/// Why no thread folds an axis of several variables alone.
inline constexpr const char* other_order =
    "reduction_tree: positions of several axes do not keep the order of the definition";
/// Addresses, counters, accumulators: what small kernels of these families take beside their tiles.
inline constexpr std::int64_t other_registers = 32;

/// What refusals and estimates ask of a profile and a problem, found once for many plans.
struct CascadeFacts {
  std::shared_ptr<const Canonical> canonical; ///< held, so that its address names it
  std::size_t reductions = 0;
  Problem problem;
  RowForm form; ///< without its cascade: the profile may go
  RowSizes sizes;
  ElementBytes bytes;
  bool wide = false;                               ///< computes in f64
  bool sums = false;                               ///< a reduction is a sum of reals
  bool mergeable = false;                          ///< there is a summary, of builtin reducers
  std::int64_t components = 0;                     ///< values of a state
  std::int64_t state = 0, wide_state = 0;          ///< bytes of a state; of one in f64
  std::int64_t kept_bytes = 0, streamed_bytes = 0; ///< of one position: read by several sweeps; by the last alone
  double operations = 0;                           ///< of the results at a position, calls of functions among them
  double exps = 0, erfs = 0;                       ///< calls at a position, over all sweeps
  std::int64_t sweeps = 1;                         ///< levels, and one more for results along the axis
};
/// The last pair that a thread asked for is remembered: a profile is looked at thousands of times in a row.
[[nodiscard]] const CascadeFacts& cascade_facts(const StructureProfile& profile, const Problem& problem);
/// Why no plan of these families serves the problem, or empty.
[[nodiscard]] std::string refuse_problem(const CascadeFacts& facts);

/// An input or a result is f64: the computation is too.
[[nodiscard]] bool computes_wide(const Definition& definition, const Problem& problem);
/// The target has thread block clusters and distributed shared memory (compute capability 9.0 and later).
[[nodiscard]] bool has_clusters(const std::string& target);
/// Why the plan may not accumulate so, or empty.
[[nodiscard]] std::string refuse_accumulator(const CascadeFacts& facts, const CompilerProfile& rules, const Plan& plan);

} // namespace aicf
