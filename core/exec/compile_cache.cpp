#include "core/exec/compile_cache.hpp"

#include "core/base/cache_dir.hpp"
#include "core/base/whole_file.hpp"
#include "core/exec/nvrtc.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

namespace aicf {
namespace fs = std::filesystem;

namespace {

constexpr const char* schema = "aicf.compiled/1";
constexpr std::size_t most_in_memory = 4096; // compilations; some 200 MB at 50 kB each

struct Memory {
  std::mutex mutex;
  std::map<Hash, Compiled> entries;
};
Memory& memory() {
  static Memory instance;
  return instance;
}

fs::path file_of(const Hash& key) {
  std::string hex = to_hex(key);
  return cache_dir() / "compiled" / hex.substr(0, 2) / (hex + ".cbor");
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; // NOLINT: bytes seen as chars
}

Hash checksum(const Compiled& c) { return sha256(c.ptx + std::string(as_text(c.cubin)) + c.log); }

std::optional<Compiled> read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  nlohmann::json j = nlohmann::json::from_cbor(bytes, true, false);
  if (!j.is_object() || j.value("schema", "") != schema) return std::nullopt;
  try {
    const auto& binary = j.at("cubin").get_binary();
    Compiled c;
    c.ptx = j.at("ptx").get<std::string>();
    c.cubin.resize(binary.size());
    if (!binary.empty()) std::memcpy(c.cubin.data(), binary.data(), binary.size());
    c.registers = j.at("registers").get<int>();
    c.shared_bytes = j.at("shared_bytes").get<int>();
    c.spill_bytes = j.at("spill_bytes").get<int>();
    c.log = j.at("log").get<std::string>();
    if (j.at("checksum").get<std::string>() != to_hex(checksum(c))) return std::nullopt;
    return c;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt; // another form: as good as absent
  }
}

void write(const fs::path& file, const Compiled& c) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) return;
  nlohmann::json j{{"schema", schema},
                   {"ptx", c.ptx},
                   {"registers", c.registers},
                   {"shared_bytes", c.shared_bytes},
                   {"spill_bytes", c.spill_bytes},
                   {"log", c.log},
                   {"checksum", to_hex(checksum(c))}};
  std::string_view cubin = as_text(c.cubin);
  j["cubin"] = nlohmann::json::binary(std::vector<std::uint8_t>(cubin.begin(), cubin.end()));
  std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(j);
  (void)write_whole(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}); // NOLINT; kept or not
}

void remember(const Hash& key, const Compiled& compiled) {
  std::lock_guard lock(memory().mutex);
  if (memory().entries.size() >= most_in_memory) memory().entries.clear();
  memory().entries.insert_or_assign(key, compiled);
}

} // namespace

std::optional<Compiled> cached_compilation(const Hash& key) {
  {
    std::lock_guard lock(memory().mutex);
    auto found = memory().entries.find(key);
    if (found != memory().entries.end()) return found->second;
  }
  auto stored = read(file_of(key));
  if (stored) remember(key, *stored);
  return stored;
}

void keep_compilation(const Hash& key, const Compiled& compiled) {
  remember(key, compiled);
  write(file_of(key), compiled);
}

} // namespace aicf
