#include "app/aicf/document.hpp"

#include "synth/workers/protocol.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace aicf::cli {

using nlohmann::json;

const json& member(const json& object, const char* key) {
  static const json nothing;
  auto it = object.find(key);
  return it != object.end() ? *it : nothing;
}

std::string text_in(const json& value) {
  return value.is_string() ? plain_text(value.get<std::string>()) : std::string();
}

std::string number_in(const json& value) {
  if (!value.is_number()) return text_in(value);
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%.3g", value.get<double>());
  return out.data();
}

std::string whole_in(const json& value) {
  return value.is_number() ? std::to_string(std::llround(value.get<double>())) : "-";
}

} // namespace aicf::cli
