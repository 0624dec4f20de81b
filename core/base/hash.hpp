// SHA-256 (FIPS 180-4), the identity of definitions, plans, sources and evidence rows.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aicf {

using Hash = std::array<std::uint8_t, 32>;

[[nodiscard]] Hash sha256(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Hash& hash);
/// The first 12 hexadecimal digits: what people see and type.
[[nodiscard]] std::string short_hex(const Hash& hash);
/// Inverse of to_hex; false when `text` is not 64 hexadecimal digits.
[[nodiscard]] bool from_hex(std::string_view text, Hash& out);

} // namespace aicf
