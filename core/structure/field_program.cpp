#include "core/structure/field_program.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace aicf {

FieldProgram::FieldProgram(const Algebra& algebra, Field& field, std::span<const Form> roots)
    : algebra_(algebra), field_(field), atom_count_(algebra.atom_count()), square_(atom_count_, 0) {
  std::set<AtomId> all;
  for (const Form& f : roots)
    for (AtomId id : algebra.below(f)) all.insert(id);
  atoms_.assign(all.begin(), all.end());
  std::vector<const Form*> forms;
  for (const Form& f : roots) forms.push_back(&f);
  for (AtomId id : atoms_)
    for (const Form& f : algebra.atom(id).args) forms.push_back(&f);
  for (const Form* f : forms) weight_ += f->size();
  for (const Form* f : forms)
    for (const auto& [key, c] : *f)
      for (const Power& p : key.factors)
        if (p.den > 1) square_[p.atom] = 1;
  for (AtomId id : atoms_) {
    const Atom& a = algebra.atom(id);
    std::vector<Sum> args;
    for (const Form& f : a.args) args.push_back(compile(f));
    arguments_.push_back(std::move(args));
    if (a.type == Atom::Type::leaf || a.type == Atom::Type::tie) {
      leaves_.push_back(id);
      if (a.nonnegative) square_[id] = 1;
    }
    if (a.type == Atom::Type::call && (a.op == Op::log || a.op == Op::pow))
      for (const auto& [key, c] : a.args[0])
        if (a.args[0].size() == 1)
          for (const Power& p : key.factors) square_[p.atom] = 1;
  }
  for (const Form& f : roots) roots_.push_back(compile(f));
}

FieldProgram::Sum FieldProgram::compile(const Form& form) const {
  auto factors = [&](const Monomial& m) {
    std::vector<Factor> out;
    for (const Power& p : m) out.push_back({p.atom, p.num, p.den});
    return out;
  };
  Sum sum;
  for (const auto& [key, c] : form) {
    Term t{field_.number(c), factors(key.factors), {}};
    for (const auto& [m, k] : key.exponent) t.exponent.push_back({field_.number(k), factors(m)});
    sum.push_back(std::move(t));
  }
  return sum;
}

void FieldProgram::draw(unsigned part, Values& values, Random& random) const {
  values.resize(atom_count_);
  for (AtomId id : leaves_) {
    const Atom& a = algebra_.atom(id);
    if (a.part != part || a.type == Atom::Type::tie) continue;
    const Arena& arena = algebra_.arena();
    if (arena[a.node].op == Op::number && std::isfinite(arena.value(a.node)))
      values[id] = field_.number(mpq_class(arena.value(a.node)));
    else if (a.boolean)
      values[id] = field_.number(mpq_class(static_cast<int>(random.below(2))));
    else
      values[id] = square_[id] != 0 ? field_.positive(random) : field_.random(random);
  }
}

void FieldProgram::run(unsigned part, Values& values) {
  std::vector<FieldValue> args;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const Atom& a = algebra_.atom(atoms_[i]);
    if (a.part != part || a.type == Atom::Type::leaf || a.type == Atom::Type::tie) continue;
    args.clear();
    for (const Sum& s : arguments_[i]) args.push_back(evaluate(s, values));
    if (tosses_ && a.type == Atom::Type::call && (a.op == Op::eq || a.op == Op::isnan)) {
      std::uint64_t key = atoms_[i];
      for (const FieldValue& v : args) key = mix(mix(key, v.re), v.im);
      values[atoms_[i]] = field_.number(mpq_class(static_cast<int>(key % 2)));
      continue;
    }
    values[atoms_[i]] = a.type == Atom::Type::sum ? args[0] : field_.apply(a.op, a.payload, args);
  }
}

FieldValue FieldProgram::root(std::size_t k, const Values& values) { return evaluate(roots_[k], values); }

FieldValue FieldProgram::product(const std::vector<Factor>& factors, FieldValue value, const Values& values) {
  for (const Factor& f : factors) {
    const FieldValue& v = values[f.atom];
    if (f.den > 1)
      value = Field::mul(value, field_.power(v, f.num, f.den));
    else
      value = Field::mul(value, f.num == 1 ? v : field_.power(v, f.num));
  }
  return value;
}

FieldValue FieldProgram::evaluate(const Sum& sum, const Values& values) {
  FieldValue total;
  for (const Term& t : sum) {
    FieldValue v = product(t.factors, t.coefficient, values);
    if (!t.exponent.empty()) {
      FieldValue e;
      for (const Exponential& x : t.exponent) e = Field::add(e, product(x.factors, x.coefficient, values));
      v = Field::mul(v, field_.exp(e));
    }
    total = Field::add(total, v);
  }
  return total;
}

} // namespace aicf
