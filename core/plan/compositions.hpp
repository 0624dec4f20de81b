// Compositions: which primitives join, by which choices, and what comes of it. They are data, atlas/compositions.json.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace aicf {

struct Composition {
  std::string id, family, title;
  std::vector<std::string> joins;          ///< ids of atlas/primitives.json
  std::map<std::string, std::string> when; ///< the choices that make it: texts of values, by param id
  std::string gives;                       ///< reads and writes, in words
};

/// In the order of the atlas; none where it is absent.
[[nodiscard]] const std::vector<Composition>& compositions();

} // namespace aicf
