// Calls become statements: those of the callee, over the caller's tensors, under new names. A call made twice with the
// same arguments is made once.
#pragma once
#include "core/expr/check_build.hpp"

#include <map>

namespace aicf::check {

class Inliner {
 public:
  Inliner(State& state, Builder& builder) : s_(&state), builder_(&builder) {}

  /// Sets State::calls for the calls of one statement; `in_group` are the statements that it is computed with, which no
  /// call may read.
  void inline_calls(Work& work, const std::vector<bool>& in_group);

 private:
  struct Argument {
    TensorId tensor = no_tensor;
    lang::Place at;
  };
  struct Call {
    std::uint32_t callee = 0;
    lang::Place at;
    std::size_t first_argument = 0;
    std::vector<const lang::Item*> scalars;
  };

  void expression(Work& work, const lang::Expression& e, const std::vector<bool>& in_group);
  TensorId tensor(const lang::Item& item, const std::vector<bool>& in_group);
  TensorId finish(Work& work, const Call& call, const lang::Item& end);
  bool bind_dims(const Definition& callee, const Call& call, std::span<const Argument> arguments,
                 std::vector<ExprId>& dims, const std::vector<ExprId>& scalars);
  bool bind_scalars(const Definition& callee, const Call& call, std::vector<ExprId>& scalars);
  std::vector<TensorId> copy(const Definition& callee, const std::string& prefix, std::span<const Argument> arguments,
                             const std::vector<ExprId>& dims, const std::vector<ExprId>& scalars, lang::Place at);
  std::string fresh_tensor(const std::string& wish);
  [[nodiscard]] std::string fresh_var(const std::string& wish) const;

  State* s_;
  Builder* builder_;
  std::vector<Argument> arguments_;
  std::map<std::vector<std::uint32_t>, std::vector<TensorId>> made_; ///< results by callee, arguments and scalars
  std::unordered_map<std::string, unsigned> suffixes_;
};

} // namespace aicf::check
