// aicf ops --properties: every operator of the atlas against every property.
#pragma once
#include <filesystem>
#include <vector>

namespace aicf::cli {

/// Prints the matrix; the exit status.
int property_matrix(const std::vector<std::filesystem::path>& files, bool json);

} // namespace aicf::cli
