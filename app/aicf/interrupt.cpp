#include "app/aicf/interrupt.hpp"

#include "app/aicf/command.hpp"

#include <atomic>
#include <fstream>
#include <iostream>

namespace aicf::cli {
namespace {

std::atomic<bool> at_once{false};

} // namespace

void end_at_once() { at_once = true; }
bool ends_at_once() { return at_once; }

int stopped() {
  std::cerr << "aicf: stopped\n";
  return negative;
}

std::shared_ptr<const StructureProfile> analysed(const std::string& file_or_name, const std::string& op, int& status,
                                                 const std::stop_token& stop) {
  Result<Definition> definition = find_operator(file_or_name, op);
  if (!definition) return analysed(file_or_name, op, status); // which reports what is wrong
  status = report(definition, definition->text);
  auto profile = std::make_shared<const StructureProfile>(
      analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition))), 1, stop));
  if (!stop.stop_requested()) return profile;
  status = stopped();
  return nullptr;
}

} // namespace aicf::cli
