#include "core/base/whole_file.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>

namespace aicf {

namespace fs = std::filesystem;

std::error_code write_whole(const fs::path& file, std::string_view bytes) {
  static std::atomic<unsigned> serial = 0;
  fs::path part = file;
  part += "." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".part";
  std::error_code failed, ignored;
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out)
    failed = std::make_error_code(std::errc::io_error);
  else
    fs::rename(part, file, failed);
  if (failed) fs::remove(part, ignored);
  return failed;
}

} // namespace aicf
