// aicf doctor, aicf selftest: what this machine has, whether a device does what it should, and whether the judge agrees
// with random kernels.
#include "app/aicf/command.hpp"
#include "app/aicf/counted.hpp"
#include "app/aicf/remote.hpp"
#include "app/aicf/selftest_device.hpp"
#include "app/aicf/selftest_workers.hpp"
#include "core/exec/doctor.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/selftest/random_program.hpp"
#include "synth/random_check.hpp"
#include "synth/workers/target.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <iostream>

namespace aicf::cli {
namespace {

int selftest_kernels(bool json, const RandomCheckOptions& options, const std::stop_token& stop) {
  if (auto compiler = nvrtc_info(); !compiler) return report(compiler);
  bool terminal = isatty(STDERR_FILENO) != 0;
  RandomCheckResult r = random_check(
      options,
      [&](std::size_t judged) {
        if (terminal) std::cerr << "\r" << judged << " of " << options.count << std::flush;
      },
      stop);
  if (terminal) std::cerr << "\r";
  if (json) {
    print_json(to_json(r, options));
  } else {
    std::cout << r.judged << " judged, " << r.passed << " passed, of " << r.cases << " definitions with sizes\n";
    std::cout << r.compared.judged << " of " << r.compared.elements
              << " elements have a bound or must be the definition's "
              << "special value; " << r.unbounded << " triples have none on random inputs\n";
    for (const auto& [what, counts] : r.by)
      for (const auto& [which, n] : counts) std::cout << what << "  " << n << " x " << which << "\n";
    for (const auto& [why, n] : r.refused) std::cout << "refused     " << n << " x " << why << "\n";
    for (const auto& [why, n] : r.not_judged) std::cout << "not judged  " << n << " x " << why << "\n";
    for (const RandomFailure& f : r.failures)
      std::cout << "FAIL  seed " << f.seed << ", " << f.sizes << ", " << f.dtype << "\n"
                << f.definition << "  " << f.plan << "\n  " << f.what << "\n";
  }
  if (r.cancelled) std::cerr << "aicf: cancelled: the other definitions were not judged\n";
  return r.failures.empty() && !r.cancelled ? done : negative;
}

const RegisterCommand doctor_command{
    {"doctor", "what this machine has, what is missing, and how to get it", [](CLI::App& app) {
       auto json = std::make_shared<bool>(false);
       app.add_flag("--json", *json, "one JSON document on standard output");
       auto target = std::make_shared<std::string>();
       app.add_option("--target", *target, "of another machine: a name of the targets in settings");
       return [json, target](const std::stop_token& stop) {
         nlohmann::json found;
         if (target->empty()) {
           found = doctor();
         } else {
           auto outcomes = run_on_targets({{*target, "doctor", "doctor", nlohmann::json::object()}}, stop);
           if (!outcomes) return report(outcomes);
           if (int status = report_end(outcomes->front()); status != done) return status;
           found = outcomes->front().end.body;
         }
         if (*json || !target->empty()) // what came from elsewhere has no form to rely on
           print_json(found);
         else
           std::cout << doctor_text(found);
         return static_cast<int>(done);
       };
     }}};
const RegisterCommand selftest{
    {"selftest", "checks of a device, its counters, workers, and generated kernels on random definitions",
     [](CLI::App& app) {
       auto json = std::make_shared<bool>(false);
       auto tested = std::make_shared<DeviceTestOptions>();
       app.require_subcommand(1);
       CLI::App* device = app.add_subcommand("device", "the CUDA backend on the first device");
       device->add_flag("--json", tested->json, "one JSON document on standard output");
       device->add_option("--programs", tested->programs, "random programs to run on the device and the emulator")
           ->check(CLI::Range(0, 1000000));
       device->add_option("--results", tested->results,
                          "a file that gets the document as it grows, whole after each step");
       auto random = std::make_shared<RandomCheckOptions>();
       CLI::App* kernels = app.add_subcommand("kernels", "random (definition, plan, sizes) triples on the emulator");
       kernels->add_flag("--json", *json, "one JSON document on standard output");
       kernels->add_option("--count", random->count, "triples to judge")->check(CLI::Range(1, 1000000));
       kernels->add_option("--seed", random->seed, "of the first case; each further one adds 1");
       kernels->add_option("--jobs", random->threads,
                           "threads; 0: one for each processor. The answer does not depend on it");
       auto backend = std::make_shared<std::string>("emulator");
       auto target = std::make_shared<std::string>("local");
       CLI::App* workers = app.add_subcommand("workers", "kernels that hang or break things, each against its worker");
       workers->add_flag("--json", *json, "one JSON document on standard output");
       workers->add_option("--backend", *backend, "emulator or cuda")->check(CLI::IsMember({"emulator", "cuda"}));
       workers->add_option("--target", *target, "where: a name of the targets in settings");
       auto counted = std::make_shared<CountedOptions>();
       CLI::App* counters = app.add_subcommand("counters", "the counters of a list of kernels, one launch of each");
       counters->add_option("--backend", counted->backend, "whose: emulator or cuda (through CUPTI)")
           ->check(CLI::IsMember({"emulator", "cuda"}));
       counters->add_option("--cases", counted->cases, "a JSON list of further kernels: tests/bench/counters.json");
       counters->add_option("--only", counted->only, "these alone");
       counters->add_flag("--launch", counted->launch, "launch each once and count nothing: for a profiler");
       counters->add_flag("--list", counted->list, "name the kernels, and run none");
       counters->add_flag("--json", counted->json, "one JSON document on standard output");
       auto seed = std::make_shared<std::uint64_t>(0);
       CLI::App* program = app.add_subcommand("program", "the PTX of one of the random programs of `device`");
       program->add_option("seed", *seed, "as a difference names it")->required();
       auto first = std::make_shared<std::uint64_t>(1);
       auto count = std::make_shared<int>(1);
       CLI::App* some = app.add_subcommand("programs", "some of the random programs of `device`, in this process");
       some->add_option("--backend", *backend, "emulator or cuda")->check(CLI::IsMember({"emulator", "cuda"}));
       some->add_option("first", *first, "seed of the first one")->required();
       some->add_option("count", *count, "how many")->check(CLI::Range(1, 1000000))->required();
       return [first, count, some, json, tested, random, kernels, workers, backend, target, counted, counters, seed,
               program](const std::stop_token& stop) {
         if (program->parsed()) {
           std::cout << selftest::random_program(*seed).ptx();
           return static_cast<int>(done);
         }
         if (some->parsed()) return selftest_programs(*backend, *first, *count, stop);
         if (counters->parsed()) return selftest_counters(*counted, stop);
         if (workers->parsed()) return selftest_workers(*backend, *target, *json, stop);
         return kernels->parsed() ? selftest_kernels(*json, *random, stop) : selftest_device(*tested, stop);
       };
     }}};

} // namespace
} // namespace aicf::cli
