// Exponential polynomials compiled for evaluation at random points of the field.
#pragma once
#include "core/structure/algebra.hpp"
#include "core/structure/field.hpp"

#include <span>
#include <vector>

namespace aicf {

class FieldProgram {
 public:
  /// By atom of the algebra. What belongs to a part is written by `draw` (leaves) and `run` (functions of them).
  using Values = std::vector<FieldValue>;

  FieldProgram(const Algebra& algebra, Field& field, std::span<const Form> roots);

  /// Random values for the leaves of one part (0 for the symbols); squares where roots, logs or signs ask for it.
  void draw(unsigned part, Values& values, Random& random) const;
  /// The functions that belong to `part` alone, once the leaves they read are there.
  void run(unsigned part, Values& values);
  /// From now on x = 0 or isnan(x), which no random x meets, is a coin that each value of x tosses.
  void toss_rare_truths() { tosses_ = true; }
  [[nodiscard]] FieldValue root(std::size_t k, const Values& values);
  [[nodiscard]] Values blank() const { return Values(atom_count_); }
  [[nodiscard]] const std::vector<AtomId>& leaves() const { return leaves_; }
  [[nodiscard]] const std::vector<AtomId>& atoms() const { return atoms_; }
  [[nodiscard]] std::size_t weight() const { return weight_; } ///< terms to evaluate for one entry
  [[nodiscard]] bool is_positive(AtomId leaf) const { return square_.at(leaf) != 0; }

 private:
  struct Factor {
    AtomId atom;
    int num, den;
  };
  struct Exponential {
    FieldValue coefficient;
    std::vector<Factor> factors;
  };
  struct Term {
    FieldValue coefficient;
    std::vector<Factor> factors;
    std::vector<Exponential> exponent;
  };
  using Sum = std::vector<Term>;
  Sum compile(const Form& form) const;
  FieldValue product(const std::vector<Factor>& factors, FieldValue value, const Values& values);
  FieldValue evaluate(const Sum& sum, const Values& values);

  const Algebra& algebra_;
  Field& field_;
  std::size_t atom_count_;
  std::size_t weight_ = 0;
  bool tosses_ = false;
  std::vector<AtomId> atoms_, leaves_;
  std::vector<char> square_;                ///< by atom: a leaf that is positive
  std::vector<std::vector<Sum>> arguments_; ///< by position in atoms_
  std::vector<Sum> roots_;
};

} // namespace aicf
