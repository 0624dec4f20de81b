// What `aicf synth` shows and writes, from the document "aicf.synthesis/1" alone: whether it was made here or came from
// another machine.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf::cli {

/// The table of variants, what failed and why, and the counts of plans, on standard output.
void print_synthesis(const nlohmann::json& document);
/// Each kernel as ID.ENTRY.cu, and the document as synthesis.json, in a folder that is there. Ids and entries that are
/// no plain words (they may come from another machine) name no file and are an error. An exit status.
int write_synthesis(const nlohmann::json& document, const std::string& directory);
/// Validated ones first, the fastest first.
void sort_variants(nlohmann::json& variants);
/// Whether there are variants, every one of them validated.
[[nodiscard]] bool all_validated(const nlohmann::json& document);

} // namespace aicf::cli
