#include "core/structure/special_values.hpp"

#include "core/expr/print.hpp"
#include "core/structure/algebra.hpp"
#include "core/structure/field.hpp"
#include "core/structure/node_program.hpp"
#include "core/structure/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t max_work = 1500000; ///< nodes evaluated: some milliseconds

bool same(double a, double b, double scale) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-6 * (1 + scale + std::fabs(a));
}

constexpr double ordinary = 12345;

struct Case {
  const char *kind, *what;
  std::vector<double> values; ///< NaN stands for itself; `ordinary` for a number like any other
  bool masked = false;
  double weight = ordinary; ///< what another leaf holds at the elements that are not ordinary
};

class Comparison {
 public:
  Comparison(const StructureProfile& profile, const Cascade& cascade)
      : p_(profile), c_(cascade), arena_(profile.canonical->arena), n_(arena_, *cascade.summary, more()),
        random_(mix(3, cascade.reductions.front())) {
    std::vector<ExprId> own;
    for (std::size_t k : cascade.reductions) own.push_back(p_.reductions[k].node);
    const std::vector<ExprId> sizes = extents();
    for (ExprId leaf : n_.leaves()) {
      const Node& node = arena_[leaf];
      if (node.op == Op::number || node.op == Op::symbol || std::find(own.begin(), own.end(), leaf) != own.end())
        continue;
      const std::vector<VarId> vars = free_vars(arena_, leaf);
      const bool along =
          std::any_of(vars.begin(), vars.end(), [](VarId v) { return v <= axis_var && axis_var - v < 16; });
      if (along) {
        along_.push_back(leaf);
      } else if (std::find(sizes.begin(), sizes.end(), leaf) == sizes.end()) {
        n_.set(leaf, node.kind == Kind::integer ? 2 : some_number());
        if (node.kind == Kind::real) factors_.push_back(leaf);
      }
    }
  }

  std::vector<SpecialDifference> run(bool& complete) {
    std::vector<SpecialDifference> out;
    const std::vector<std::vector<std::size_t>> chunkings{{1, 1, 1, 1}, {1, 3}, {3, 1},      {2, 2},
                                                          {0, 4},       {4, 0}, {0, 1, 3, 0}};
    const std::size_t cost = n_.size() * (c_.summary->slots.size() + 2) * 30;
    std::size_t left = max_work / std::max<std::size_t>(1, cost);
    complete = true;
    for (const Case& c : cases()) {
      const bool seen = std::any_of(out.begin(), out.end(), [&](const auto& d) { return d.kind == c.kind; });
      if (seen) continue;
      for (const Places& at : places(c)) {
        if (left == 0) {
          complete = false;
          return out;
        }
        --left;
        if (auto d = differs(c, at, chunkings)) {
          out.push_back(std::move(*d));
          break;
        }
      }
    }
    return out;
  }

 private:
  using Element = NumericSummary::Element;

  double some_number() { return 0.5 + random_.uniform(); }
  std::vector<ExprId> more() {
    std::vector<ExprId> r;
    for (std::size_t k = 0; k < c_.reductions.size(); ++k)
      r.insert(r.end(), {c_.elements[k], c_.predicates[k], p_.reductions[c_.reductions[k]].node});
    return r;
  }
  /// Dims whose product is the length of the axis.
  [[nodiscard]] std::vector<ExprId> extents() const {
    std::vector<ExprId> out{c_.hi};
    out.insert(out.end(), c_.more_hi.begin(), c_.more_hi.end());
    return out;
  }

  /// Which leaf holds the values of a case, and which one its weight: of the same element, or one number for all.
  struct Places {
    std::optional<ExprId> values, weight, factor;
  };

  [[nodiscard]] std::vector<Places> places(const Case& c) const {
    constexpr std::size_t most = 4;
    const std::size_t leaves = std::min(most, values_.size());
    std::vector<Places> out;
    if (c.weight == ordinary && leaves == 0) out.emplace_back();
    for (std::size_t which = 0; which < leaves; ++which) {
      if (c.weight == ordinary) {
        out.push_back({values_[which], {}, {}});
        continue;
      }
      for (std::size_t other = 0; other < leaves; ++other)
        if (which != other) out.push_back({values_[which], values_[other], {}});
      for (std::size_t other = 0; other < std::min(most, factors_.size()); ++other)
        out.push_back({values_[which], {}, factors_[other]});
    }
    return out;
  }

  std::vector<Case> cases() {
    values_.clear();
    bool masks = false;
    for (ExprId leaf : along_) {
      if (arena_[leaf].kind == Kind::real && arena_[leaf].op != Op::index) values_.push_back(leaf);
      masks = masks || arena_[leaf].kind == Kind::boolean;
    }
    std::vector<Case> all{{"infinity", "-inf first", {-infinity, ordinary, ordinary, ordinary}},
                          {"infinity", "-inf twice", {-infinity, -infinity, ordinary, ordinary}},
                          {"infinity", "-inf last", {ordinary, ordinary, ordinary, -infinity}},
                          {"fully_masked", "only -inf", {-infinity, -infinity, -infinity, -infinity}},
                          {"infinity", "inf first", {infinity, ordinary, ordinary, ordinary}},
                          {"infinity", "inf last", {ordinary, ordinary, ordinary, infinity}},
                          {"infinity", "both infinities", {-infinity, infinity, ordinary, ordinary}},
                          {"nan", "NaN first", {nan, ordinary, ordinary, ordinary}},
                          {"nan", "NaN last", {ordinary, ordinary, ordinary, nan}},
                          {"nan", "NaN after -inf", {-infinity, nan, ordinary, ordinary}},
                          // a function that has no value there, log(x/s), must have none in a state either
                          {"nan", "a negative element", {-1.5, ordinary, ordinary, ordinary}},
                          {"nan", "negative elements", {-1.5, -2.5, -1.5, ordinary}},
                          {"empty", "no elements", {}}};
    if (masks) all.push_back({"fully_masked", "all masked", {ordinary, ordinary, ordinary, ordinary}, true});
    for (double weight : {infinity, -infinity, nan}) {
      all.push_back(
          {"weights", "a weight without end at -inf", {-infinity, ordinary, ordinary, ordinary}, false, weight});
      all.push_back(
          {"weights", "a weight without end at -inf", {ordinary, ordinary, ordinary, -infinity}, false, weight});
      all.push_back(
          {"weights", "a weight without end at inf", {infinity, ordinary, ordinary, ordinary}, false, weight});
      all.push_back({"weights", "a weight without end at 0", {0, ordinary, ordinary, ordinary}, false, weight});
    }
    return all;
  }

  std::optional<SpecialDifference> differs(const Case& c, const Places& where,
                                           const std::vector<std::vector<std::size_t>>& chunkings) {
    auto never = [&](std::optional<ExprId> leaf, double value) { // a square, a length: never negative
      return leaf && value < 0 && nonnegative_node(arena_, *leaf);
    };
    if (std::any_of(c.values.begin(), c.values.end(), [&](double v) { return never(where.values, v); }) ||
        never(where.weight, c.weight) || never(where.factor, c.weight))
      return std::nullopt;
    if (!where.factor) return differs_so(c, where, chunkings);
    n_.set(*where.factor, c.weight);
    auto found = differs_so(c, where, chunkings);
    n_.set(*where.factor, some_number());
    return found;
  }

  std::optional<SpecialDifference> differs_so(const Case& c, const Places& where,
                                              const std::vector<std::vector<std::size_t>>& chunkings) {
    std::vector<Element> all(c.values.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      for (ExprId leaf : along_) {
        const Node& n = arena_[leaf];
        double v = 1 + random_.uniform();
        if (n.op == Op::index)
          v = static_cast<double>(i);
        else if (n.kind == Kind::boolean)
          v = c.masked ? 0 : 1;
        else if (n.kind == Kind::integer)
          v = static_cast<double>(random_.below(4));
        else if (leaf == where.values && c.values[i] != ordinary)
          v = c.values[i];
        else if (leaf == where.weight && c.values[i] != ordinary)
          v = c.weight;
        all[i][leaf] = v;
      }
    bool first = true;
    for (ExprId e : extents()) {
      n_.set(e, first ? static_cast<double>(all.size()) : 1);
      first = false;
    }
    std::vector<double> scales;
    const std::vector<double> wanted = definition(all, scales);
    for (const auto& chunks : chunkings) {
      std::optional<std::vector<double>> state;
      std::size_t at = 0;
      for (std::size_t size : chunks) {
        size = std::min(size, all.size() - at);
        std::vector<double> part = n_.state(std::span(all).subspan(at, size), at);
        state = state ? n_.merge(*state, part) : part;
        at += size;
      }
      const std::vector<double> got = n_.finalize(*state);
      for (std::size_t k = 0; k < got.size(); ++k) {
        if (std::isnan(wanted[k]) && skipped_[k]) continue;
        if (same(wanted[k], got[k], scales[k])) continue;
        SpecialDifference d;
        d.kind = c.kind, d.what = c.what;
        for (std::size_t s : chunks) d.chunks += (d.chunks.empty() ? "" : " ") + std::to_string(s);
        d.reduction = c_.reductions[k];
        Names names = names_of(*p_.canonical);
        names.var = [base = names.var, this](VarId v) { return v == axis_var ? c_.axis : base(v); };
        for (ExprId leaf : along_)
          for (const Element& e : all) d.inputs[print(arena_, leaf, names, 60)].push_back(e.at(leaf));
        if (where.factor) d.inputs[print(arena_, *where.factor, names, 60)] = {c.weight};
        d.expected = wanted[k], d.observed = got[k];
        return d;
      }
      for (std::size_t k = 0; k < wanted.size(); ++k) n_.set(p_.reductions[c_.reductions[k]].node, wanted[k]);
    }
    return std::nullopt;
  }

  /// Each reduction of the cascade as it is written, lower levels first.
  std::vector<double> definition(const std::vector<Element>& all, std::vector<double>& scales) {
    std::vector<double> out;
    skipped_.clear();
    for (std::size_t k = 0; k < c_.reductions.size(); ++k) {
      const Reduction& r = p_.reductions[c_.reductions[k]];
      const ReducerId reducer = arena_.reduction(r.node).reducer;
      const auto b = static_cast<Builtin>(reducer);
      NumericReducer combine(*p_.canonical->source, reducer);
      double total = combine.identity();
      const bool position = b == Builtin::argmax || b == Builtin::argmin;
      double best = nan, scale = 0;
      bool any = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (n_.value(c_.predicates[k], all[i]) == 0) continue;
        const double x = n_.value(c_.elements[k], all[i]);
        if (std::isfinite(x)) scale = std::max(scale, std::fabs(x) * static_cast<double>(all.size()));
        if (!position) {
          total = combine(total, x);
        } else if (!any || (std::isnan(x) && !std::isnan(best)) || (b == Builtin::argmax ? x > best : x < best)) {
          best = x, total = static_cast<double>(i);
        }
        any = true;
      }
      skipped_.push_back(position && !any); // a position of nothing is an error of the definition, not a value
      if (position && !any) total = nan;
      n_.set(r.node, total);
      out.push_back(total);
      scales.push_back(scale);
    }
    return out;
  }

  const StructureProfile& p_;
  const Cascade& c_;
  const Arena& arena_;
  NumericSummary n_;
  Random random_;
  std::vector<ExprId> along_, values_;
  std::vector<ExprId> factors_; ///< real leaves that are one number for all elements
  std::vector<char> skipped_;
};

} // namespace

std::vector<SpecialDifference> special_differences(const StructureProfile& profile, const Cascade& cascade,
                                                   bool& complete) {
  complete = true;
  if (!cascade.summary || cascade.reductions.empty()) return {};
  return Comparison(profile, cascade).run(complete);
}

} // namespace aicf
