// A file that is whole whenever somebody reads it, however this process ends.
#pragma once
#include <filesystem>
#include <string_view>
#include <system_error>

namespace aicf {

/// Writes beside it and renames; its folder exists. Where that fails, what stood there stays. Any thread, any process.
[[nodiscard]] std::error_code write_whole(const std::filesystem::path& file, std::string_view bytes);

} // namespace aicf
