// The free index variables of every node of an arena, found once and shared: equal sets are one set.
#pragma once
#include "core/expr/expr.hpp"

#include <map>
#include <unordered_map>
#include <vector>

namespace aicf {

class FreeVars {
 public:
  explicit FreeVars(const Arena& arena) : arena_(&arena) { intern({}); }
  /// Ascending. The reference holds until the next call.
  [[nodiscard]] const std::vector<VarId>& of(ExprId id);

 private:
  std::uint32_t intern(std::vector<VarId> set);
  std::uint32_t unite(std::uint32_t a, std::uint32_t b);
  std::uint32_t without(std::uint32_t a, const std::vector<VarId>& vars);

  const Arena* arena_;
  std::vector<std::uint32_t> known_; ///< by node
  std::map<std::vector<VarId>, std::uint32_t> ids_;
  std::vector<std::vector<VarId>> sets_;
  std::unordered_map<std::uint64_t, std::uint32_t> unions_;
};

} // namespace aicf
