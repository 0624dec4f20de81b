// Reductions: the elements of a block are folded in index order.
#pragma once
#include "core/exec/reference/block.hpp"
#include "core/exec/reference/failures.hpp"

namespace aicf::reference {

template <NumberField F> class Folding {
 public:
  using T = typename F::Value;
  using U = Unit<T, typename F::Sum>;

  Folding(F& field, const std::vector<Combine>& combines, const std::vector<T>& identities, Failures* failures)
      : f_(&field), combines_(&combines), identities_(&identities), failures_(failures), units_(combines.size()) {
    for (std::size_t k = 0; k < combines.size(); ++k) prepare(units_[k], combines[k].loop);
  }

  void begin(U& u) {
    u.any = false;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (static_cast<Builtin>(u.loop->reducer)) {
    case Builtin::sum:
      f_->begin(u.sum);
      u.result.integer = 0;
      break;
    case Builtin::prod:
      f_->assign(u.best, 1.0);
      u.result.integer = 1;
      break;
    case Builtin::max: f_->assign(u.best, -infinity); break;
    case Builtin::min: f_->assign(u.best, infinity); break;
    case Builtin::any: u.result.truth = false; break;
    case Builtin::all: u.result.truth = true; break;
    case Builtin::argmax:
    case Builtin::argmin: break;
    default: u.best = (*identities_)[u.loop->reducer - first_user_reducer];
    }
  }

  void block(U& u) {
    const Loop& loop = *u.loop;
    bool plain = loop.predicate.none() && !u.may_be_poisoned(loop.result) && loop.folded == File::real;
    auto builtin = static_cast<Builtin>(loop.reducer);
    if (plain && builtin == Builtin::sum) {
      const T* x = Block<F>(*f_, u).template data<T>(loop.result);
      std::size_t s = loop.result.uniform ? 0 : 1;
      for (std::size_t l = 0; l < u.n; ++l) f_->accumulate(u.sum, x[l * s]);
      return;
    }
    for (std::size_t l = 0; l < u.n && !u.finished; ++l) {
      if (!loop.predicate.none()) {
        if (std::uint32_t p = u.poison_of(loop.predicate, l); p != 0) {
          poison(u, p);
          continue;
        }
        if (u.truths[u.position(loop.predicate) + (loop.predicate.uniform ? 0 : l)] == 0) continue;
      }
      if (std::uint32_t p = u.poison_of(loop.result, l); p != 0) {
        poison(u, p);
        continue;
      }
      element(u, builtin, l);
    }
  }

  void finish(U& u) {
    auto builtin = static_cast<Builtin>(u.loop->reducer);
    auto own_site = u.first_site + static_cast<std::uint32_t>(u.loop->code.size());
    if ((builtin == Builtin::argmax || builtin == Builtin::argmin) && !u.any) {
      u.result.poison = own_site;
      if (failures_ != nullptr)
        failures_->report(own_site, std::string(name_of(builtin)) + " of nothing: the range is empty");
      return;
    }
    if (u.loop->folded == File::truth && builtin >= Builtin::count) u.result.truth = f_->to_double(u.best) != 0;
    if (u.loop->folded != File::real) return;
    if (builtin == Builtin::sum)
      f_->finish(u.sum, u.result.real);
    else
      u.result.real = u.best;
  }

 private:
  void prepare(U& u, const Loop& loop) {
    u.loop = &loop;
    u.lanes = 1;
    u.n = 1;
    u.reals.resize(loop.uniform_slots[0] + loop.lane_slots[0]);
    u.integers.resize(loop.uniform_slots[1] + loop.lane_slots[1]);
    u.truths.resize(loop.uniform_slots[2] + loop.lane_slots[2]);
    for (auto [ref, value] : loop.constants) {
      if (ref.file == File::real) f_->assign(u.reals[u.position(ref)], value);
      if (ref.file == File::integer) u.integers[u.position(ref)] = static_cast<std::int64_t>(value);
      if (ref.file == File::truth) u.truths[u.position(ref)] = value != 0 ? 1 : 0;
    }
  }

  /// The first error is the value, unless an `any` or `all` is decided by another element.
  void poison(U& u, std::uint32_t code) {
    if (u.result.poison == 0) u.result.poison = code;
    auto builtin = static_cast<Builtin>(u.loop->reducer);
    if (builtin != Builtin::any && builtin != Builtin::all) u.finished = true;
  }

  void element(U& u, Builtin builtin, std::size_t l) {
    const Loop& loop = *u.loop;
    std::size_t at = u.position(loop.result) + (loop.result.uniform ? 0 : l);
    switch (builtin) {
    case Builtin::any:
    case Builtin::all: {
      bool decisive = builtin == Builtin::any;
      if ((u.truths[at] != 0) != decisive) return;
      u.result.truth = decisive;
      u.result.poison = 0;
      u.finished = true;
      return;
    }
    case Builtin::argmax:
    case Builtin::argmin: return position(u, builtin == Builtin::argmax, at, l);
    case Builtin::max: return f_->maximum(u.best, u.best, u.reals[at]);
    case Builtin::min: return f_->minimum(u.best, u.best, u.reals[at]);
    case Builtin::sum:
    case Builtin::prod: {
      bool sum = builtin == Builtin::sum;
      if (loop.folded == File::real) {
        if (sum)
          f_->accumulate(u.sum, u.reals[at]);
        else
          f_->multiply(u.best, u.best, u.reals[at]);
        return;
      }
      std::int64_t& total = u.result.integer;
      bool over = sum ? __builtin_add_overflow(total, u.integers[at], &total)
                      : __builtin_mul_overflow(total, u.integers[at], &total);
      if (!over) return;
      auto own_site = u.first_site + static_cast<std::uint32_t>(loop.code.size());
      poison(u, own_site);
      if (failures_ != nullptr) failures_->report(own_site, "an integer beyond 64 bits");
      return;
    }
    default: return combine(u, loop.reducer - first_user_reducer, u.reals[at]);
    }
  }

  /// The lowest index of the extreme element; the first NaN is extreme.
  void position(U& u, bool greatest, std::size_t at, std::size_t l) {
    const Loop& loop = *u.loop;
    bool better = !u.any;
    if (loop.result.file == File::integer) {
      std::int64_t x = u.integers[at];
      if (u.any) better = greatest ? x > u.extreme : x < u.extreme;
      if (better) u.extreme = x;
    } else {
      const T& x = u.reals[at];
      if (u.any)
        better = !f_->is_nan(u.best) && (f_->is_nan(x) || (greatest ? f_->less(u.best, x) : f_->less(x, u.best)));
      if (better) u.best = x;
    }
    if (better) u.result.integer = u.at[0] + static_cast<std::int64_t>(l);
    u.any = true;
  }

  void combine(U& u, std::size_t reducer, const T& x) {
    const Combine& c = (*combines_)[reducer];
    U& unit = units_[reducer];
    if (!c.a.none()) unit.reals[unit.position(c.a)] = u.best;
    if (!c.b.none()) unit.reals[unit.position(c.b)] = x;
    Block<F> block(*f_, unit);
    for (unit.pc = 0; unit.pc < c.loop.code.size(); ++unit.pc) {
      const Instruction& i = c.loop.code[unit.pc];
      faults_.clear();
      if (i.kind != Instruction::Kind::skip)
        block.compute(i, faults_);
      else if ((unit.truths[unit.position(i.a)] != 0) != i.want)
        unit.pc = i.payload - 1;
    }
    u.best = unit.reals[unit.position(c.loop.result)];
  }

  F* f_;
  const std::vector<Combine>* combines_;
  const std::vector<T>* identities_;
  Failures* failures_;
  std::vector<U> units_;
  std::vector<std::size_t> faults_;
};

} // namespace aicf::reference
