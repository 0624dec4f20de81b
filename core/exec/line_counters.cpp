#include "core/exec/line_counters_json.hpp"

#include <nlohmann/json.hpp>

#include <utility>

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

namespace {

using Count = std::uint64_t LineCounters::*;

constexpr std::array<std::pair<const char*, Count>, 5> operations{
    {{"f32", &LineCounters::flops_f32},
     {"f64", &LineCounters::flops_f64},
     {"half", &LineCounters::flops_half},
     {"tensor", &LineCounters::tensor_flops},
     {"tensor_integer", &LineCounters::tensor_integer_operations}}};
constexpr std::array<std::pair<const char*, Count>, 7> counts{
    {{"warp_instructions", &LineCounters::warp_instructions},
     {"thread_instructions", &LineCounters::thread_instructions},
     {"global_requests", &LineCounters::global_requests},
     {"global_sectors", &LineCounters::global_sectors},
     {"global_lines", &LineCounters::global_lines},
     {"shared_wavefronts", &LineCounters::shared_wavefronts},
     {"bank_conflicts", &LineCounters::bank_conflicts}}};

} // namespace

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
  for (const auto& [name, count] : operations)
    if (l.*count != 0) flops[name] = l.*count;
  const double slots = 32.0 * static_cast<double>(l.warp_instructions);
  json document{{"active_lane_efficiency", slots > 0 ? static_cast<double>(l.thread_instructions) / slots : 0},
                {"classes", classes},
                {"operations", flops},
                {"bytes", bytes}};
  for (const auto& [name, count] : counts) document[name] = l.*count;
  return document;
}

std::optional<LineCounters> line_counters_from_json(const nlohmann::json& document) {
  LineCounters l;
  try {
    for (const auto& [name, count] : counts) l.*count = document.at(name).get<std::uint64_t>();
    for (const auto& [name, count] : operations) l.*count = document.at("operations").value(name, std::uint64_t{0});
    for (std::size_t c = 0; c < instruction_classes; ++c)
      if (auto found = document.at("classes").find(name_of(static_cast<InstructionClass>(c)));
          found != document.at("classes").end())
        l.by_class[c] = {found->at("warps").get<std::uint64_t>(), found->at("threads").get<std::uint64_t>()};
    for (std::size_t s = 0; s < memory_spaces; ++s)
      if (auto found = document.at("bytes").find(name_of(static_cast<MemorySpace>(s)));
          found != document.at("bytes").end())
        l.bytes_read[s] = found->at("read").get<std::uint64_t>(),
        l.bytes_written[s] = found->at("written").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return l;
}

} // namespace aicf
