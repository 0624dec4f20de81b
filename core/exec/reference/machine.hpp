// Runs a program: an explicit stack of loops, block by block. A loop that meets a reduction whose value is not known
// yet puts the reduction's loop on the stack and goes on where it stopped when that has its result.
#pragma once
#include "core/exec/reference/access.hpp"
#include "core/exec/reference/fold.hpp"

#include <stop_token>

namespace aicf::reference {

template <NumberField F> class Machine {
 public:
  using T = typename F::Value;
  using U = Unit<T, typename F::Sum>;

  /// `combines`: by user reducer, with the values of their identities. `env`: by VarId; variables of the statement
  /// that the program does not loop over have their values there.
  Machine(F& field, const Program& program, std::vector<Array<T>>& arrays, const std::vector<Combine>& combines,
          const std::vector<T>& identities, std::vector<std::int64_t>& env, Failures* failures)
      : f_(&field), program_(&program), env_(&env), access_(arrays, env, failures),
        fold_(field, combines, identities, failures), failures_(failures), arrays_(&arrays) {
    std::uint32_t site = 1;
    for (const Loop& loop : program.loops) {
      U& u = units_.emplace_back();
      u.loop = &loop;
      u.first_site = site;
      site += static_cast<std::uint32_t>(loop.code.size()) + 1;
    }
  }

  /// Runs the statement's loop; false when `stop` asked to.
  bool run(const std::stop_token& stop) {
    start(units_[0]);
    stack_.assign(1, &units_[0]);
    for (std::uint32_t turn = 0; !stack_.empty(); ++turn) {
      if (turn % 64 == 0 && stop.stop_requested()) return false;
      U& u = *stack_.back();
      U* called = advance(u);
      if (called != nullptr) {
        start(*called);
        stack_.push_back(called);
        continue;
      }
      if (u.phase != Phase::done) continue;
      stack_.pop_back();
      if (!stack_.empty()) stack_.back()->returned = true;
    }
    return true;
  }

  /// Did any element of the target get an error instead of a value?
  [[nodiscard]] bool poisoned() const { return poisoned_; }
  /// Runs for one element only: the interval of the statement's loop is cut down to it.
  void only(std::vector<std::int64_t> element) { only_ = std::move(element); }

 private:
  void start(U& u) {
    const Loop& loop = *u.loop;
    if (u.lanes == 0) { // first use
      u.lanes = static_cast<std::size_t>(loop.lanes());
      auto size = [&](File file) {
        auto f = static_cast<std::size_t>(file);
        return loop.lane_slots[f] * u.lanes + loop.uniform_slots[f];
      };
      u.reals.resize(size(File::real));
      u.integers.resize(size(File::integer));
      u.truths.resize(size(File::truth));
      for (auto [ref, value] : loop.constants) {
        if (ref.file == File::real) f_->assign(u.reals[u.position(ref)], value);
        if (ref.file == File::integer) u.integers[u.position(ref)] = static_cast<std::int64_t>(value);
        if (ref.file == File::truth) u.truths[u.position(ref)] = value != 0 ? 1 : 0;
      }
      u.lo.resize(loop.vars.size());
      u.hi.resize(loop.vars.size());
      u.at.resize(loop.vars.size());
    }
    u.level = 0;
    u.bounds_known = 0;
    u.returned = false;
    u.finished = false;
    u.result.poison = 0;
    u.phase = loop.vars.empty() ? Phase::block : Phase::enter;
    if (loop.sink == Loop::Sink::fold) fold_.begin(u);
  }

  /// Goes on until a block is through, another loop is called (returned), or all is done.
  U* advance(U& u) {
    while (true) {
      switch (u.phase) {
      case Phase::enter: {
        if (U* called = enter(u)) return called;
        break;
      }
      case Phase::block:
        begin_block(u);
        u.phase = Phase::run;
        break;
      case Phase::run:
        if (U* called = execute(u)) return called;
        finish_block(u);
        if (u.phase == Phase::done) finish(u);
        return nullptr;
      case Phase::next: next(u); break;
      case Phase::done: finish(u); return nullptr;
      }
    }
  }

  U* enter(U& u) {
    const Loop& loop = *u.loop;
    for (; u.bounds_known < 2; ++u.bounds_known) {
      const BoundOf& bound = u.bounds_known == 0 ? loop.lo[u.level] : loop.hi[u.level];
      std::int64_t value = 0;
      if (bound.code) {
        value = bound.code->run(*env_);
      } else if (!u.returned) {
        return &units_[bound.loop];
      } else {
        u.returned = false;
        value = units_[bound.loop].result.integer;
        if (std::uint32_t code = units_[bound.loop].result.poison; code != 0) { // a range that is an error
          u.result.poison = code;
          u.finished = true;
          u.phase = Phase::done;
          return nullptr;
        }
      }
      (u.bounds_known == 0 ? u.lo : u.hi)[u.level] = value;
    }
    u.bounds_known = 0;
    if (!only_.empty() && loop.sink == Loop::Sink::store) {
      u.lo[u.level] = only_[u.level];
      u.hi[u.level] = only_[u.level] + 1;
    }
    u.at[u.level] = u.lo[u.level];
    if (u.lo[u.level] >= u.hi[u.level]) {
      u.phase = Phase::next;
      return nullptr;
    }
    if (u.level < loop.lanes_from) {
      (*env_)[loop.vars[u.level]] = u.at[u.level];
      ++u.level;
      return nullptr;
    }
    u.phase = Phase::block;
    for (std::size_t k = u.level + 1; k < loop.vars.size(); ++k) { // laid out in lanes: constant ranges
      u.lo[k] = loop.lo[k].code->run(*env_);
      u.hi[k] = loop.hi[k].code->run(*env_);
      if (u.lo[k] >= u.hi[k]) u.phase = Phase::next;
    }
    return nullptr;
  }

  /// To the next values of the variables outside the lanes.
  void next(U& u) {
    while (u.level > 0) {
      --u.level;
      if (++u.at[u.level] >= u.hi[u.level]) continue;
      (*env_)[u.loop->vars[u.level]] = u.at[u.level];
      ++u.level;
      u.phase = Phase::enter;
      return;
    }
    u.phase = Phase::done;
  }

  void begin_block(U& u) {
    const Loop& loop = *u.loop;
    u.pc = 0;
    u.cursor = 0;
    u.n = 1;
    if (loop.lanes_from == loop.vars.size()) return;
    std::size_t from = loop.lanes_from;
    std::int64_t steps = std::min(loop.chunk, u.hi[from] - u.at[from]);
    u.n = static_cast<std::size_t>(steps * loop.inner);
    std::int64_t period = loop.inner;
    for (std::size_t k = from; k < loop.vars.size(); ++k) {
      std::int64_t extent = k == from ? steps : u.hi[k] - u.lo[k];
      if (k > from) period /= extent;
      Ref r = loop.lane_vars[k - from];
      if (r.none()) continue;
      std::int64_t* lanes = u.integers.data() + u.position(r);
      std::int64_t first = k == from ? u.at[from] : u.lo[k];
      if (period == 1 && k == from) {
        for (std::size_t l = 0; l < u.n; ++l) lanes[l] = first + static_cast<std::int64_t>(l);
      } else {
        for (std::size_t l = 0; l < u.n; ++l) lanes[l] = first + static_cast<std::int64_t>(l) / period % extent;
      }
    }
  }

  /// From `pc` to the end, or to a reduction that must be computed first.
  U* execute(U& u) {
    const Loop& loop = *u.loop;
    Block<F> block(*f_, u);
    for (; u.pc < loop.code.size(); ++u.pc) {
      const Instruction& i = loop.code[u.pc];
      auto site = u.first_site + static_cast<std::uint32_t>(u.pc);
      switch (i.kind) {
      case Instruction::Kind::skip: {
        const std::uint8_t* c = u.truths.data() + u.position(i.a);
        std::size_t n = i.a.uniform ? 1 : u.n;
        std::uint8_t want = i.want ? 1 : 0;
        if (std::find(c, c + n, want) == c + n) u.pc = i.payload - 1;
        break;
      }
      case Instruction::Kind::variable:
        u.integers[u.position(i.out)] = (*env_)[i.payload];
        u.clear_poison(i.out);
        break;
      case Instruction::Kind::load: access_.load(*f_, u, i, site); break;
      case Instruction::Kind::reduce:
        if (U* called = reduce(u, i)) return called;
        break;
      default:
        faults_.clear();
        block.compute(i, faults_);
        if (!faults_.empty()) fail(u, i, site);
      }
    }
    return nullptr;
  }

  void fail(U& u, const Instruction& i, std::uint32_t site) {
    std::uint32_t* p = u.poison_lanes(i.out);
    for (std::size_t lane : faults_)
      if (p[lane] == 0) p[lane] = site;
    if (failures_ == nullptr) return;
    bool division = i.op == Op::floordiv || i.op == Op::mod;
    failures_->report(site, i.kind == Instruction::Kind::convert ? "an index or integer that is no whole number"
                            : division                           ? "integer division by zero"
                                                                 : "an integer beyond 64 bits");
  }

  U* reduce(U& u, const Instruction& i) {
    U& r = units_[i.payload];
    const Loop& loop = *r.loop;
    std::size_t n = i.out.uniform ? 1 : u.n;
    if (u.cursor == 0 && !u.returned) u.clear_poison(i.out);
    for (; u.cursor < n; ++u.cursor) {
      std::size_t lane = u.cursor;
      if (!i.mask.none() && !i.out.uniform &&
          (u.truths[u.position(i.mask) + (i.mask.uniform ? 0 : lane)] != 0) != i.want)
        continue;
      set_variables(u, loop.free, lane);
      if (u.returned) {
        u.returned = false;
        keep(r);
      } else if (!recall(r)) {
        return &r;
      }
      std::size_t at = u.position(i.out) + (i.out.uniform ? 0 : lane);
      if (loop.folded == File::real) u.reals[at] = r.result.real;
      if (loop.folded == File::integer) u.integers[at] = r.result.integer;
      if (loop.folded == File::truth) u.truths[at] = r.result.truth ? 1 : 0;
      if (r.result.poison != 0)
        u.poison_lanes(i.out)[i.out.uniform ? 0 : lane] = r.result.poison;
      else if (u.may_be_poisoned(i.out))
        u.poison_lanes(i.out)[i.out.uniform ? 0 : lane] = 0;
    }
    u.cursor = 0;
    return nullptr;
  }

  /// Gives the variables of `u` that lie in lanes their values in `lane`.
  void set_variables(U& u, const std::vector<VarId>& free, std::size_t lane) {
    const Loop& loop = *u.loop;
    for (std::size_t k = loop.lanes_from; k < loop.vars.size(); ++k) {
      if (std::find(free.begin(), free.end(), loop.vars[k]) == free.end()) continue;
      Ref r = loop.lane_vars[k - loop.lanes_from];
      (*env_)[loop.vars[k]] = u.integers[u.position(r) + lane];
    }
  }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  /// The place of the current value in the table, `nowhere` if there is none.
  std::size_t memo_place(const Loop& loop) const {
    if (loop.memo_box.empty()) return nowhere;
    std::size_t place = 0;
    for (std::size_t k = 0; k < loop.free.size(); ++k) {
      std::int64_t v = (*env_)[loop.free[k]];
      if (v < loop.memo_box[k].lo || v > loop.memo_box[k].hi) return nowhere;
      place = place * static_cast<std::size_t>(loop.memo_box[k].hi - loop.memo_box[k].lo + 1) +
              static_cast<std::size_t>(v - loop.memo_box[k].lo);
    }
    return place;
  }

  bool recall(U& r) {
    const Loop& loop = *r.loop;
    Memo<T>& m = r.memo;
    std::size_t place = memo_place(loop);
    if (place == nowhere) {
      if (!m.has_last) return false;
      for (std::size_t k = 0; k < loop.free.size(); ++k)
        if (m.last_key[k] != (*env_)[loop.free[k]]) return false;
      return true;
    }
    if (m.known.empty() || m.known[place] == 0) return false;
    if (loop.folded == File::real) r.result.real = m.reals[place];
    if (loop.folded == File::integer) r.result.integer = m.integers[place];
    if (loop.folded == File::truth) r.result.truth = m.truths[place] != 0;
    r.result.poison = m.poison[place];
    m.has_last = false;
    return true;
  }

  void keep(U& r) {
    const Loop& loop = *r.loop;
    Memo<T>& m = r.memo;
    std::size_t place = memo_place(loop);
    if (place == nowhere) {
      m.last_key.resize(loop.free.size());
      for (std::size_t k = 0; k < loop.free.size(); ++k) m.last_key[k] = (*env_)[loop.free[k]];
      m.has_last = true;
      return;
    }
    m.has_last = false;
    if (m.known.empty()) {
      std::size_t count = 1;
      for (const Interval& i : loop.memo_box)
        count *= static_cast<std::size_t>(std::max<std::int64_t>(i.hi - i.lo + 1, 1));
      m.known.resize(count);
      m.poison.resize(count);
      if (loop.folded == File::real) m.reals.resize(count);
      if (loop.folded == File::integer) m.integers.resize(count);
      if (loop.folded == File::truth) m.truths.resize(count);
    }
    m.known[place] = 1;
    if (loop.folded == File::real) m.reals[place] = r.result.real;
    if (loop.folded == File::integer) m.integers[place] = r.result.integer;
    if (loop.folded == File::truth) m.truths[place] = r.result.truth ? 1 : 0;
    m.poison[place] = r.result.poison;
  }

  void finish_block(U& u) {
    const Loop& loop = *u.loop;
    if (loop.sink == Loop::Sink::fold)
      fold_.block(u);
    else if (loop.sink == Loop::Sink::store)
      poisoned_ = access_.store(u) || poisoned_;
    else
      u.result = {{}, u.integers[u.position(loop.result)], false, u.poison_of(loop.result, 0)};
    if (loop.lanes_from == loop.vars.size() || u.finished) {
      u.phase = loop.vars.empty() || u.finished ? Phase::done : Phase::next;
      return;
    }
    std::size_t from = loop.lanes_from;
    u.at[from] += loop.chunk;
    u.phase = u.at[from] < u.hi[from] ? Phase::block : Phase::next;
  }

  void finish(U& u) {
    if (u.loop->sink == Loop::Sink::fold && u.result.poison == 0) fold_.finish(u);
  }

  F* f_;
  const Program* program_;
  std::deque<U> units_;
  std::vector<U*> stack_;
  std::vector<std::int64_t>* env_;
  ArrayAccess<F> access_;
  Folding<F> fold_;
  Failures* failures_;
  std::vector<Array<T>>* arrays_;
  std::vector<std::size_t> faults_;
  std::vector<std::int64_t> only_;
  bool poisoned_ = false;
};

} // namespace aicf::reference
