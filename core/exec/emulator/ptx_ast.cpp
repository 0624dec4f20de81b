#include "core/exec/emulator/ptx_ast.hpp"

#include <array>

namespace aicf::ptx {
namespace {

struct TypeName {
  std::string_view name;
  Type type;
  unsigned bits;
};
constexpr std::array<TypeName, 29> type_names{{{"", Type::none, 0},
                                               {"pred", Type::pred, 1},
                                               {"b8", Type::b8, 8},
                                               {"b16", Type::b16, 16},
                                               {"b32", Type::b32, 32},
                                               {"b64", Type::b64, 64},
                                               {"b128", Type::b128, 128},
                                               {"u8", Type::u8, 8},
                                               {"u16", Type::u16, 16},
                                               {"u32", Type::u32, 32},
                                               {"u64", Type::u64, 64},
                                               {"s8", Type::s8, 8},
                                               {"s16", Type::s16, 16},
                                               {"s32", Type::s32, 32},
                                               {"s64", Type::s64, 64},
                                               {"f16", Type::f16, 16},
                                               {"bf16", Type::bf16, 16},
                                               {"f16x2", Type::f16x2, 32},
                                               {"bf16x2", Type::bf16x2, 32},
                                               {"f32", Type::f32, 32},
                                               {"f64", Type::f64, 64},
                                               {"tf32", Type::tf32, 32},
                                               {"e4m3", Type::e4m3, 8},
                                               {"e5m2", Type::e5m2, 8},
                                               {"e4m3x2", Type::e4m3x2, 16},
                                               {"e5m2x2", Type::e5m2x2, 16},
                                               {"", Type::b1, 1},
                                               {"", Type::u4, 4},
                                               {"", Type::s4, 4}}};

} // namespace

Type type_from(std::string_view name) {
  for (const auto& t : type_names)
    if (t.name == name) return t.type;
  return Type::none;
}

std::string_view name_of(Type type) { return type_names[static_cast<std::size_t>(type)].name; }
unsigned bits_of(Type type) { return type_names[static_cast<std::size_t>(type)].bits; }

} // namespace aicf::ptx
