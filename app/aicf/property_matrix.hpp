// aicf ops --properties: every operator of the atlas against every property.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/hash.hpp"
#include "core/structure/properties/property.hpp"

#include <filesystem>
#include <stop_token>
#include <vector>

namespace aicf::cli {

struct PropertyRow {
  std::string name;
  Hash structure{};
  std::vector<PropertyVerdict> verdicts; ///< by property; empty where the file could not be read
  bool fresh = false;                    ///< decided now, not kept from before
  std::string text;                      ///< that the diagnostics speak of
  std::vector<Diagnostic> diagnostics;
};

/// In the order of the files, on `threads` threads; verdicts are kept in `folder`. Rows that a stop leaves out are
/// empty.
[[nodiscard]] std::vector<PropertyRow> property_rows(const std::vector<std::filesystem::path>& files,
                                                     const std::filesystem::path& folder, unsigned threads,
                                                     const std::stop_token& stop = {});

/// Prints the matrix; the exit status.
int property_matrix(const std::vector<std::filesystem::path>& files, bool json, const std::stop_token& stop = {});

} // namespace aicf::cli
