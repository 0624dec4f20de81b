// aicf bench priors: plans ordered for a nominal machine and by the priors of a hardware profile, against times that a
// device measures in the same run. For each case: a sample of legal plans drawn evenly, and the first of either order.
#include "app/aicf/bench.hpp"
#include "app/aicf/bench_cases.hpp"
#include "app/aicf/command.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "synth/planning.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

namespace aicf::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string cases, dtype = "bf16";
  int sample = 24, first = 4;
  std::uint64_t seed = 1;
};

/// Kendall's tau-b of two rankings of the same things: 1 the same order, 0 none, -1 the reverse.
double kendall(const std::vector<double>& a, const std::vector<double>& b) {
  double agree = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double x = a[i] - a[j], y = b[i] - b[j];
      agree += x * y > 0 ? 1 : x * y < 0 ? -1 : 0;
      of_a += x != 0 ? 1 : 0;
      of_b += y != 0 ? 1 : 0;
    }
  return of_a * of_b > 0 ? agree / std::sqrt(of_a * of_b) : 0;
}

class PriorsBench {
 public:
  PriorsBench(const Options& o, const MachineModel& known, Backend& cuda, std::stop_token stop)
      : o_(o), known_(known), cuda_(cuda), stop_(std::move(stop)) {}

  Result<json> one(const BenchDeviceCase& c) {
    int status = done;
    auto structure = analysed(c.op, "", status);
    if (!structure) return error("bench.op", "cannot analyse it", {c.op, 0, 0, 0});
    auto dims = parse_shape(c.shape, *structure->canonical->source);
    if (!dims) return dims.failure<json>();
    const Problem problem{*dims, {}, *dtype_from(o_.dtype), "sm_90"};
    const CompilerProfile rules;
    const Ledger ledger = judge(*structure, rules);
    const MachineModel nominal;
    const PlanSpace spaces[] = {plan(*structure, ledger, rules, problem, nominal),
                                plan(*structure, ledger, rules, problem, known_)};
    if (spaces[0].plans.empty()) return error("bench.op", "no legal plan", {c.op, 0, 0, 0});
    std::map<Hash, const Plan*> wanted;
    std::vector<Hash> sample;
    std::mt19937_64 random(o_.seed);
    for (int i = 0; i < o_.sample; ++i) {
      const Plan& drawn = spaces[0].plans[random() % spaces[0].plans.size()];
      if (wanted.emplace(id_of(drawn), &drawn).second) sample.push_back(id_of(drawn));
    }
    for (const PlanSpace& space : spaces)
      for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(o_.first), space.plans.size()); ++i)
        wanted.emplace(id_of(space.plans[i]), &space.plans[i]);
    auto measured = time_all(*structure, problem, wanted);
    if (!measured) return measured.failure<json>();
    double best = INFINITY;
    for (const auto& [id, us] : *measured) best = std::min(best, us);
    json row{{"op", c.op},
             {"shape", c.shape},
             {"plans", spaces[0].plans.size()},
             {"timed", measured->size()},
             {"best_us", best}};
    const char* const names[] = {"nominal", "priors"};
    const MachineModel* machines[] = {&nominal, &known_};
    for (std::size_t k = 0; k < 2; ++k) {
      double of_first = INFINITY, of_few = INFINITY;
      for (int i = 0; i < o_.first && i < static_cast<int>(spaces[k].plans.size()); ++i) {
        const double us = measured->at(id_of(spaces[k].plans[static_cast<std::size_t>(i)]));
        if (i == 0) of_first = us;
        of_few = std::min(of_few, us);
      }
      std::vector<double> estimates, times;
      for (const Hash& id : sample)
        for (const Family& family : families())
          if (family.id == wanted.at(id)->family && std::isfinite(measured->at(id))) {
            estimates.push_back(family.estimate(*structure, problem, *wanted.at(id), *machines[k]));
            times.push_back(measured->at(id));
          }
      row[names[k]] = {{"first_us", of_first},
                       {"first_over_best", of_first / best},
                       {"few_over_best", of_few / best},
                       {"tau", kendall(estimates, times)}};
    }
    return row;
  }

 private:
  /// Microseconds, cold; infinite for a plan that does not compile or run.
  Result<std::map<Hash, double>> time_all(const StructureProfile& structure, const Problem& problem,
                                          const std::map<Hash, const Plan*>& plans) {
    using Times = std::map<Hash, double>;
    VariantTimer timer(structure, problem, cuda_, stop_);
    if (auto made = timer.make_inputs(); !made) return made.failure<Times>();
    Times times;
    for (auto at = plans.begin(); at != plans.end() && !stop_.stop_requested();) {
      std::vector<Hash> ids;
      std::vector<const Plan*> batch;
      for (; batch.size() < VariantTimer::at_once && at != plans.end(); ++at)
        ids.push_back(at->first), batch.push_back(at->second);
      const std::vector<Result<Variant>> built = timer.build(batch);
      for (std::size_t b = 0; b < batch.size(); ++b) {
        if (built[b].missing) return built[b].failure<Times>();
        auto cold = built[b] ? timer.cold(*built[b], 15) : built[b].failure<Metric>();
        times[ids[b]] = cold ? cold->value : INFINITY;
      }
    }
    if (stop_.stop_requested()) return error("bench.stopped", "cancelled");
    return times;
  }

  const Options& o_;
  const MachineModel& known_;
  Backend& cuda_;
  std::stop_token stop_;
};

BenchOutcome run(const Options& o, const std::stop_token& stop, const BenchKeep& keep) {
  BenchOutcome out;
  auto device = cuda::device_at(0);
  auto backend = make_backend("cuda");
  auto cases = read_bench_cases(o.cases);
  if (!device || !backend || !cases) {
    out.status = !cases ? report(cases) : !device ? report(device) : report(backend);
    return out;
  }
  const MachineModel known = planning_machine(CompilerProfile{}, "cuda", "sm_90");
  PriorsBench bench(o, known, **backend, stop);
  out.value = {{"device", cuda::to_json(*device)}, {"dtype", o.dtype},      {"sample", o.sample}, {"first", o.first},
               {"priors", known.priors},           {"cases", json::array()}};
  std::map<std::string, std::vector<double>> logs;
  for (const BenchDeviceCase& c : *cases) {
    if (stop.stop_requested()) break;
    auto row = bench.one(c);
    if (!row) {
      out.status = std::max(out.status, report(row));
      if (row.missing) return out;
      continue;
    }
    for (const char* way : {"nominal", "priors"})
      for (const char* what : {"first_over_best", "few_over_best", "tau"})
        logs[std::string(way) + "." + what].push_back((*row)[way][what].get<double>());
    std::cerr << c.op << " " << c.shape << ": first plan over the best " << (*row)["nominal"]["first_over_best"]
              << " nominal, " << (*row)["priors"]["first_over_best"] << " with priors\n";
    out.value["cases"].push_back(std::move(*row));
    keep(out.value);
  }
  std::ostringstream text;
  for (const auto& [what, values] : logs) {
    const bool ratio = !what.ends_with("tau");
    double sum = 0;
    for (double v : values) sum += ratio ? std::log(v) : v;
    const double mean = values.empty() ? 0 : sum / static_cast<double>(values.size());
    out.value["mean"][what] = ratio ? std::exp(mean) : mean;
    text << what << "  " << (ratio ? std::exp(mean) : mean) << (ratio ? " (geometric mean)\n" : " (mean)\n");
  }
  out.text = text.str();
  return out;
}

const RegisterBench priors{
    {"priors", "Plans in order of estimates with and without priors, timed", false, [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("--cases", o->cases, "a JSON list of {op, shape}")->required();
       app.add_option("--dtype", o->dtype, "what `float` is")->check(CLI::IsMember({"f32", "f16", "bf16"}));
       app.add_option("--sample", o->sample, "plans drawn evenly from the legal ones")->check(CLI::Range(2, 1000));
       app.add_option("--first", o->first, "plans of either order")->check(CLI::Range(1, 100));
       app.add_option("--seed", o->seed, "of the draw");
       return [o](std::stop_token stop, const BenchKeep& keep) { return run(*o, stop, keep); };
     }}};

} // namespace
} // namespace aicf::cli
