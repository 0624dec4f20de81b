// Evaluates a definition over a field of numbers (number.hpp), statement by statement. The caller fills the input
// arrays, so that numbers may carry whatever the field wants to know about an element.
#pragma once
#include "core/exec/reference/binding.hpp"
#include "core/exec/reference/liveness.hpp"
#include "core/exec/reference/lower.hpp"
#include "core/exec/reference/machine.hpp"
#include "core/exec/reference/schedule.hpp"

#include <memory>

namespace aicf::reference {

/// The register file that holds values of a kind.
[[nodiscard]] inline File file_for(Kind kind) {
  return kind == Kind::real ? File::real : kind == Kind::integer ? File::integer : File::truth;
}

template <NumberField F> class Evaluation {
 public:
  using T = typename F::Value;

  /// `lanes`: how many numbers a register holds; the larger a number, the fewer.
  Evaluation(const Definition& definition, BoundNames names, F field, std::int64_t lanes, std::stop_token stop)
      : d_(definition), names_(std::move(names)), f_(std::move(field)), stop_(std::move(stop)),
        lowering_(definition, names_, lanes), affine_(definition, names_), arrays_(definition.tensors.size()),
        env_(definition.vars.size(), 0) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  /// An input's array, allocated to its declared shape and kind; to be filled before run().
  Array<T>& input(TensorId t);
  /// Evaluates all that the results need; false when there are problems.
  bool run();
  [[nodiscard]] const std::vector<Diagnostic>& problems() const { return problems_; }
  [[nodiscard]] F& field() { return f_; }
  [[nodiscard]] std::vector<std::int64_t> result_shape(TensorId t) {
    return shape_of(d_, names_, d_.tensors[t], problems_);
  }
  /// visit(array, element) for each element of a result in row-major order of its declared shape.
  template <class Visit> void each(TensorId t, Visit visit);

 private:
  using Group = std::vector<const Statement*>;

  void place(TensorId t, Box box, File file);
  void place_reducers();
  void run_map(const Statement& statement);
  void run_recurrence(const Group& group);
  void place_recurrence(const Statement& statement);
  void run_initial(const Statement& statement, const Initial& initial);
  void run_steps(const std::vector<Step>& steps);
  void loop_over(const Step& step);
  void run_program(const Program& program);
  void run_machine(Machine<F>& machine);
  [[nodiscard]] std::optional<std::vector<Interval>> ranges_of(const Statement& statement);
  [[nodiscard]] std::vector<std::optional<std::int64_t>> fixed_axes(const Statement& statement, const Initial& initial);
  void check_result(TensorId t);
  void explain(TensorId t, std::vector<std::int64_t> element);

  const Definition& d_;
  BoundNames names_;
  F f_;
  std::stop_token stop_;
  Lowering lowering_;
  AffineForms affine_;
  std::vector<Array<T>> arrays_;
  std::vector<std::int64_t> env_;
  std::vector<Combine> combines_;
  std::vector<T> identities_;
  std::vector<Diagnostic> problems_;
  std::unordered_map<const Statement*, std::vector<Interval>> ranges_;
  struct Leaf { // a statement of a recurrence, compiled once for all steps
    Program program;
    std::unique_ptr<Machine<F>> machine;
  };
  std::unordered_map<const Statement*, std::unique_ptr<Leaf>> leaves_;
  std::unordered_map<const Statement*, std::vector<std::size_t>> sequential_; ///< axes of the loops around it
  bool poisoned_ = false;
};

} // namespace aicf::reference

#include "core/exec/reference/evaluate_statements.hpp"
