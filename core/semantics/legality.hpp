// The preservation ledger: for an operator and every transformation, five verdicts and whether a profile allows it
// (DESIGN.md, section 6). Legality follows from verdicts and strictness; it is never typed in by hand.
#pragma once
#include "core/base/metric.hpp"
#include "core/profile/profile.hpp"
#include "core/semantics/memory.hpp"
#include "core/structure/structure.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace aicf {

struct Verdict {
  std::string answer;      ///< the words of DESIGN.md, section 6: "proven", "bit-identical", "same", "kept" …
  std::string certificate; ///< id in the structure profile, or empty
  std::optional<double> bound;
};

struct LegalityRow {
  std::string transformation, title, preservation_class;
  Verdict value, rounding, special;
  Verdict run_to_run, batch_invariant, cross_device;
  std::vector<std::string> assumptions; ///< what the order verdicts rest on
  std::vector<Metric> memory;           ///< of an applicable one: passes, bytes read and written, workspace
  bool applicable = false;              ///< its premises hold for this operator
  bool allowed = false;
  std::string reason; ///< why not
  std::optional<Witness> witness;
  std::vector<std::string> smallest_ticks; ///< the fewest changes to the profile that allow it, "arithmetic=rescaled"
};

struct Ledger {
  std::vector<LegalityRow> rows;
  [[nodiscard]] const LegalityRow* find(std::string_view transformation) const;
};

/// What a transformation claims about an operator, before any profile.
struct Claim {
  bool applicable = false;
  std::string reason; ///< why its premises fail, or the law that holds
  Verdict value, rounding, special;
  Verdict run_to_run, batch_invariant, cross_device;
  std::vector<std::string> assumptions;
  Reading reading = Reading::as_defined; ///< how often the form reads the elements
  bool parts = false;                    ///< a workspace holds a state a part of each row
  bool statistics = false;               ///< reductions are written in place of results
  std::string reads_follow;              ///< what the bytes read depend on beyond that, a choice of the plan
  std::vector<Metric> memory;            ///< what else changes
  std::optional<Witness> witness;
  Arithmetic needs = Arithmetic::bitwise; ///< the least arithmetic strictness point that admits it
  Order keeps = Order::device_to_device;  ///< the strictest order that it keeps
};

/// `before -> after` under `law`. The text lives in atlas/transformations.json under the same id; `judge` is its
/// procedure.
struct Transformation {
  std::string id, preservation_class;
  std::function<Claim(const struct OperatorFacts&)> judge;
};

/// Registers itself: `static const RegisterTransformation online{{"online_state", "summary_state", judge_online}};`
struct RegisterTransformation {
  explicit RegisterTransformation(Transformation transformation);
};
[[nodiscard]] const std::vector<Transformation>& transformations(); ///< sorted by id

/// Bytes of the memory verdict are numbers where `sizes` has the dims, else expressions in them.
[[nodiscard]] Ledger judge(const StructureProfile& profile, const CompilerProfile& rules, const Sizes& sizes = {});
[[nodiscard]] nlohmann::json to_json(const Ledger& ledger);

} // namespace aicf
