#include "app/aicf/synth_report.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/document.hpp"
#include "synth/workers/protocol.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

const json& metric(const json& metrics, const char* id) {
  static const json nothing;
  for (const json& m : metrics)
    if (m.is_object() && member(m, "id") == id) return member(m, "value");
  return nothing;
}

std::string choices(const json& plan) {
  std::string out;
  for (const auto& [id, value] : member(plan, "choices").items())
    out += (out.empty() ? "" : " ") + plain_text(id) + "=" + (value.is_string() ? text_in(value) : value.dump());
  return out;
}

/// What a device measured, else the estimate; infinite where there is neither.
double time_of(const json& variant) {
  const json& cold = metric(member(variant, "time_us"), "time_us.cold");
  const json& value = cold.is_number() ? cold : metric(member(variant, "estimates"), "time_us.estimate");
  return value.is_number() ? value.get<double>() : INFINITY;
}

std::string shown_time(const json& variant) {
  const double us = time_of(variant);
  if (!std::isfinite(us)) return "-";
  return (metric(member(variant, "time_us"), "time_us.cold").is_number() ? "" : "~") + number_in(json(us));
}

/// What the plans keep, as derived from their topologies, and what confirmed it.
void print_orders(const json& document) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> kept; // variants; of these with runs that agree
  for (const json& v : member(document, "variants")) {
    const std::string keeps = text_in(member(member(v, "order"), "keeps"));
    if (keeps.empty()) continue;
    auto& [all, confirmed] = kept[keeps];
    ++all;
    for (const json& c : member(member(v, "validation"), "checks"))
      if (member(c, "id") == "run-to-run" && member(c, "passed") == true) ++confirmed;
  }
  for (const auto& [keeps, count] : kept)
    std::cout << count.first << " keep order: " << plain_text(keeps) << "; of " << count.second
              << " runs in other block orders and batches agree\n";
}

/// A hexadecimal id or a C identifier: of these alone, file names are made.
bool is_plain_word(const std::string& word) {
  return !word.empty() && word.size() <= 200 &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

} // namespace

void sort_variants(json& variants) {
  std::stable_sort(variants.begin(), variants.end(), [](const json& a, const json& b) {
    const bool first = member(a, "status") == "validated", second = member(b, "status") == "validated";
    return first != second ? first : time_of(a) < time_of(b);
  });
}

bool all_validated(const json& document) {
  const json& variants = member(document, "variants");
  return !variants.empty() && std::all_of(variants.begin(), variants.end(),
                                          [](const json& v) { return member(v, "status") == "validated"; });
}

void print_synthesis(const json& document) {
  std::vector<std::vector<std::string>> rows;
  for (const json& v : member(document, "variants")) {
    const json& validation = member(v, "validation");
    rows.push_back(
        {text_in(member(v, "id")), text_in(member(v, "status")), whole_in(member(member(v, "compile"), "registers")),
         whole_in(metric(member(v, "counters"), "global_load_sectors")),
         whole_in(metric(member(v, "counters"), "thread_instructions")), number_in(member(validation, "max_rel_err")),
         number_in(member(validation, "bound")), shown_time(v), choices(member(v, "plan"))});
  }
  std::cout << table(
      {"variant", "status", "regs", "load sectors", "thread instr.", "max rel err", "bound", "us (~ est.)", "plan"},
      rows);
  print_orders(document);
  for (const json& v : member(document, "variants")) {
    const std::string id = text_in(member(v, "id"));
    for (const json& c : member(member(v, "validation"), "checks"))
      if (member(c, "passed") == false)
        std::cout << id << ": " << text_in(member(c, "id")) << " failed: " << text_in(member(c, "detail")) << "\n";
    for (const Diagnostic& d : diagnostics_from(member(v, "diagnostics")))
      if (d.severity == Diagnostic::Severity::error) std::cout << id << ": " << format(d) << "\n";
  }
  std::cout << whole_in(member(document, "generated")) << " plans generated, " << whole_in(member(document, "legal"))
            << " legal";
  for (const auto& [reason, count] : member(document, "refused").items())
    std::cout << "\n  " << whole_in(count) << " refused: " << plain_text(reason);
  std::cout << "\n";
}

int write_synthesis(const json& document, const std::string& directory) {
  namespace fs = std::filesystem;
  for (const json& v : member(document, "variants"))
    for (const json& m : member(v, "modules")) {
      const std::string id = text_in(member(v, "id")), entry = text_in(member(m, "entry"));
      if (!is_plain_word(id) || !is_plain_word(entry) || !member(m, "source").is_string())
        return complain("a variant that came is named \"" + id + "\", its kernel \"" + entry + "\": not written");
      const fs::path file = fs::path(directory) / (id + "." + entry + ".cu");
      if (const int failed = write_file(file.string(), member(m, "source").get<std::string>())) return failed;
    }
  return write_file((fs::path(directory) / "synthesis.json").string(),
                    document.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

} // namespace aicf::cli
