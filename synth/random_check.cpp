#include "synth/random_check.hpp"

#include "core/base/atlas_path.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/evaluations.hpp"
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"
#include "core/kernel/lower.hpp"
#include "core/plan/choice.hpp"
#include "synth/random_definition.hpp"
#include "synth/variant.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace aicf {
namespace {

constexpr std::size_t plans_a_case = 3;
constexpr std::int64_t most_elements = 8192; ///< of a case's largest tensor: the judge takes microseconds for each
constexpr double most_work = 1 << 22; ///< evaluations: a lane alone may go through all of them, on a dozen of inputs

std::vector<std::string> atlas_operators() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "ops"))
    if (entry.path().extension() == ".op") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::map<std::string, std::int64_t>& dims) {
  std::string text;
  for (const auto& [name, extent] : dims) text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

class Case {
 public:
  Case(std::uint64_t seed, const RandomCheckOptions& options, const std::vector<std::string>& operators,
       std::stop_token stop)
      : seed_(seed), options_(options), random_(seed * 0x9e3779b97f4a7c15U + 1), stop_(std::move(stop)) {
    emulator_ = make_emulator(1);
    result.cases = 1;
    of_atlas_ = below(100) < 35;
    if (of_atlas_)
      run(load_definition(operators[below(operators.size())]));
    else
      run(parse_definition(random_definition(seed), "random", std::nullopt));
  }

  RandomCheckResult result;

 private:
  std::uint64_t seed_;
  const RandomCheckOptions& options_;
  std::mt19937_64 random_;
  bool of_atlas_ = false;
  std::stop_token stop_;
  std::unique_ptr<Backend> emulator_;

  std::size_t below(std::size_t n) { return random_() % n; }

  void unjudged(const std::string& why) { ++result.not_judged[why]; }

  void run(Result<Definition> read) {
    // the generator writes definitions that check, and the atlas does
    if (!read) return failed("", {}, {}, "not a definition: " + read.diagnostics.front().message);
    auto definition = std::make_shared<const Definition>(std::move(*read));
    StructureProfile structure = analyze(canonicalize(definition), 1, stop_);
    if (stop_.stop_requested()) return;
    for (const Family& family : families())
      if (family.mismatch(structure).empty()) return plans_of(structure, *definition);
    ++result.refused[families().front().id + ": " + families().front().mismatch(structure)];
  }

  /// Sizes that sit beside tiles, vectors and warps, and none.
  std::map<std::string, std::int64_t> sizes(const Definition& d) {
    static constexpr std::array<std::int64_t, 38> hostile{
        0,  1,  1,   2,   3,   4,   5,   7,   8,   9,   13,  16,  17,  31,  32,  33,   47,   63,   64,
        65, 96, 100, 127, 128, 129, 191, 251, 255, 256, 257, 383, 509, 512, 513, 1000, 1021, 1024, 2049};
    for (int attempt = 0; attempt < 60; ++attempt) {
      std::map<std::string, std::int64_t> dims;
      std::size_t reach = attempt < 20 ? hostile.size() : attempt < 40 ? 20 : 10;
      for (const std::string& dim : d.dims) dims[dim] = hostile.at(below(reach));
      if (attempt == 0 && below(8) == 0 && !d.dims.empty()) // a long row, of few
        for (auto& [name, extent] : dims)
          extent = name == d.dims.back() ? 3000 + static_cast<std::int64_t>(below(5000)) : 1;
      auto shapes = shapes_for(d, dims);
      if (!shapes) continue;
      std::int64_t most = 0;
      for (const auto& [name, shape] : *shapes) {
        double n = 1;
        for (std::int64_t extent : shape) n *= static_cast<double>(extent);
        most = std::max(most, static_cast<std::int64_t>(std::min(n, 1e15)));
      }
      if (most <= most_elements && evaluations(d, dims) <= most_work) return dims;
    }
    return {};
  }

  void plans_of(const StructureProfile& structure, const Definition& definition) {
    static constexpr std::array<DType, 6> types{DType::f32,  DType::f32,  DType::f16,
                                                DType::bf16, DType::bf16, DType::f64};
    Problem problem{sizes(definition), {}, types.at(below(types.size())), "sm_90"};
    if (problem.dims.empty() && !definition.dims.empty()) return unjudged("no sizes that fit");
    CompilerProfile rules;
    rules.validation_seeds = 1;
    if (below(4) == 0) rules.arithmetic = static_cast<Arithmetic>(below(4));
    if (below(3) == 0) rules.order = static_cast<Order>(below(4));
    if (below(6) == 0) rules.accumulate = below(2) == 0 ? "compensated" : "f64";
    PlanSpace space = plan(structure, judge(structure, rules), rules, problem);
    if (space.plans.empty()) {
      ++result.refused[space.refused.empty() ? "no plan" : space.refused.begin()->first];
      return;
    }
    std::map<std::string, std::vector<const Plan*>> forms;
    for (const Plan& p : space.plans) forms[coarse_form(p)].push_back(&p);
    std::set<const Plan*> chosen;
    for (std::size_t k = 0; k < plans_a_case && !stop_.stop_requested(); ++k) {
      const auto& form = std::next(forms.begin(), static_cast<std::ptrdiff_t>(below(forms.size())))->second;
      const Plan* p = form[below(form.size())];
      if (chosen.insert(p).second) judge_one(structure, rules, problem, *p);
    }
  }

  void judge_one(const StructureProfile& structure, const CompilerProfile& rules, const Problem& problem,
                 const Plan& plan) {
    const std::string& text = structure.canonical->source->text;
    auto build = [&](const Plan& p, const Problem& at) { return built(structure, p, at); };
    auto variant = build(plan, problem);
    if (variant.missing) return unjudged("missing: " + variant.missing->what);
    if (!variant) return failed(text, problem, plan, "does not compile: " + variant.diagnostics.front().message);
    if (variant->modules.empty()) return unjudged("no place for the planted fault");
    ValidationOptions options;
    options.seed = seed_;
    options.edge_shapes = options.counters = false;
    auto verdict = validate(structure, rules, *variant, problem, *emulator_, build, options, stop_);
    if (stop_.stop_requested()) return;
    if (!verdict)
      return unjudged(verdict.missing ? "missing: " + verdict.missing->what : verdict.diagnostics.front().code);
    count(plan, problem, *verdict);
    if (verdict->passed) {
      ++result.passed;
      return;
    }
    for (const Check& c : verdict->checks)
      if (!c.passed) return failed(text, problem, plan, c.id + ": " + c.detail);
  }

  /// With the fault of the options in every kernel; without modules where one has no place for it.
  Result<Variant> built(const StructureProfile& structure, const Plan& plan, const Problem& problem) {
    if (!options_.plant) return build_variant(structure, plan, problem);
    auto modules = lower(structure, plan, problem);
    if (!modules) return modules.failure<Variant>();
    Variant variant{plan, std::move(*modules), {}};
    if (!std::all_of(variant.modules.begin(), variant.modules.end(), options_.plant)) return Variant{plan, {}, {}};
    return compiled(std::move(variant));
  }

  void count(const Plan& plan, const Problem& problem, const Validation& verdict) {
    ++result.judged;
    ++result.forms[coarse_form(plan)];
    ++result.by["family"][plan.family];
    ++result.by["dtype"][std::string(name_of(problem.float_type))];
    ++result.by["definition"][of_atlas_ ? "atlas" : "random"];
    for (const char* choice : {"state_form", "cooperation", "staging", "accumulate"})
      if (has(plan, choice)) ++result.by[choice][word(plan, choice)];
    for (const Check& c : verdict.checks) result.compared.add(c.compared);
    auto at_random =
        std::find_if(verdict.checks.begin(), verdict.checks.end(), [](const Check& c) { return c.id == "random"; });
    if (at_random != verdict.checks.end() && at_random->compared.judged == 0 && at_random->compared.elements > 0)
      ++result.unbounded;
  }

  void failed(const std::string& text, const Problem& problem, const Plan& plan, const std::string& what) {
    std::string choices = plan.family;
    for (const auto& [id, value] : plan.choices) choices += "," + id + "=" + to_text(value);
    result.failures.push_back(
        {seed_, text, text_of(problem.dims), std::string(name_of(problem.float_type)), choices, what});
  }
};

void add(std::map<std::string, std::size_t>& to, const std::map<std::string, std::size_t>& from) {
  for (const auto& [key, n] : from) to[key] += n;
}

void add(RandomCheckResult& all, const RandomCheckResult& one) {
  all.cases += one.cases, all.judged += one.judged, all.passed += one.passed, all.unbounded += one.unbounded;
  all.compared.add(one.compared);
  add(all.refused, one.refused), add(all.not_judged, one.not_judged), add(all.forms, one.forms);
  for (const auto& [what, counts] : one.by) add(all.by[what], counts);
  all.failures.insert(all.failures.end(), one.failures.begin(), one.failures.end());
}

/// Gives out seeds, and takes cases in whatever order they come; counts them in the order of their seeds.
class Tally {
 public:
  Tally(const RandomCheckOptions& options, const std::function<void(std::size_t)>& progress)
      : options_(options), progress_(progress), next_(options.seed) {
    all.next_seed = options.seed;
  }

  std::optional<std::uint64_t> take() {
    std::scoped_lock lock(guard_);
    return done() ? std::nullopt : std::optional(next_++);
  }

  /// True: that was the last one.
  bool give(std::uint64_t seed, RandomCheckResult one) {
    std::scoped_lock lock(guard_);
    waiting_.emplace(seed, std::move(one));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == all.next_seed && !done();
         it = waiting_.erase(it)) {
      add(all, it->second);
      ++all.next_seed;
      if (progress_) progress_(all.judged);
    }
    return done();
  }

  /// Under the lock, or when the workers have ended.
  [[nodiscard]] bool done() const { return all.judged >= options_.count || all.cases > 20 * options_.count + 100; }

  RandomCheckResult all;

 private:
  const RandomCheckOptions& options_;
  const std::function<void(std::size_t)>& progress_;
  std::mutex guard_;
  std::uint64_t next_;
  std::map<std::uint64_t, RandomCheckResult> waiting_;
};

} // namespace

RandomCheckResult random_check(const RandomCheckOptions& options, const std::function<void(std::size_t)>& progress,
                               std::stop_token stop) {
  const std::vector<std::string> operators = atlas_operators();
  Tally tally(options, progress);
  std::stop_source enough; // what is under way when the last triple counts is of no use
  auto work = [&] {
    while (auto seed = stop.stop_requested() ? std::nullopt : tally.take()) {
      RandomCheckResult one = Case(*seed, options, operators, enough.get_token()).result;
      if (stop.stop_requested()) return;
      if (tally.give(*seed, std::move(one))) enough.request_stop();
    }
  };
  {
    std::stop_callback pass_on(stop, [&] { enough.request_stop(); });
    std::vector<std::jthread> workers;
    unsigned n = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned k = 0; k < n; ++k) workers.emplace_back(work);
  }
  tally.all.cancelled = !tally.done();
  return std::move(tally.all);
}

nlohmann::json to_json(const RandomCheckResult& r, const RandomCheckOptions& options) {
  nlohmann::json failures = nlohmann::json::array();
  for (const RandomFailure& f : r.failures)
    failures.push_back({{"seed", f.seed},
                        {"definition", f.definition},
                        {"sizes", f.sizes},
                        {"dtype", f.dtype},
                        {"plan", f.plan},
                        {"what", f.what}});
  return {{"schema", "aicf.random-check/1"},
          {"count", options.count},
          {"seed", options.seed},
          {"cases", r.cases},
          {"judged", r.judged},
          {"passed", r.passed},
          {"refused", r.refused},
          {"not_judged", r.not_judged},
          {"forms", r.forms},
          {"by", r.by},
          {"elements", {{"compared", r.compared.elements}, {"judged", r.compared.judged}}},
          {"unbounded", r.unbounded},
          {"failures", failures},
          {"cancelled", r.cancelled},
          {"next_seed", r.next_seed}};
}

} // namespace aicf
