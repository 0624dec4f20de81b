// One instruction over the lanes of a block.
#pragma once
#include "core/exec/reference/number.hpp"
#include "core/exec/reference/storage.hpp"

namespace aicf::reference {

template <NumberField F> class Block {
 public:
  using T = typename F::Value;
  using U = Unit<T, typename F::Sum>;

  Block(F& field, U& unit) : f_(&field), u_(&unit) {}

  /// Everything but loads, reductions and skips. Returns the lanes (bit by lane order in `faults`) that fail on their
  /// own: overflow of an integer, a number that is none.
  void compute(const Instruction& i, std::vector<std::size_t>& faults) {
    n_ = i.out.uniform ? 1 : u_->n;
    if (i.kind == Instruction::Kind::convert) return convert(i, faults);
    if (i.op == Op::select) return select(i);
    if (i.op == Op::and_ || i.op == Op::or_) return logic(i);
    if (i.op == Op::not_)
      unary<std::uint8_t, std::uint8_t>(i, [](std::uint8_t& o, std::uint8_t a) { o = a == 0 ? 1 : 0; });
    else if (i.out.file == File::truth)
      i.a.file == File::real ? compare_reals(i) : compare_integers(i);
    else if (i.out.file == File::integer)
      integers(i, faults);
    else
      reals(i);
    merge_poison(i);
  }

  template <class V> V* data(Ref r) {
    if constexpr (std::is_same_v<V, std::uint8_t>)
      return u_->truths.data() + u_->position(r);
    else if constexpr (std::is_same_v<V, std::int64_t>)
      return u_->integers.data() + u_->position(r);
    else
      return u_->reals.data() + u_->position(r);
  }

 private:
  static std::size_t step(Ref r) { return r.uniform ? 0 : 1; }

  template <class Out, class A, class Fn> void unary(const Instruction& i, Fn fn) {
    Out* o = data<Out>(i.out);
    const A* a = data<A>(i.a);
    std::size_t sa = step(i.a);
    for (std::size_t l = 0; l < n_; ++l) fn(o[l], a[l * sa]);
  }
  template <class Out, class A, class Fn> void binary(const Instruction& i, Fn fn) {
    Out* o = data<Out>(i.out);
    const A *a = data<A>(i.a), *b = data<A>(i.b);
    if (!i.a.uniform && !i.b.uniform) {
      for (std::size_t l = 0; l < n_; ++l) fn(o[l], a[l], b[l]);
      return;
    }
    std::size_t sa = step(i.a), sb = step(i.b);
    for (std::size_t l = 0; l < n_; ++l) fn(o[l], a[l * sa], b[l * sb]);
  }

  void reals(const Instruction& i) {
    F& f = *f_;
    switch (i.op) {
    case Op::add: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.add(o, a, b); });
    case Op::sub: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.subtract(o, a, b); });
    case Op::mul: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.multiply(o, a, b); });
    case Op::div: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.divide(o, a, b); });
    case Op::floordiv: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.floor_divide(o, a, b); });
    case Op::mod: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.modulo(o, a, b); });
    case Op::pow: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.power(o, a, b); });
    case Op::min: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.minimum(o, a, b); });
    case Op::max: return binary<T, T>(i, [&](T& o, const T& a, const T& b) { f.maximum(o, a, b); });
    case Op::round_to: {
      auto type = static_cast<DType>(i.payload);
      return unary<T, T>(i, [&](T& o, const T& a) { f.round_to(type, o, a); });
    }
    default: return unary<T, T>(i, [&](T& o, const T& a) { f.function(i.op, o, a); });
    }
  }

  void compare_reals(const Instruction& i) {
    F& f = *f_;
    using B = std::uint8_t;
    switch (i.op) {
    case Op::lt: return binary<B, T>(i, [&](B& o, const T& a, const T& b) { o = f.less(a, b) ? 1 : 0; });
    case Op::le: return binary<B, T>(i, [&](B& o, const T& a, const T& b) { o = f.less_equal(a, b) ? 1 : 0; });
    case Op::eq: return binary<B, T>(i, [&](B& o, const T& a, const T& b) { o = f.equal(a, b) ? 1 : 0; });
    case Op::ne: return binary<B, T>(i, [&](B& o, const T& a, const T& b) { o = f.equal(a, b) ? 0 : 1; });
    default: return unary<B, T>(i, [&](B& o, const T& a) { o = f.is_nan(a) ? 1 : 0; });
    }
  }

  void compare_integers(const Instruction& i) {
    using B = std::uint8_t;
    using I = std::int64_t;
    switch (i.op) {
    case Op::lt: return binary<B, I>(i, [](B& o, I a, I b) { o = a < b ? 1 : 0; });
    case Op::le: return binary<B, I>(i, [](B& o, I a, I b) { o = a <= b ? 1 : 0; });
    case Op::eq: return binary<B, I>(i, [](B& o, I a, I b) { o = a == b ? 1 : 0; });
    default: return binary<B, I>(i, [](B& o, I a, I b) { o = a != b ? 1 : 0; });
    }
  }

  void integers(const Instruction& i, std::vector<std::size_t>& faults) {
    using I = std::int64_t;
    std::size_t lane = 0;
    auto checked = [&](auto operation) {
      binary<I, I>(i, [&](I& o, I a, I b) {
        if (operation(a, b, &o)) faults.push_back(lane);
        ++lane;
      });
    };
    switch (i.op) {
    case Op::add: return checked([](I a, I b, I* o) { return __builtin_add_overflow(a, b, o); });
    case Op::sub: return checked([](I a, I b, I* o) { return __builtin_sub_overflow(a, b, o); });
    case Op::mul: return checked([](I a, I b, I* o) { return __builtin_mul_overflow(a, b, o); });
    case Op::floordiv:
    case Op::mod:
      return checked([&](I a, I b, I* o) {
        if (b == 0 || (b == -1 && a == std::numeric_limits<I>::min())) return true;
        I q = floor_quotient(a, b);
        *o = i.op == Op::floordiv ? q : a - q * b;
        return false;
      });
    case Op::min: return binary<I, I>(i, [](I& o, I a, I b) { o = std::min(a, b); });
    case Op::max: return binary<I, I>(i, [](I& o, I a, I b) { o = std::max(a, b); });
    case Op::sign: return unary<I, I>(i, [](I& o, I a) { o = (a > 0 ? 1 : 0) - (a < 0 ? 1 : 0); });
    default: // neg, abs
      return unary<I, I>(i, [&](I& o, I a) {
        bool keep = i.op == Op::abs && a >= 0;
        if (keep)
          o = a;
        else if (__builtin_sub_overflow(I{0}, a, &o))
          faults.push_back(lane);
        ++lane;
      });
    }
  }

  void convert(const Instruction& i, std::vector<std::size_t>& faults) {
    F& f = *f_;
    using I = std::int64_t;
    using B = std::uint8_t;
    if (i.out.file == File::real && i.a.file == File::integer)
      unary<T, I>(i, [&](T& o, I a) { f.assign(o, a); });
    else if (i.out.file == File::real)
      unary<T, B>(i, [&](T& o, B a) { f.assign(o, I{a}); });
    else if (i.out.file == File::integer && i.a.file == File::truth)
      unary<I, B>(i, [](I& o, B a) { o = a; });
    else if (i.out.file == File::integer) {
      std::size_t lane = 0;
      unary<I, T>(i, [&](I& o, const T& a) {
        double v = f.to_double(a);
        bool whole = std::fabs(v) < 0x1p63 && v == std::floor(v);
        o = whole ? static_cast<I>(v) : 0;
        if (!whole) faults.push_back(lane);
        ++lane;
      });
    } else if (i.a.file == File::integer)
      unary<B, I>(i, [](B& o, I a) { o = a != 0 ? 1 : 0; });
    else
      unary<B, T>(i, [&](B& o, const T& a) { o = f.to_double(a) != 0 ? 1 : 0; });
    merge_poison(i);
  }

  template <class V> void select_in(const Instruction& i) {
    V* o = data<V>(i.out);
    const std::uint8_t* c = data<std::uint8_t>(i.a);
    const V *t = data<V>(i.b), *e = data<V>(i.c);
    std::size_t sc = step(i.a), st = step(i.b), se = step(i.c);
    for (std::size_t l = 0; l < n_; ++l) {
      if (c[l * sc] != 0)
        o[l] = t[l * st];
      else
        o[l] = e[l * se];
    }
  }

  void select(const Instruction& i) { // the branch not taken may hold anything, errors included
    bool poisoned = u_->may_be_poisoned(i.a) || u_->may_be_poisoned(i.b) || u_->may_be_poisoned(i.c);
    if (poisoned) { // before the output, which never shares a register with an operand
      std::uint32_t* p = u_->poison_lanes(i.out);
      const std::uint8_t* c = data<std::uint8_t>(i.a);
      for (std::size_t l = 0; l < n_; ++l) {
        p[l] = u_->poison_of(i.a, l);
        if (p[l] == 0) p[l] = u_->poison_of(c[l * step(i.a)] != 0 ? i.b : i.c, l);
      }
    } else {
      u_->clear_poison(i.out);
    }
    if (i.out.file == File::real) select_in<T>(i);
    if (i.out.file == File::integer) select_in<std::int64_t>(i);
    if (i.out.file == File::truth) select_in<std::uint8_t>(i);
  }

  /// False decides `and`, true decides `or`, whatever the other operand is.
  void logic(const Instruction& i) {
    std::uint8_t decisive = i.op == Op::or_ ? 1 : 0;
    std::uint8_t* o = data<std::uint8_t>(i.out);
    const std::uint8_t *a = data<std::uint8_t>(i.a), *b = data<std::uint8_t>(i.b);
    bool poisoned = u_->may_be_poisoned(i.a) || u_->may_be_poisoned(i.b);
    std::uint32_t* p = poisoned ? u_->poison_lanes(i.out) : nullptr;
    if (!poisoned) u_->clear_poison(i.out);
    std::size_t sa = step(i.a), sb = step(i.b);
    for (std::size_t l = 0; l < n_; ++l) {
      std::uint8_t x = a[l * sa], y = b[l * sb];
      o[l] = decisive != 0 ? x | y : x & y;
      if (!poisoned) continue;
      std::uint32_t px = u_->poison_of(i.a, l), py = u_->poison_of(i.b, l);
      bool decided = (px == 0 && x == decisive) || (py == 0 && y == decisive);
      p[l] = decided ? 0 : px != 0 ? px : py;
      if (decided) o[l] = decisive;
    }
  }

  void merge_poison(const Instruction& i) {
    bool a = u_->may_be_poisoned(i.a), b = !i.b.none() && u_->may_be_poisoned(i.b);
    if (!a && !b) return u_->clear_poison(i.out);
    std::uint32_t* p = u_->poison_lanes(i.out);
    for (std::size_t l = 0; l < n_; ++l) {
      p[l] = a ? u_->poison_of(i.a, l) : 0;
      if (p[l] == 0 && b) p[l] = u_->poison_of(i.b, l);
    }
  }

  F* f_;
  U* u_;
  std::size_t n_ = 0;
};

} // namespace aicf::reference
