// aicf doctor, aicf selftest: what this machine has, and whether a device does what it should.
#include "app/aicf/command.hpp"
#include "core/exec/cuda/selftest.hpp"
#include "core/exec/doctor.hpp"

#include <iostream>

namespace aicf::cli {
namespace {

int selftest_device(bool json, int programs) {
  auto result = cuda::device_selftest(0, programs);
  if (!result) return report(result);
  bool passed = result->value("passed", false);
  if (json) {
    print_json(*result);
  } else {
    for (const auto& check : (*result)["checks"])
      std::cout << (check.value("passed", false) ? "PASS  " : "FAIL  ") << check.value("name", "") << "  "
                << check.value("detail", "") << "\n";
    for (const auto& comparison : (*result)["comparisons"])
      for (const auto& example : comparison["examples"]) std::cout << "      " << example.get<std::string>() << "\n";
  }
  return passed ? done : negative;
}

const RegisterCommand doctor_command{
    {"doctor", "what this machine has, what is missing, and how to get it", [](CLI::App& app) {
       auto json = std::make_shared<bool>(false);
       app.add_flag("--json", *json, "one JSON document on standard output");
       return [json](const std::stop_token&) {
         nlohmann::json found = doctor();
         if (*json)
           print_json(found);
         else
           std::cout << doctor_text(found);
         return static_cast<int>(done);
       };
     }}};
const RegisterCommand selftest{
    {"selftest", "checks that need a device", [](CLI::App& app) {
       auto json = std::make_shared<bool>(false);
       auto programs = std::make_shared<int>(2000);
       app.require_subcommand(1);
       CLI::App* device = app.add_subcommand("device", "the CUDA backend on the first device");
       device->add_flag("--json", *json, "one JSON document on standard output");
       device->add_option("--programs", *programs, "random programs to run on the device and the emulator")
           ->check(CLI::Range(0, 1000000));
       return [json, programs](const std::stop_token&) { return selftest_device(*json, *programs); };
     }}};

} // namespace
} // namespace aicf::cli
