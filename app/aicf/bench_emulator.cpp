// aicf bench emulator: thread instructions a second.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "core/exec/emulator/bench.hpp"

namespace aicf::cli {
namespace {

BenchOutcome measure() {
  BenchOutcome out;
  const double rate = emulator_thread_instructions_per_s();
  out.value = {{"thread_instructions_per_s", rate}, {"cores", 1}};
  out.top = {{"thread_instructions_per_s", rate}};
  std::ostringstream text;
  text << "emulator   " << rate << " thread instructions a second on one core\n";
  out.text = text.str();
  return out;
}

const RegisterBench emulator{{"emulator", "The emulator's speed, checks and counters on", true,
                              [](CLI::App&) { return [](std::stop_token, const BenchKeep&) { return measure(); }; }}};

} // namespace
} // namespace aicf::cli
