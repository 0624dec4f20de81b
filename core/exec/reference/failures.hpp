// Why an element has an error instead of a value: found by evaluating it once more, alone, and keeping what is said.
#pragma once
#include "core/expr/expr.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace aicf::reference {

struct Failure {
  std::string message;
  /// Set when the error is that of an element of another statement: look there.
  bool elsewhere = false;
  TensorId tensor = 0;
  std::vector<std::int64_t> element;
};

/// By site: an instruction of a program. The latest report stands; blocks hold one lane while reports are taken.
class Failures {
 public:
  void report(std::uint32_t site, std::string message) { by_site_[site] = {std::move(message), false, 0, {}}; }
  void report(std::uint32_t site, TensorId tensor, std::vector<std::int64_t> element) {
    by_site_[site] = {{}, true, tensor, std::move(element)};
  }
  [[nodiscard]] const Failure* at(std::uint32_t site) const {
    auto found = by_site_.find(site);
    return found == by_site_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> tensor_names;

 private:
  std::unordered_map<std::uint32_t, Failure> by_site_;
};

} // namespace aicf::reference
