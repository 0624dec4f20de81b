// aicf bench: how fast the engine is, and how generated kernels compare with a copy of the same bytes. Prints numbers;
// no test depends on them. The cases register themselves (bench.hpp).
#include "app/aicf/bench.hpp"

#include "app/aicf/command.hpp"
#include "core/evidence/evidence.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

std::vector<BenchCase>& cases() {
  static std::vector<BenchCase> all;
  return all;
}

struct Chosen {
  CLI::App* app;
  const BenchCase* what;
  BenchRun run;
};

struct Options {
  bool as_json = false;
  std::string out;
};

int run(const std::vector<Chosen>& all, const Options& o, const std::stop_token& stop) {
  const bool named = std::any_of(all.begin(), all.end(), [](const Chosen& c) { return c.app->parsed(); });
  json document{{"schema", "aicf.bench/1"}, {"date", utc_now()}, {"host", host_name()}};
  std::string text;
  int status = done;
  for (const Chosen& c : all) {
    if (named ? !c.app->parsed() : !c.what->unnamed) continue;
    BenchOutcome outcome = c.run(stop, [&](const json& value) {
      document[c.what->id] = value;
      if (!o.out.empty()) std::ofstream(o.out) << document.dump(1) << "\n";
    });
    status = std::max(status, outcome.status);
    if (outcome.value.is_null()) continue;
    document[c.what->id] = std::move(outcome.value);
    document.update(outcome.top);
    text += outcome.text;
  }
  if (!o.out.empty())
    if (const int failed = write_file(o.out, document.dump(1) + "\n")) return failed;
  if (o.as_json)
    print_json(document);
  else
    std::cout << text;
  return status;
}

const RegisterCommand bench{
    {"bench", "How fast the engine is, and generated kernels on a device", [](CLI::App& app) {
       auto options = std::make_shared<Options>();
       auto all = std::make_shared<std::vector<Chosen>>();
       app.require_subcommand(0, static_cast<int>(cases().size()));
       std::sort(cases().begin(), cases().end(), [](const BenchCase& a, const BenchCase& b) { return a.id < b.id; });
       std::vector<CLI::App*> taking{&app};
       for (const BenchCase& one : cases()) {
         CLI::App* sub = app.add_subcommand(one.id, one.about + (one.unnamed ? "" : " (only where it is named)"));
         all->push_back({sub, &one, one.setup(*sub)});
         taking.push_back(sub);
       }
       for (CLI::App* each : taking) {
         each->add_flag("--json", options->as_json, "one JSON document on standard output");
         each->add_option("--out", options->out, "also write the JSON document here");
       }
       return [all, options](std::stop_token stop) { return run(*all, *options, stop); };
     }}};

} // namespace

RegisterBench::RegisterBench(BenchCase one) { cases().push_back(std::move(one)); }

double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

BenchSpread bench_spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  auto at = [&](double q) { return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))]; };
  return {at(0.5), at(0.25), at(0.75)};
}

json to_json(const BenchSpread& s, const char* unit) {
  return {{"median", s.median}, {"q1", s.low}, {"q3", s.high}, {"unit", unit}};
}

} // namespace aicf::cli
