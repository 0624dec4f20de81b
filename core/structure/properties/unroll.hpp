// Writes elements of a canonical form out at given sizes. Nothing recurses: work is a stack of nodes under values of
// index variables, each done once. Internal to core/structure.
#pragma once
#include "core/expr/free_vars.hpp"
#include "core/structure/structure.hpp"

#include <functional>
#include <map>
#include <unordered_map>

namespace aicf {

class Unroller {
 public:
  struct Tensor {
    std::vector<std::int64_t> shape;
  };
  /// `dims` by position in the definition; `inputs` the shapes of the input tensors; `load` an element of an input.
  Unroller(const Canonical& canonical, Arena& to, std::vector<std::int64_t> dims, std::vector<Tensor> inputs,
           std::function<ExprId(TensorId, std::size_t)> load);

  /// The value of `body` with variable k at index[k]; nothing on failure.
  std::optional<ExprId> value(ExprId body, const std::vector<std::int64_t>& index);
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  using Environment = std::map<VarId, std::int64_t>;
  struct Task {
    ExprId id;
    std::shared_ptr<const Environment> at;
  };
  using Key = std::pair<ExprId, std::vector<std::int64_t>>;
  struct KeyHash {
    std::size_t operator()(const Key& k) const;
  };

  [[nodiscard]] Key key(ExprId id, const Environment& at);
  /// The finished value, or nothing after the work for it was put on the stack.
  std::optional<ExprId> ask(ExprId id, const std::shared_ptr<const Environment>& at);
  std::optional<ExprId> step(const Task& task);
  std::optional<ExprId> load(const Task& task);
  std::optional<ExprId> recurrence(const Task& task, const std::vector<std::int64_t>& index, std::size_t k);
  std::optional<ExprId> reduce(const Task& task);
  ExprId combine(ReducerId reducer, const std::vector<std::pair<ExprId, ExprId>>& elements);
  ExprId applied(const UserReducer& reducer, ExprId a, ExprId b);
  ExprId make(Op op, Kind kind, std::uint32_t payload, std::vector<ExprId> args);
  ExprId fail(std::string why);
  [[nodiscard]] std::optional<std::int64_t> whole(ExprId id) const;

  const Canonical& c_;
  Arena& to_;
  std::vector<std::int64_t> dims_;
  std::vector<Tensor> inputs_;
  std::function<ExprId(TensorId, std::size_t)> load_;
  FreeVars free_;
  std::unordered_map<Key, ExprId, KeyHash> done_;
  std::vector<Task> stack_;
  std::string failure_;
  std::size_t work_ = 0;
};

} // namespace aicf
