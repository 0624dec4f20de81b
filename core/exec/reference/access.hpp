// Reads and writes of arrays, with every index held against its axis.
#pragma once
#include "core/exec/reference/failures.hpp"
#include "core/exec/reference/number.hpp"
#include "core/exec/reference/storage.hpp"

namespace aicf::reference {

template <NumberField F> class ArrayAccess {
 public:
  using T = typename F::Value;
  using U = Unit<T, typename F::Sum>;

  ArrayAccess(std::vector<Array<T>>& arrays, const std::vector<std::int64_t>& env, Failures* failures)
      : arrays_(&arrays), env_(&env), failures_(failures) {}

  void load(F& field, U& u, const Instruction& i, std::uint32_t site) {
    const Access& access = u.loop->accesses[i.payload];
    const Array<T>& array = (*arrays_)[access.tensor];
    std::size_t n = i.out.uniform ? 1 : u.n;
    u.clear_poison(i.out);
    std::int64_t first = 0, step = 0;
    if (access.affine && straight(u, access.axes, i.out.uniform, first, step)) {
      copy_straight(field, u, i, array, n, first, step);
      if (!array.poison.empty() || !array.defined.empty())
        for (std::size_t l = 0; l < n; ++l)
          check_element(u, i, array, access, l, static_cast<std::size_t>(first + step * static_cast<std::int64_t>(l)),
                        site);
      return;
    }
    for (std::size_t l = 0; l < n; ++l) {
      std::size_t element = 0;
      std::uint32_t poison = 0;
      switch (resolve(u, access, l, element, poison)) {
      case Found::inside:
        copy(field, u, i, array, l, element);
        if (!array.poison.empty() || !array.defined.empty()) check_element(u, i, array, access, l, element, site);
        break;
      case Found::outside:
        if (access.padded) {
          copy_pad(u, i, access.pad, l);
        } else {
          u.poison_lanes(i.out)[l] = site;
          if (failures_ != nullptr) report_outside(u, access, l, site);
        }
        break;
      case Found::poisoned: u.poison_lanes(i.out)[l] = poison;
      }
    }
  }

  /// True when an element got an error.
  bool store(U& u) {
    const Loop& loop = *u.loop;
    Array<T>& array = (*arrays_)[loop.target];
    bool bad = false;
    std::int64_t first = 0, step = 0;
    bool line = straight(u, loop.at, false, first, step);
    if (line && !loop.result.uniform) store_straight(u, array, first, step);
    if (line && !loop.result.uniform && array.defined.empty() && array.poison.empty() &&
        !u.may_be_poisoned(loop.result))
      return false;
    for (std::size_t l = 0; l < u.n; ++l) {
      std::int64_t element = line ? first + step * static_cast<std::int64_t>(l) : 0;
      bool inside = true;
      for (const AxisIndex& axis : loop.at) {
        if (line) break;
        std::int64_t offset = index(u, axis, l) - axis.lo;
        inside = inside && offset >= 0 && offset < axis.extent;
        element += offset * axis.stride;
      }
      if (!inside) continue; // bounds of a statement beyond its own box hold no element
      bad = put(u, array, l, static_cast<std::size_t>(element)) || bad;
    }
    return bad;
  }

 private:
  enum class Found : std::uint8_t { inside, outside, poisoned };

  [[nodiscard]] bool lane_variable(const Loop& loop, VarId v, std::size_t& k) const {
    for (k = loop.lanes_from; k < loop.vars.size(); ++k)
      if (loop.vars[k] == v) return true;
    return false;
  }

  /// The elements first + step * lane, all inside; false when it takes a closer look. Several variables in lanes make a
  /// line when each moves as far as the next does over its whole range.
  bool straight(U& u, const std::vector<AxisIndex>& axes, bool uniform, std::int64_t& first, std::int64_t& step) {
    const Loop& loop = *u.loop;
    std::size_t lanes = uniform ? 0 : loop.vars.size() - loop.lanes_from;
    moves_.assign(lanes, 0);
    first = 0;
    for (const AxisIndex& axis : axes) {
      std::int64_t at = axis.form.constant - axis.lo, low = 0, high = 0;
      for (auto [v, c] : axis.form.terms) {
        std::size_t k = 0;
        if (!lane_variable(loop, v, k)) {
          at += c * (*env_)[v];
          continue;
        }
        at += c * (k == loop.lanes_from ? u.at[k] : u.lo[k]);
        (c < 0 ? low : high) += c * (length(u, k) - 1);
        moves_[k - loop.lanes_from] += c * axis.stride;
      }
      if (at + low < 0 || at + high >= axis.extent) return false;
      first += at * axis.stride;
    }
    for (std::size_t k = 0; k + 1 < lanes; ++k)
      if (moves_[k] != moves_[k + 1] * length(u, loop.lanes_from + k + 1)) return false;
    step = lanes == 0 ? 0 : moves_.back();
    return true;
  }

  /// How many values a variable in lanes takes in the current block.
  [[nodiscard]] std::int64_t length(const U& u, std::size_t k) const {
    return k == u.loop->lanes_from ? static_cast<std::int64_t>(u.n) / u.loop->inner : u.hi[k] - u.lo[k];
  }

  void store_straight(U& u, Array<T>& array, std::int64_t first, std::int64_t step) {
    auto move = [&](const auto* in, auto* out) {
      for (std::size_t l = 0; l < u.n; ++l) out[first + step * static_cast<std::int64_t>(l)] = in[l];
    };
    Ref r = u.loop->result;
    if (r.file == File::real) move(u.reals.data() + u.position(r), array.reals.data());
    if (r.file == File::integer) move(u.integers.data() + u.position(r), array.integers.data());
    if (r.file == File::truth) move(u.truths.data() + u.position(r), array.truths.data());
  }

  bool put(U& u, Array<T>& array, std::size_t lane, std::size_t element) {
    Ref r = u.loop->result;
    std::size_t from = u.position(r) + (r.uniform ? 0 : lane);
    if (r.file == File::real) array.reals[element] = u.reals[from];
    if (r.file == File::integer) array.integers[element] = u.integers[from];
    if (r.file == File::truth) array.truths[element] = u.truths[from];
    std::uint32_t code = u.poison_of(r, lane);
    array.set_poison(element, code);
    if (!array.defined.empty()) array.defined[element] = 1;
    return code != 0;
  }

  [[nodiscard]] std::int64_t index(const U& u, const AxisIndex& axis, std::size_t lane) const {
    if (!axis.affine) return u.integers[u.position(axis.value) + (axis.value.uniform ? 0 : lane)];
    std::int64_t at = axis.form.constant;
    for (auto [v, c] : axis.form.terms) {
      std::size_t k = 0;
      if (lane_variable(*u.loop, v, k))
        at += c * u.integers[u.position(u.loop->lane_vars[k - u.loop->lanes_from]) + lane];
      else
        at += c * (*env_)[v];
    }
    return at;
  }

  Found resolve(const U& u, const Access& access, std::size_t lane, std::size_t& element, std::uint32_t& poison) {
    bool inside = true;
    std::int64_t sum = 0;
    for (const AxisIndex& axis : access.axes) {
      if (!axis.affine) {
        poison = u.poison_of(axis.value, lane);
        if (poison != 0) return Found::poisoned;
      }
      std::int64_t i = index(u, axis, lane); // may be anything: compare before subtracting
      if (i < axis.lo || i >= axis.lo + axis.extent)
        inside = false;
      else
        sum += (i - axis.lo) * axis.stride;
    }
    element = static_cast<std::size_t>(sum);
    return inside ? Found::inside : Found::outside;
  }

  void copy_straight(F& field, U& u, const Instruction& i, const Array<T>& array, std::size_t n, std::int64_t first,
                     std::int64_t step) {
    if (i.out.file != array.file) {
      for (std::size_t l = 0; l < n; ++l)
        copy(field, u, i, array, l, static_cast<std::size_t>(first + step * static_cast<std::int64_t>(l)));
      return;
    }
    auto move = [&](auto* out, const auto* in) {
      const auto* from = in + first;
      if (step == 1)
        std::copy_n(from, n, out);
      else
        for (std::size_t l = 0; l < n; ++l) out[l] = from[static_cast<std::int64_t>(l) * step];
    };
    std::size_t at = u.position(i.out);
    if (array.file == File::real) move(u.reals.data() + at, array.reals.data());
    if (array.file == File::integer) move(u.integers.data() + at, array.integers.data());
    if (array.file == File::truth) move(u.truths.data() + at, array.truths.data());
  }

  void copy(F& field, U& u, const Instruction& i, const Array<T>& array, std::size_t lane, std::size_t element) {
    std::size_t at = u.position(i.out) + lane;
    if (i.out.file == File::integer) {
      u.integers[at] = array.integers[element];
    } else if (i.out.file == File::truth) {
      u.truths[at] = array.truths[element];
    } else if (array.file == File::real) {
      u.reals[at] = array.reals[element];
    } else {
      field.assign(u.reals[at],
                   array.file == File::integer ? array.integers[element] : std::int64_t{array.truths[element]});
    }
  }

  void copy_pad(U& u, const Instruction& i, Ref pad, std::size_t lane) {
    std::size_t to = u.position(i.out) + lane, from = u.position(pad) + (pad.uniform ? 0 : lane);
    if (i.out.file == File::real) u.reals[to] = u.reals[from];
    if (i.out.file == File::integer) u.integers[to] = u.integers[from];
    if (i.out.file == File::truth) u.truths[to] = u.truths[from];
    if (std::uint32_t code = u.poison_of(pad, lane); code != 0) u.poison_lanes(i.out)[lane] = code;
  }

  void check_element(U& u, const Instruction& i, const Array<T>& array, const Access& access, std::size_t lane,
                     std::size_t element, std::uint32_t site) {
    bool undefined = !array.defined.empty() && array.defined[element] == 0;
    bool bad = !array.poison.empty() && array.poison[element] != 0;
    if (!undefined && !bad) return;
    u.poison_lanes(i.out)[lane] = site;
    if (failures_ == nullptr) return;
    std::vector<std::int64_t> at;
    for (const AxisIndex& axis : access.axes) at.push_back(index(u, axis, lane));
    if (!undefined) return failures_->report(site, access.tensor, std::move(at));
    std::string place = failures_->tensor_names[access.tensor] + "[";
    for (std::size_t k = 0; k < at.size(); ++k) place += (k > 0 ? ", " : "") + std::to_string(at[k]);
    failures_->report(site, place + "] is neither computed nor an initial value");
  }

  void report_outside(const U& u, const Access& access, std::size_t lane, std::uint32_t site) {
    const std::string& name = failures_->tensor_names[access.tensor];
    for (std::size_t k = 0; k < access.axes.size(); ++k) {
      const AxisIndex& axis = access.axes[k];
      std::int64_t i = index(u, axis, lane);
      if (i >= axis.lo && i < axis.lo + axis.extent) continue;
      failures_->report(site, (axis.affine ? "index " : "id ") + std::to_string(i) + " is outside axis " +
                                  std::to_string(k) + " of " + name + ", which holds " + std::to_string(axis.lo) +
                                  " .. " + std::to_string(axis.lo + axis.extent));
      return;
    }
  }

  std::vector<Array<T>>* arrays_;
  const std::vector<std::int64_t>* env_;
  Failures* failures_;
  std::vector<std::int64_t> moves_; ///< of each variable in lanes, in elements
};

} // namespace aicf::reference
