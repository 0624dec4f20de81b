#include "core/exec/line_counters.hpp"

#include <nlohmann/json.hpp>

namespace aicf {

std::string_view name_of(InstructionClass c) {
  constexpr std::array<std::string_view, instruction_classes> names{
      "integer",         "f32",    "f64",    "half",  "conversion", "special",   "move",    "control", "warp",
      "synchronisation", "global", "shared", "local", "constant",   "parameter", "generic", "copy",    "tensor"};
  return names[static_cast<std::size_t>(c)];
}

std::string_view name_of(MemorySpace s) {
  constexpr std::array<std::string_view, memory_spaces> names{"global", "shared", "local", "constant", "parameter"};
  return names[static_cast<std::size_t>(s)];
}

void LineCounters::add(const LineCounters& o) {
  warp_instructions += o.warp_instructions;
  thread_instructions += o.thread_instructions;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    by_class[c].warps += o.by_class[c].warps;
    by_class[c].threads += o.by_class[c].threads;
  }
  flops_f32 += o.flops_f32;
  flops_f64 += o.flops_f64;
  flops_half += o.flops_half;
  tensor_flops += o.tensor_flops;
  tensor_integer_operations += o.tensor_integer_operations;
  global_requests += o.global_requests;
  global_sectors += o.global_sectors;
  global_lines += o.global_lines;
  shared_wavefronts += o.shared_wavefronts;
  bank_conflicts += o.bank_conflicts;
  for (std::size_t s = 0; s < memory_spaces; ++s) {
    bytes_read[s] += o.bytes_read[s];
    bytes_written[s] += o.bytes_written[s];
  }
}

nlohmann::json to_json(const LineCounters& l) {
  using nlohmann::json;
  json classes = json::object(), bytes = json::object(), flops = json::object();
  for (std::size_t c = 0; c < instruction_classes; ++c)
    if (l.by_class[c].warps != 0)
      classes[std::string(name_of(static_cast<InstructionClass>(c)))] = {{"warps", l.by_class[c].warps},
                                                                         {"threads", l.by_class[c].threads}};
  for (std::size_t s = 0; s < memory_spaces; ++s)
    if (l.bytes_read[s] + l.bytes_written[s] != 0)
      bytes[std::string(name_of(static_cast<MemorySpace>(s)))] = {{"read", l.bytes_read[s]},
                                                                  {"written", l.bytes_written[s]}};
  for (const auto& [name, count] : {std::pair{"f32", l.flops_f32},
                                    {"f64", l.flops_f64},
                                    {"half", l.flops_half},
                                    {"tensor", l.tensor_flops},
                                    {"tensor_integer", l.tensor_integer_operations}})
    if (count != 0) flops[name] = count;
  const double slots = 32.0 * static_cast<double>(l.warp_instructions);
  return {{"warp_instructions", l.warp_instructions},
          {"thread_instructions", l.thread_instructions},
          {"active_lane_efficiency", slots > 0 ? static_cast<double>(l.thread_instructions) / slots : 0},
          {"classes", classes},
          {"operations", flops},
          {"bytes", bytes},
          {"global_requests", l.global_requests},
          {"global_sectors", l.global_sectors},
          {"global_lines", l.global_lines},
          {"shared_wavefronts", l.shared_wavefronts},
          {"bank_conflicts", l.bank_conflicts}};
}

} // namespace aicf
