#include "core/validate/validate.hpp"

#include "core/base/json.hpp"
#include "core/exec/evaluations.hpp"
#include "core/exec/reference.hpp"
#include "core/plan/choice.hpp"
#include "core/validate/compare.hpp"
#include "core/validate/error_bounds.hpp"
#include "core/validate/inputs.hpp"
#include "core/validate/order_check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace aicf {
namespace {

/// The dims along which a row runs: those that the range of some reduction names; for a map, those of the last axis of
/// its results.
std::set<std::string> axis_dims(const StructureProfile& structure) {
  const Canonical& canonical = *structure.canonical;
  std::vector<ExprId> ends;
  for (const Cascade& cascade : structure.cascades) {
    ends.push_back(cascade.hi);
    ends.insert(ends.end(), cascade.more_hi.begin(), cascade.more_hi.end());
  }
  if (ends.empty())
    for (const CanonicalValue& output : canonical.outputs)
      if (!output.hi.empty()) ends.push_back(output.hi.back());
  std::set<std::string> dims;
  for (ExprId id : reachable(canonical.arena, ends))
    if (canonical.arena[id].op == Op::dim) dims.insert(canonical.source->dims[canonical.arena[id].payload]);
  return dims;
}

/// Every result has an element.
bool gives_something(const Definition& d, const Problem& problem) {
  auto shapes = shapes_for(d, problem.dims, problem.scalars);
  if (!shapes) return false;
  return std::none_of(d.outputs.begin(), d.outputs.end(), [&](TensorId t) {
    const auto& shape = shapes->at(d.tensors[t].name);
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
  });
}

/// The problem with about `limit` rows: the largest dims that no reduction runs over are cut, as far as windows and
/// other shapes that are made of them keep an element.
Problem limited(const Definition& d, const Problem& problem, const std::set<std::string>& axes, std::int64_t limit) {
  Problem small = problem;
  std::set<std::string> done = axes;
  auto rows = [&] {
    double n = 1;
    for (const auto& [name, extent] : small.dims)
      if (!axes.contains(name)) n *= static_cast<double>(extent);
    return n;
  };
  const bool something = gives_something(d, problem);
  while (limit > 0 && rows() > static_cast<double>(limit)) {
    auto largest = small.dims.end();
    for (auto it = small.dims.begin(); it != small.dims.end(); ++it)
      if (!done.contains(it->first) && (largest == small.dims.end() || it->second > largest->second)) largest = it;
    if (largest == small.dims.end() || largest->second <= 1) break;
    double others = rows() / static_cast<double>(largest->second);
    const std::int64_t whole = largest->second;
    largest->second = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(limit) / others));
    while (something && largest->second < whole && !gives_something(d, small))
      largest->second = std::min(whole, 2 * largest->second);
    done.insert(largest->first);
  }
  return small;
}

std::string sizes(const Problem& problem) {
  std::string text;
  for (const auto& [name, extent] : problem.dims)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

class Judge {
 public:
  Judge(const StructureProfile& structure, const CompilerProfile& rules, Backend& backend,
        const ValidationOptions& options, std::stop_token stop)
      : structure_(structure), rules_(rules), backend_(backend), options_(options), stop_(std::move(stop)) {}

  /// Runs one input set and compares. False when it could not be judged at all.
  bool check(const std::string& id, const Variant& variant, const Problem& problem, InputKind kind, std::uint64_t seed,
             bool counters) {
    // a kernel that breaks memory, or never ends, is not run again
    if (stop_.stop_requested() || !validation.faults.empty()) return true;
    const Definition& d = *structure_.canonical->source;
    if (auto shapes = shapes_for(d, problem.dims, problem.scalars)) {
      double elements = 0;
      for (const auto& [name, shape] : *shapes) {
        double n = 1;
        for (std::int64_t extent : shape) n *= static_cast<double>(extent);
        elements += n;
      }
      if (elements > 0x1p27)
        return fail({error("validate.size", sizes(problem) + ": too many elements to be judged element by element")});
    }
    auto inputs = make_inputs(d, problem, kind, seed);
    if (!inputs) return fail(inputs.diagnostics);
    ReferenceOptions exactness;
    exactness.precision = problem.float_type == DType::f64 ? 113 : 53;
    exactness.stop = stop_;
    auto expected = evaluate(d, {*inputs, problem.scalars}, exactness);
    if (stop_.stop_requested()) return true;
    std::string at = sizes(problem) + ", " + std::string(name_of(kind)) + " inputs, seed " + std::to_string(seed);
    if (!expected && expected.diagnostics.front().code == "evaluate.failed")
      return check_refusal(id, at, variant, problem, *inputs, expected.diagnostics.front().message);
    if (!expected) return fail(expected.diagnostics);
    auto bounds = error_bounds(structure_, variant.plan, problem, *inputs, stop_);
    if (!bounds) return fail(bounds.diagnostics);
    RunResult result;
    RunOptions how;
    how.counters = counters;
    how.step_limit = step_limit(variant.plan, problem, *inputs);
    auto actual = run_variant(structure_, variant, problem, *inputs, backend_, how, &result, stop_);
    if (stop_.stop_requested()) return true;
    if (!actual) return fail(actual.diagnostics, actual.missing);
    if (result.status != RunResult::Status::ok) {
      for (Fault& f : result.faults) validation.faults.push_back(std::move(f));
      std::string what = validation.faults.empty()
                             ? "the run ended early"
                             : validation.faults.back().kind + ": " + validation.faults.back().message;
      validation.checks.push_back({"memory", at + ": " + what, false});
      return true;
    }
    if (counters) {
      validation.counters = std::move(result.metrics);
      validation.lines = std::move(result.lines);
    }
    CompilerProfile judged = rules_;
    // of finite inputs, a NaN is the judge's own f64 underflowing or overflowing on the way, not the definition's
    // answer
    if (kind == InputKind::huge) judged.nan = judged.infinity = "any";
    auto compared = [&](const std::map<std::string, HostTensor>& reference) {
      Comparison c;
      for (const auto& [name, tensor] : *actual)
        c.merge(compare(name, tensor,
                        judged.nan == "same" ? as_merged(reference.at(name), bounds->at(name)) : reference.at(name),
                        bounds->at(name), judged));
      return c;
    };
    Comparison all = compared(*expected);
    bool first =
        std::all_of(validation.checks.begin(), validation.checks.end(), [](const Check& c) { return c.passed; });
    if (kind == InputKind::huge && !all.passed && first) { // 1e38 + 200 - 1e38 takes more than the digits of an f64
      exactness.precision = 320;
      if (auto wide = evaluate(d, {*inputs, problem.scalars}, exactness); wide && !stop_.stop_requested())
        all = compared(*wide);
    }
    validation.checks.push_back({id, at + (all.passed ? "" : ": " + all.worst), all.passed, all.coverage});
    if (!all.passed && !validation.wrong) validation.wrong = WrongElement{problem, kind, seed, all.output, all.element};
    if (id != "special") {
      validation.max_rel_err = std::max(validation.max_rel_err, all.max_rel_err);
      validation.max_ulp = std::max(validation.max_ulp, all.max_ulp);
      validation.bound = std::max(validation.bound, all.bound);
    }
    validation.worst_ratio = std::max(validation.worst_ratio, all.worst_ratio);
    if (kind == InputKind::random && last_.empty()) last_ = std::move(*actual);
    return true;
  }

  /// Blocks in other orders and the rows of smaller batches give the same bits: what an order verdict claims, or the
  /// rules ask for, must not be seen to fail.
  bool check_order(const Variant& variant, const Problem& problem, const Rebuild& rebuild, std::uint64_t seed) {
    if (stop_.stop_requested() || last_.empty() || !validation.faults.empty()) return true;
    auto build = [&](const Problem& sizes) -> Result<Variant> {
      return sizes.dims == problem.dims ? Result<Variant>(variant) : rebuild(variant.plan, sizes);
    };
    auto seen = confirm_order(structure_, problem, backend_, build, {2, false, seed, &last_}, stop_);
    if (stop_.stop_requested()) return true;
    if (!seen && !seen.missing && seen.diagnostics.front().code == "order.run") {
      validation.checks.push_back({"run-to-run", sizes(problem) + ": " + seen.diagnostics.front().message, false});
      return true;
    }
    if (!seen) return fail(seen.diagnostics, seen.missing);
    validation.order = *seen;
    const Order asked = std::max(rules_.order, options_.claimed);
    auto say = [&](const char* id, bool same, Order from, const std::string& what, const std::string& tried) {
      validation.checks.push_back({id,
                                   sizes(problem) + ": " + what +
                                       (same ? " give the same bits" : " give other bits: ") +
                                       (same ? " (" + tried + ")" : seen->difference),
                                   same || asked < from});
    };
    std::string orders, batches;
    for (const std::string& t : seen->tried) {
      std::string& list = t.starts_with("with blocks") ? orders : batches;
      list += (list.empty() ? "" : ", ") + t;
    }
    say("run-to-run", seen->run_to_run, Order::run_to_run, "blocks in another order", orders);
    if (!batches.empty())
      say("batch-invariant", seen->batch_invariant, Order::batch_invariant, "the rows of another batch", batches);
    return true;
  }

  Validation validation;
  Result<Validation> failure;

 private:
  /// Warp instructions that no kernel of ours needs: a lane alone may spend thousands on an element and its result, all
  /// warps of its block hundreds where they hold no element and only meet, and dozens on each evaluation of a body
  /// where nothing is kept from one result to the next; an empty row costs some, and rows may be read again.
  std::uint64_t step_limit(const Plan& plan, const Problem& problem,
                           const std::map<std::string, HostTensor>& inputs) const {
    constexpr double most_again = 0x1p30; // half a minute of the emulator
    double elements = 0, longest = 1;
    for (const auto& [name, tensor] : inputs) {
      double places = 1;
      for (std::int64_t extent : tensor.shape) {
        const auto at_least_one = static_cast<double>(std::max<std::int64_t>(extent, 1));
        places *= at_least_one;
        longest = std::max(longest, at_least_one);
      }
      elements += places;
    }
    const double warps = has(plan, "threads") ? static_cast<double>(number(plan, "threads")) / 32 : 1;
    const double work = evaluations(*structure_.canonical->source, problem.dims, problem.scalars);
    return static_cast<std::uint64_t>(std::min(
        0x1p24 + (4096 + 512 * warps) * elements + std::min(elements * longest, most_again) + 64 * work, 0x1p40));
  }

  /// The definition has no answer for these inputs (an id out of range, argmax of nothing): the kernel must trap. On a
  /// device a trap ends the context of everything else, so it is not provoked there.
  bool check_refusal(const std::string& id, const std::string& at, const Variant& variant, const Problem& problem,
                     const std::map<std::string, HostTensor>& inputs, const std::string& why) {
    if (backend_.id() != "emulator") return true;
    RunResult result;
    RunOptions how;
    how.step_limit = step_limit(variant.plan, problem, inputs);
    auto run = run_variant(structure_, variant, problem, inputs, backend_, how, &result, stop_);
    if (stop_.stop_requested()) return true;
    if (!run) return fail(run.diagnostics, run.missing);
    bool trapped = !result.faults.empty() && result.faults.front().kind == "trap";
    std::string what = trapped                 ? "refused"
                       : result.faults.empty() ? "the kernel gives an answer"
                                               : result.faults.front().kind + ": " + result.faults.front().message;
    validation.checks.push_back({id, at + ": " + why + ": " + what, trapped});
    return true;
  }

  /// Where states lose a NaN of the definition, as their ledger says, the kernel is held to what its merges come to.
  [[nodiscard]] static HostTensor as_merged(HostTensor reference, const std::vector<Bounded>& bounds) {
    for (std::size_t i = 0; i < bounds.size(); ++i)
      if (bounds[i].lost_nan && !std::isnan(bounds[i].value)) reference.set(i, bounds[i].value);
    return reference;
  }

  bool fail(std::vector<Diagnostic> diagnostics, std::optional<Unavailable> missing = {}) {
    failure.diagnostics = std::move(diagnostics);
    failure.missing = std::move(missing);
    return false;
  }

  const StructureProfile& structure_;
  const CompilerProfile& rules_;
  Backend& backend_;
  const ValidationOptions& options_;
  std::stop_token stop_;
  std::map<std::string, HostTensor> last_; // of the first random run
};

constexpr std::int64_t most_edge_elements = 1 << 17;

/// Sizes that the problem does not name: short, odd, and beside every power of two up to its own.
std::vector<Problem> edge_problems(const StructureProfile& structure, const CompilerProfile& rules,
                                   const Problem& problem) {
  std::vector<std::int64_t> lengths{0, 1, 2, 31, 33, 127};
  std::set<std::string> axes = axis_dims(structure);
  for (const std::string& axis : axes)
    if (auto at = problem.dims.find(axis); at != problem.dims.end())
      for (std::int64_t n : {at->second - 8, at->second - 1, at->second + 1, at->second + 8})
        if (n > 0 && n < 20000) lengths.push_back(n);
  lengths.insert(lengths.end(), rules.validation_shapes.begin(), rules.validation_shapes.end());
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Problem edge = problem;
    std::int64_t elements = 1, few = i % 2 == 0 ? 3 : 1; // of many dims, the first ones are long: all are judged
    for (auto& [name, extent] : edge.dims) {
      bool varied = axes.contains(name) || axes.empty();
      extent = varied && elements * lengths[i] <= most_edge_elements ? lengths[i] : few;
      elements *= std::max<std::int64_t>(extent, 1);
    }
    if (shapes_for(*structure.canonical->source, edge.dims, edge.scalars)) problems.push_back(std::move(edge));
  }
  return problems;
}

} // namespace

Result<Validation> validate(const StructureProfile& structure, const CompilerProfile& rules, const Variant& variant,
                            const Problem& problem, Backend& backend, const Rebuild& rebuild,
                            const ValidationOptions& options, std::stop_token stop) {
  Judge judge(structure, rules, backend, options, stop);
  Problem at = limited(*structure.canonical->source, problem, axis_dims(structure), options.row_limit);
  Variant own = variant;
  if (at.dims != problem.dims) {
    auto small = rebuild(variant.plan, at);
    if (small)
      own = std::move(*small);
    else
      at = problem; // it serves its own sizes alone
  }
  auto wanted = [&](const char* kind) {
    return std::find(rules.adversarial.begin(), rules.adversarial.end(), kind) != rules.adversarial.end();
  };
  bool judged = true;
  for (int s = 0; s < rules.validation_seeds && judged; ++s)
    judged = judge.check("random", own, at, InputKind::random, options.seed + static_cast<std::uint64_t>(s),
                         options.counters && s == 0);
  judged = judged && judge.check_order(own, at, rebuild, options.seed);
  if (wanted("exact")) {
    judged = judged && judge.check("exact", own, at, InputKind::integers, options.seed, false);
    judged = judged && judge.check("exact", own, at, InputKind::zero_or_inf, options.seed, false);
  }
  if (wanted("outlier")) judged = judged && judge.check("outlier", own, at, InputKind::outlier, options.seed, false);
  if (wanted("special")) {
    judged = judged && judge.check("special", own, at, InputKind::special, options.seed, false);
    judged = judged && judge.check("special", own, at, InputKind::huge, options.seed, false);
    for (std::uint64_t odd : {0U, 1U})
      if (has_ids(*structure.canonical->source, at))
        judged = judged && judge.check("ids", own, at, InputKind::wrong_id, 2 * options.seed + odd, false);
  }
  if (options.edge_shapes) {
    std::size_t served = 0;
    std::vector<Problem> edges = edge_problems(structure, rules, problem);
    for (const Problem& edge : edges) {
      if (!judged || stop.stop_requested()) break;
      auto other = rebuild(variant.plan, edge);
      if (!other) {
        if (other.missing) return other.failure<Validation>();
        continue; // the plan does not serve this size, and would not be chosen for it
      }
      ++served;
      judged = judge.check("edge", *other, edge, InputKind::random, options.seed + 17, false);
    }
    judge.validation.checks.push_back(
        {"edge-coverage",
         std::to_string(served) + " of " + std::to_string(edges.size()) + " edge sizes are served by this plan", true});
  }
  if (!judged) return judge.failure;
  Validation& v = judge.validation;
  v.passed =
      !v.checks.empty() && std::all_of(v.checks.begin(), v.checks.end(), [](const Check& c) { return c.passed; });
  return std::move(v);
}

nlohmann::json to_json(const Validation& v) {
  nlohmann::json checks = nlohmann::json::array(), faults = nlohmann::json::array();
  for (const Check& c : v.checks) checks.push_back({{"id", c.id}, {"detail", c.detail}, {"passed", c.passed}});
  for (const Fault& f : v.faults)
    faults.push_back({{"kind", f.kind},
                      {"kernel", f.kernel},
                      {"message", f.message},
                      {"block", f.block},
                      {"thread", f.thread},
                      {"ptx_line", f.ptx_line},
                      {"cuda_line", f.cuda_line},
                      {"address", f.address}});
  return {{"passed", v.passed},
          {"max_rel_err", json_number(v.max_rel_err)},
          {"max_ulp", json_number(v.max_ulp)},
          {"bound", json_number(v.bound)},
          {"worst_ratio", json_number(v.worst_ratio)},
          {"checks", checks},
          {"faults", faults}};
}

std::optional<Validation> validation_from_json(const nlohmann::json& document) {
  Validation v;
  try {
    v.passed = document.at("passed").get<bool>();
    for (auto [key, number] : {std::pair{"max_rel_err", &v.max_rel_err},
                               {"max_ulp", &v.max_ulp},
                               {"bound", &v.bound},
                               {"worst_ratio", &v.worst_ratio}})
      *number = document.at(key).is_string() ? std::stod(document.at(key).get<std::string>()) // "inf"
                                             : document.at(key).get<double>();
    for (const nlohmann::json& c : document.at("checks"))
      v.checks.push_back(
          {c.at("id").get<std::string>(), c.at("detail").get<std::string>(), c.at("passed").get<bool>()});
  } catch (const std::exception&) { // another document, or no number
    return std::nullopt;
  }
  if (!v.passed) return std::nullopt; // what failed is judged again
  return v;
}

} // namespace aicf
