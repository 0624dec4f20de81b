// Arrays of values and the registers of a running loop.
#pragma once
#include "core/exec/reference/program.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace aicf::reference {

/// All values of a tensor. An element may hold an error instead of a value (its `poison` is not 0): `where` is lazy, so
/// it counts only if a result needs it.
template <class T> struct Array {
  Box box;
  File file = File::real;
  std::vector<T> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> truths;
  std::vector<std::uint32_t> poison; ///< empty while there is none
  std::vector<std::uint8_t> defined; ///< empty: every element is

  void allocate(Box where, File as) {
    box = std::move(where);
    file = as;
    std::size_t n = box.count();
    if (as == File::real) reals.resize(n);
    if (as == File::integer) integers.resize(n);
    if (as == File::truth) truths.resize(n);
  }
  void set_poison(std::size_t i, std::uint32_t code) {
    if (code == 0 && poison.empty()) return;
    if (poison.empty()) poison.resize(box.count());
    poison[i] = code;
  }
};

/// Values of a reduction already computed, by the variables that it reads.
template <class T> struct Memo {
  std::vector<std::uint8_t> known;
  std::vector<T> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> truths;
  std::vector<std::uint32_t> poison;
  std::vector<std::int64_t> last_key; ///< of the single value kept where there is no table
  bool has_last = false;
};

/// A number of any register file.
template <class T> struct Scalar {
  T real{};
  std::int64_t integer = 0;
  bool truth = false;
  std::uint32_t poison = 0;
};

enum class Phase : std::uint8_t { enter, block, run, next, done };

/// A loop while it runs. Programs do not call themselves, so each loop has one.
template <class T, class Sum> struct Unit {
  const Loop* loop = nullptr;
  std::uint32_t first_site = 0; ///< of its instructions; the loop's own site follows theirs
  std::size_t lanes = 0;
  std::vector<T> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> truths;
  std::vector<std::uint32_t> poison[file_count];  ///< as the registers; empty while there is none
  std::vector<std::uint8_t> poisoned[file_count]; ///< by slot: may `poison` be anything but 0 there?

  Phase phase = Phase::done;
  std::size_t level = 0;
  std::vector<std::int64_t> lo, hi, at;
  int bounds_known = 0; ///< of the current level: none, lo, both
  std::size_t n = 0;    ///< lanes of the current block
  std::size_t pc = 0, cursor = 0;
  bool returned = false; ///< the loop that was called has its result

  Scalar<T> result;
  Sum sum{};
  T best{};
  std::int64_t extreme = 0; ///< of integers, for argmax and argmin
  bool any = false, finished = false;

  Memo<T> memo;

  [[nodiscard]] std::size_t position(Ref r) const {
    auto f = static_cast<std::size_t>(r.file);
    return r.uniform ? loop->lane_slots[f] * lanes + r.slot : std::size_t{r.slot} * lanes;
  }
  [[nodiscard]] std::size_t flag(Ref r) const {
    return r.uniform ? loop->lane_slots[static_cast<std::size_t>(r.file)] + r.slot : r.slot;
  }
  [[nodiscard]] bool may_be_poisoned(Ref r) const {
    const auto& flags = poisoned[static_cast<std::size_t>(r.file)];
    return !flags.empty() && flags[flag(r)] != 0;
  }
  [[nodiscard]] std::uint32_t poison_of(Ref r, std::size_t lane) const {
    return may_be_poisoned(r) ? poison[static_cast<std::size_t>(r.file)][position(r) + (r.uniform ? 0 : lane)] : 0;
  }
  void clear_poison(Ref r) {
    auto& flags = poisoned[static_cast<std::size_t>(r.file)];
    if (!flags.empty()) flags[flag(r)] = 0;
  }
  /// Lane by lane, for all lanes of `r`, once any of them is to be poisoned.
  std::uint32_t* poison_lanes(Ref r) {
    auto f = static_cast<std::size_t>(r.file);
    if (poison[f].empty()) {
      poison[f].resize(loop->lane_slots[f] * lanes + loop->uniform_slots[f]);
      poisoned[f].resize(std::size_t{loop->lane_slots[f]} + loop->uniform_slots[f]);
    }
    std::uint32_t* p = poison[f].data() + position(r);
    if (poisoned[f][flag(r)] == 0) std::fill_n(p, r.uniform ? 1 : lanes, 0U);
    poisoned[f][flag(r)] = 1;
    return p;
  }
};

} // namespace aicf::reference
