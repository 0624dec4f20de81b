#include "core/kernel/family_builder.hpp"

#include <map>
#include <stdexcept>

namespace aicf::ir {
namespace {

std::map<std::string, FamilyBuilder>& registry() {
  static std::map<std::string, FamilyBuilder> all;
  return all;
}

} // namespace

RegisterFamilyBuilder::RegisterFamilyBuilder(FamilyBuilder builder) {
  std::string family = builder.family;
  if (!registry().emplace(family, std::move(builder)).second) throw std::logic_error("family built twice: " + family);
}

const FamilyBuilder* family_builder(const std::string& family) {
  auto found = registry().find(family);
  return found == registry().end() ? nullptr : &found->second;
}

} // namespace aicf::ir
