#include "app/aicf/selftest_device.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/remote.hpp"
#include "core/base/whole_file.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/cuda/selftest.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/selftest/compare.hpp"
#include "synth/workers/program_trials.hpp"

#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

void write_results(const std::string& path, const json& document) {
  if (path.empty()) return;
  if (const std::error_code failed = write_whole(path, document.dump(2) + "\n"))
    throw std::runtime_error("'" + path + "' could not be written: " + failed.message());
}

/// The document with the programs among its checks. Those on which the device's compiler crashes or disagrees with
/// itself are told, and no check's failure.
json with_programs(json document, const ProgramTrials& trials) {
  document["passed"] = document.value("passed", false) && trials.passed();
  document["checks"].push_back(
      {{"name", "emulator.programs"}, {"passed", trials.passed()}, {"detail", summary(trials)}});
  document["comparisons"].push_back(to_json(trials));
  return document;
}

void print(const json& document) {
  for (const auto& check : document["checks"])
    std::cout << (check.value("passed", false) ? "PASS  " : "FAIL  ") << check.value("name", "") << "  "
              << check.value("detail", "") << "\n";
  for (const auto& comparison : document["comparisons"])
    for (const char* kind : {"examples", "compiler_examples"})
      for (const auto& example : comparison.value(kind, json::array()))
        std::cout << "      " << example.get<std::string>() << "\n";
  if (!document.value("complete", false)) std::cout << "stopped: there is more to check\n";
}

} // namespace

int selftest_programs(const std::string& backend, std::uint64_t first, int count, const std::stop_token& stop) {
  auto other = make_backend(backend);
  if (!other) return report(other);
  const auto emulator = make_emulator();
  const auto say = [](const char* kind) {
    return [kind](const auto& what) { std::cout << kind << what << std::endl; }; // at once
  };
  const selftest::ProgramEvents events{say("seed "), say("differs "), say("compiler ")};
  bool same = true;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    if (stop.stop_requested()) return negative;
    same = selftest::compare_programs(**other, *emulator, 1, seed, events).passed() && same;
    if (cuda::context_was_lost()) return negative;
  }
  std::cout << "done" << std::endl;
  return same ? done : negative;
}

int selftest_device(const DeviceTestOptions& options, const std::stop_token& stop) {
  auto checked = cuda::device_selftest(0, stop, [&](const json& so_far) { write_results(options.results, so_far); });
  if (!checked) return report(checked);
  json document = std::move(*checked);
  int status = done;
  if (options.programs > 0 && !stop.stop_requested()) {
    document["complete"] = false;
    const auto trials = try_programs(
        {own_program(), "selftest", "programs", "--backend", "cuda"}, options.programs, stop,
        [&](const ProgramTrials& so_far) { write_results(options.results, with_programs(document, so_far)); });
    if (!trials) status = report(trials);
    if (trials) document = with_programs(std::move(document), *trials);
    document["complete"] = trials && !trials->cancelled;
  }
  document["passed"] = document.value("passed", false) && document.value("complete", false);
  write_results(options.results, document);
  if (options.json)
    print_json(document);
  else
    print(document);
  if (status != done) return status;
  return document.value("passed", false) ? done : negative;
}

} // namespace aicf::cli
