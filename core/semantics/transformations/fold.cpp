// Orders of combination: the left fold in index order, trees, and parts that other blocks combine.
#include "core/semantics/accumulation.hpp"
#include "core/semantics/topology.hpp"

namespace aicf {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
  return text;
}

Claim left_fold(const OperatorFacts& facts) {
  if (facts.profile->reductions.empty()) return inapplicable_claim("there is no reduction to fold");
  return identical_claim("the baseline itself: one accumulator a reduction, elements in index order");
}

/// A user reducer without the laws keeps its meaning as a left fold: the refusal carries what refuted the law.
Claim lawless(const OperatorFacts& facts, const NamesOf& names, bool reorder) {
  const Certificate* law = failed_law(*facts.profile, reorder);
  const bool refuted = law->verdict == Certificate::Verdict::refuted;
  Claim c = inapplicable_claim("the reducer of " + joined(names) + " is a left fold: " +
                               (refuted ? law->claim : law->claim + " is not known (" + law->method + ")"));
  c.value = {refuted ? "refuted" : "unknown", law->id, {}};
  c.witness = law->witness;
  if (law->witness) c.reason += ": " + law->witness->expected + ", " + law->witness->observed;
  return c;
}

/// Where e + e is not e, two parts without elements must never meet.
Claim hollow(const OperatorFacts& facts) {
  std::string empties;
  for (const ReducerLaws& laws : facts.profile->user_reducers)
    if (!laws.empties_merge) empties = laws.empties;
  Claim c = inapplicable_claim("parts beyond the end of a row are empty, and two empty parts of " +
                               joined(facts.hollow) + " do not merge to an empty one: " + empties);
  c.special.answer = "differs (empty)";
  c.witness = Witness{{}, "the identity, from two empty parts", empties};
  return c;
}

enum class Parts {
  any_order, ///< lanes take elements far apart
  in_order   ///< each part is a run of elements
};

/// Parts combined along a tree; `filled`: every part holds an element.
Claim tree_of(const OperatorFacts& facts, Parts parts, bool filled, const Topology& topology, std::string reason) {
  if (facts.profile->reductions.empty()) return inapplicable_claim("there is no reduction to split");
  const NamesOf& lacking = parts == Parts::any_order ? facts.ordered : facts.unsplit;
  if (!lacking.empty()) return lawless(facts, lacking, parts == Parts::any_order);
  if (!filled && !facts.hollow.empty()) return hollow(facts);
  Claim c = identical_claim(std::move(reason));
  if (!facts.inexact.empty()) {
    c.needs = Arithmetic::reassociated;
    c.rounding.answer = "reassociated";
    c.reason +=
        "; the rounding of " + joined(facts.inexact) + " changes, by at most gamma(depth) of the sum of magnitudes";
    c.special.answer = "same (an intermediate overflow may come earlier or later)";
  }
  derive_order(c, facts, topology);
  return c;
}

const Topology by_length{.shape = "the length of the row alone"};

Claim tree_reduction(const OperatorFacts& facts) {
  return tree_of(facts, Parts::any_order, false, by_length,
                 "lanes and warps combine in a fixed tree that depends on the length of the row alone");
}

Claim filled_tree(const OperatorFacts& facts) {
  return tree_of(facts, Parts::any_order, true, by_length,
                 "only lanes that hold an element take part, so no two empty parts meet");
}

Claim pairwise_sum(const OperatorFacts& facts) {
  if (facts.sums.empty()) return inapplicable_claim("it has no sum");
  return tree_of(facts, Parts::in_order, true, by_length,
                 "neighbouring runs of elements combine first: the error grows with log2 of the length");
}

Claim split_reduction(const OperatorFacts& facts) {
  Claim c = tree_of(facts, Parts::in_order, false, {.shape = "the length of the row alone: parts of a fixed length"},
                    "blocks reduce parts of a row; a second kernel combines them in the order of the parts");
  c.parts = true;
  return c;
}

Claim split_to_fill(const OperatorFacts& facts) {
  Claim c = tree_of(facts, Parts::in_order, false, {.batch = true, .device = true, .shape = {}},
                    "as many parts a row as fill the device: more for few rows");
  c.parts = true;
  return c;
}

Claim cluster_merge(const OperatorFacts& facts) {
  return tree_of(
      facts, Parts::in_order, false,
      {.shape = "the length of the row and the size of a cluster, which is a choice of the plan"},
      "the blocks of a cluster combine their parts through distributed shared memory, in the order of their ranks");
}

Claim atomic_accumulate(const OperatorFacts& facts) {
  for (const Reduction& r : facts.profile->reductions)
    if (!r.depends_on.empty())
      return inapplicable_claim(r.name +
                                " depends on another reduction: its parts cannot be added before that is final");
  return tree_of(facts, Parts::any_order, false, {.arrival = true, .shape = {}},
                 "blocks add their parts to one number in memory as they finish");
}

Claim loop_interchange(const OperatorFacts& facts) {
  if (facts.nested.empty()) return inapplicable_claim("no sum runs over several variables");
  return tree_of(facts, Parts::any_order, true, by_length, "sums over several variables exchange their order");
}

Claim scan_tree(const OperatorFacts& facts) {
  if (!facts.scan) return inapplicable_claim("no range grows with the row, and no recurrence is affine in its state");
  if (!facts.unsplit.empty()) return lawless(facts, facts.unsplit, false);
  if (!facts.hollow.empty()) return hollow(facts);
  Claim c = identical_claim("prefixes by a tree: affine steps compose as (a, b) then (c, d) is (a*c, c*b + d)");
  c.needs = Arithmetic::reassociated;
  c.rounding.answer = "reassociated";
  // h = a*h + b, step by step against steps composed in pairs; c is every step's factor
  run_special(c, {[](const std::vector<double>& x, double a) {
                    double h = 0;
                    for (double b : x) h = a * h + b;
                    return h;
                  },
                  [](const std::vector<double>& x, double a) {
                    double h = 0;
                    for (std::size_t i = 0; i < x.size(); i += 2)
                      h = i + 1 < x.size() ? (a * a) * h + (a * x[i] + x[i + 1]) : a * h + x[i];
                    return h;
                  }});
  derive_order(c, facts, by_length);
  return c;
}

Claim pad_with_identity(const OperatorFacts& facts) {
  if (facts.profile->reductions.empty()) return inapplicable_claim("there is no reduction whose row has an end");
  for (const Reduction& r : facts.profile->reductions)
    if (!laws_of(*facts.profile, r).holds(Law::identity)) return lawless(facts, {r.name}, false);
  if (!facts.hollow.empty()) return hollow(facts);
  return identical_claim(
      "elements beyond the end are the identity, which changes nothing: no branch at the end of a row");
}

const RegisterSummation bounds_left_fold{"left_fold", sum_bounds(Summation::sequential)};
const RegisterSummation bounds_tree{"tree_reduction", sum_bounds(Summation::blocked)};
const RegisterSummation bounds_filled{"filled_tree", sum_bounds(Summation::blocked)};
const RegisterSummation bounds_pairwise{"pairwise_sum", sum_bounds(Summation::pairwise)};
const RegisterTransformation register_left_fold{{"left_fold", "reorder", left_fold}};
const RegisterTransformation register_filled{{"filled_tree", "reorder", filled_tree}};
const RegisterTransformation register_tree{{"tree_reduction", "reorder", tree_reduction}};
const RegisterTransformation register_pairwise{{"pairwise_sum", "reorder", pairwise_sum}};
const RegisterTransformation register_split{{"split_reduction", "decomposition", split_reduction}};
const RegisterTransformation register_fill{{"split_to_fill", "decomposition", split_to_fill}};
const RegisterTransformation register_cluster{{"cluster_merge", "decomposition", cluster_merge}};
const RegisterTransformation register_atomic{{"atomic_accumulate", "reorder", atomic_accumulate}};
const RegisterTransformation register_interchange{{"loop_interchange", "reorder", loop_interchange}};
const RegisterTransformation register_scan{{"scan_tree", "reorder", scan_tree}};
const RegisterTransformation register_pad{{"pad_with_identity", "representation", pad_with_identity}};

} // namespace
} // namespace aicf
