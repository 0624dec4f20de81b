// The judge of a variant: runs it on a backend against the reference, within the plan's own a priori bound (DESIGN.md,
// section 6).
#pragma once
#include "core/base/tensor.hpp"
#include "core/exec/backend.hpp"
#include "core/plan/plan.hpp"
#include "core/validate/compare.hpp"
#include "core/validate/inputs.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// One comparison: a set of inputs at a set of sizes, and how it came out.
struct Check {
  std::string id;     ///< "random" "run-to-run" "batch-invariant" "exact" "outlier" "special" "memory" "edge" …
  std::string detail; ///< sizes, seed, what was found: "y[3, 17] = 0.25, expected 0.5 ± 1e-6"
  bool passed = false;
  Coverage compared = {}; ///< of comparisons element by element
};

/// The first element that is not what the definition says, and on which inputs.
struct WrongElement {
  Problem problem;
  InputKind inputs = InputKind::random;
  std::uint64_t seed = 0;
  std::string output;
  std::size_t element = 0; ///< in row-major order
};

/// What runs with the blocks in other orders, and in other batches, gave (order_check.hpp).
struct OrderConfirmation {
  bool run_to_run = true, batch_invariant = true;
  std::vector<std::string> tried; ///< "blocks in order 3", "M=7 of 19"
  std::string difference;         ///< the first: "y[3, 2] is 0.5, and 0.50000006 with blocks in order 3"
};

struct Validation {
  bool passed = false;
  double max_rel_err = 0; ///< largest |y - ref| / |ref| over finite, nonzero reference values
  double max_ulp = 0;     ///< in units in the last place of the output type
  double bound = 0;       ///< largest error bound relative to |ref| that the plan's own error analysis allowed
  double worst_ratio = 0; ///< largest |y - ref| / allowed; at most 1 when passed
  std::vector<Check> checks;
  std::vector<Fault> faults;
  std::optional<WrongElement> wrong;
  std::optional<OrderConfirmation> order; ///< where such runs were made
  std::vector<Metric> counters;           ///< of the run at the problem's own sizes
  std::vector<LineCounters> lines;        ///< of the same run, where the backend counts by line
};

/// A variant ready to run: kernels in launch order, compiled.
struct Variant {
  Plan plan;
  std::vector<KernelModule> modules;
  std::vector<Compiled> compiled;
};

struct ValidationOptions {
  std::uint64_t seed = 1;
  bool edge_shapes =
      true; ///< also at sizes that the problem does not name (row lengths 0, 1, a prime, one off the tile)
  bool counters = true;
  Order claimed = Order::any; ///< the strictest order that was derived for the plan: a run that shows otherwise fails
  std::int64_t row_limit = 0; ///< > 0: at most that many rows at the problem's sizes (the reference is slow)
};

/// A kernel that may serve only the sizes of its problem (`modules` made for it) is rebuilt for edge shapes through
/// `rebuild`.
using Rebuild = std::function<Result<Variant>(const Plan&, const Problem&)>;

/// A failed check is an answer, not an error; diagnostics are for what could not be judged.
[[nodiscard]] Result<Validation> validate(const StructureProfile& structure, const CompilerProfile& rules,
                                          const Variant& variant, const Problem& problem, Backend& backend,
                                          const Rebuild& rebuild, const ValidationOptions& options = {},
                                          std::stop_token stop = {});

[[nodiscard]] nlohmann::json to_json(const Validation& validation);
/// Of a validation that passed; nothing from other documents. Counters are not part of it.
[[nodiscard]] std::optional<Validation> validation_from_json(const nlohmann::json& document);

/// Buffers of a variant by argument name: inputs as given, everything else poisoned (all bits set: NaN, or -1).
struct VariantMemory {
  std::map<std::string, std::size_t> place; ///< into `tensors`
  std::vector<HostTensor> tensors;
  [[nodiscard]] std::vector<Buffer> buffers(); ///< refer to the tensors
};
/// What a backend runs for a variant. Tensors that `memory` lacks are added to it; those of another variant of the same
/// problem serve again, as they are.
[[nodiscard]] Result<std::vector<Call>> calls_of(const StructureProfile& structure, const Variant& variant,
                                                 const Problem& problem,
                                                 const std::map<std::string, HostTensor>& inputs,
                                                 VariantMemory& memory);

/// Runs a variant on given inputs; results by output name. Strided inputs are packed first.
[[nodiscard]] Result<std::map<std::string, HostTensor>>
run_variant(const StructureProfile& structure, const Variant& variant, const Problem& problem,
            const std::map<std::string, HostTensor>& inputs, Backend& backend, const RunOptions& options,
            RunResult* result = nullptr, std::stop_token stop = {});

} // namespace aicf
