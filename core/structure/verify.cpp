#include "core/structure/verify.hpp"

#include "core/structure/field_program.hpp"
#include "core/structure/node_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::size_t max_work = 4000000; ///< nodes evaluated: about a second

bool added(const Slot& s) {
  return s.reducer == static_cast<ReducerId>(Builtin::sum) || s.reducer == static_cast<ReducerId>(Builtin::prod);
}

class FieldTest {
 public:
  FieldTest(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra, const Summary& summary,
            const std::map<std::size_t, Form>& forms, const std::map<std::size_t, Form>& finals)
      : m_(model), cascade_(cascade), algebra_(algebra), s_(summary), forms_(forms), finals_(finals),
        program_(model.arena(), roots()) {
    for (const Slot& slot : summary.slots) {
      bodies_.emplace_back(model.arena(), std::vector{slot.body});
      merges_.emplace_back(model.arena(), std::vector{slot.merge});
    }
    for (std::size_t i : cascade) masks_.emplace_back(model.arena(), std::vector{model.items[i].mask});
    for (std::size_t i : cascade)
      if (forms.contains(i) && finals.contains(i)) checked_.push_back(i);
    for (std::size_t i : checked_) {
      fields_.push_back(forms.at(i));
      fields_.push_back(finals.at(i));
    }
    for (ExprId id : reachable(m_.arena(), roots())) {
      if (!program_.contains(id)) continue;
      Op op = m_.arena()[id].op;
      if (op == Op::exp || op == Op::tanh || op == Op::sigmoid || op == Op::sin || op == Op::cos) ++exponentials_;
    }
    for (const Form& f : fields_)
      for (const auto& [key, c] : f) exponentials_ += key.exponent.empty() ? 0 : 1;
  }

  /// "" when every identity held; nothing when the sample fell on a pole.
  std::optional<std::string> trial(int na, int nb, std::uint64_t seed) {
    field_.emplace(seed);
    Random random(mix(seed, 9));
    FieldProgram form_program(algebra_, *field_, fields_);
    base_.assign(program_.size(), {});
    program_.literals<Field>(*field_, base_, [&](double) { return field_->random(random); });
    shared_ = form_program.blank();
    elements_.clear();
    std::map<ExprId, bool> leaf_is_positive;
    std::map<ExprId, AtomId> atom_of;
    for (AtomId a : form_program.leaves())
      if (algebra_.atom(a).type == Atom::Type::leaf) {
        leaf_is_positive[algebra_.atom(a).node] = form_program.is_positive(a);
        atom_of[algebra_.atom(a).node] = a;
      }
    for (ExprId leaf : program_.leaves()) leaf_is_positive.try_emplace(leaf, nonnegative_node(m_.arena(), leaf));
    std::vector<ExprId> size = extent_dims(m_, m_.items[cascade_.front()]);
    elements_.resize(static_cast<std::size_t>(na) + static_cast<std::size_t>(nb));
    for (const auto& entry : leaf_is_positive) {
      const ExprId leaf = entry.first;
      const bool positive = entry.second;
      const Node& n = m_.arena()[leaf];
      if (n.op == Op::number || n.op == Op::symbol || m_.at.contains(leaf)) {
        if (n.op == Op::number && std::isfinite(m_.arena().value(leaf)) && atom_of.contains(leaf))
          shared_[atom_of[leaf]] = field_->number(mpq_class(m_.arena().value(leaf)));
        if (!m_.along(leaf) || n.op == Op::number) continue;
      }
      auto draw = [&] {
        if (n.kind == Kind::boolean) return field_->number(static_cast<int>(random.below(2)));
        return positive ? field_->positive(random) : field_->random(random);
      };
      if (m_.along(leaf)) {
        for (auto& e : elements_) e[leaf] = draw();
      } else {
        FieldValue v = draw();
        if (auto it = std::find(size.begin(), size.end(), leaf); it != size.end())
          v = field_->number(it == size.begin() ? na + nb : 1);
        if (program_.contains(leaf)) base_[program_.place(leaf)] = v;
        if (atom_of.contains(leaf)) shared_[atom_of[leaf]] = v;
      }
    }
    auto a = std::span(elements_).first(static_cast<std::size_t>(na)), all = std::span(elements_);
    auto b = all.subspan(static_cast<std::size_t>(na));
    std::vector<FieldValue> whole = state(all, random), left = state(a, random), right = state(b, random);
    std::vector<FieldValue> values = base_, merged;
    for (std::size_t k = 0; k < s_.slots.size(); ++k)
      put(values, left_symbol(k), left[k]), put(values, right_symbol(k), right[k]);
    for (std::size_t k = 0; k < s_.slots.size(); ++k) {
      FieldValue v = added(s_.slots[k]) ? value(merges_[k], s_.slots[k].merge, values) : whole[k];
      if (!(v == whole[k])) {
        if (field_->divided_by_zero) return std::nullopt;
        return "slot " + s_.slots[k].name + ": merge of chunks of " + std::to_string(na) + " and " +
               std::to_string(nb) + " elements differs from the chunk of all";
      }
      put(values, slot_symbol(k), v);
    }
    return finals(form_program, whole);
  }
  [[nodiscard]] int exponentials(int elements) const { return 1 + exponentials_ * (elements > 2 ? 2 : 1); }
  [[nodiscard]] std::size_t weight() const { return 1 + program_.size() * (s_.slots.size() + 1); }

 private:
  using Element = std::map<ExprId, FieldValue>;

  std::vector<ExprId> roots() const {
    std::vector<ExprId> r;
    for (const Slot& s : s_.slots) r.insert(r.end(), {s.body, s.merge});
    for (std::size_t i : cascade_) r.push_back(m_.items[i].mask);
    return r;
  }
  void put(std::vector<FieldValue>& values, std::uint32_t symbol, const FieldValue& v) const {
    for (ExprId leaf : program_.leaves())
      if (m_.arena()[leaf].op == Op::symbol && m_.arena()[leaf].payload == symbol) values[program_.place(leaf)] = v;
  }
  std::vector<FieldValue> state(std::span<const Element> chunk, Random& random) {
    std::vector<FieldValue> values = base_, out;
    for (std::size_t k = 0; k < s_.slots.size(); ++k) {
      const Slot& s = s_.slots[k];
      FieldValue total = added(s) ? field_->number(s.reducer == static_cast<ReducerId>(Builtin::sum) ? 0 : 1)
                                  : field_->random(random); // a running max is a free symbol
      if (added(s))
        for (const Element& e : chunk) {
          set(values, e);
          FieldValue v = value(bodies_[k], s.body, values);
          total = s.reducer == static_cast<ReducerId>(Builtin::sum) ? Field::add(total, v) : Field::mul(total, v);
        }
      out.push_back(total);
      put(values, slot_symbol(k), total);
    }
    return out;
  }
  /// One expression at the leaf values that the common program has places for.
  FieldValue value(const NodeProgram& of, ExprId root, const std::vector<FieldValue>& values) {
    std::vector<FieldValue> own(of.size());
    for (ExprId leaf : of.leaves()) own[of.place(leaf)] = values[program_.place(leaf)];
    of.run(*field_, own);
    return own[of.place(root)];
  }
  void set(std::vector<FieldValue>& values, const Element& e) const {
    for (const auto& [leaf, v] : e)
      if (program_.contains(leaf)) values[program_.place(leaf)] = v;
  }

  /// Each reduction by its definition, and as the finalized state of the whole.
  std::optional<std::string> finals(FieldProgram& forms, const std::vector<FieldValue>& whole) {
    FieldProgram::Values values = shared_;
    for (AtomId a : forms.leaves()) {
      const Atom& atom = algebra_.atom(a);
      if (atom.type == Atom::Type::leaf && m_.arena()[atom.node].op == Op::symbol &&
          m_.arena()[atom.node].payload < whole.size())
        values[a] = whole[m_.arena()[atom.node].payload];
    }
    std::vector<FieldValue> nodes = base_;
    for (std::size_t c = 0; c < checked_.size(); ++c) {
      const Item& item = m_.items[checked_[c]];
      forms.run(0, values);
      forms.run(part_d, values);
      FieldValue final = forms.root(2 * c + 1, values);
      if (item.is(Builtin::sum)) {
        FieldValue total;
        for (const Element& e : elements_) {
          set(nodes, e);
          std::size_t place = std::find(cascade_.begin(), cascade_.end(), checked_[c]) - cascade_.begin();
          if (value(masks_[place], item.mask, nodes).zero()) continue;
          for (AtomId a : forms.leaves())
            if (auto it = e.find(algebra_.atom(a).node); it != e.end() && algebra_.atom(a).type == Atom::Type::leaf)
              values[a] = it->second;
          forms.run(part_x, values);
          forms.run(part_mixed, values);
          total = Field::add(total, forms.root(2 * c, values));
        }
        if (!(total == final)) {
          if (field_->divided_by_zero) return std::nullopt;
          return item.name + ": the finalized state differs from the definition";
        }
      }
      for (AtomId a : forms.leaves())
        if (algebra_.atom(a).node == item.node && algebra_.atom(a).type == Atom::Type::leaf) values[a] = final;
    }
    return std::string();
  }

  const Model& m_;
  const std::vector<std::size_t>& cascade_;
  Algebra& algebra_;
  const Summary& s_;
  const std::map<std::size_t, Form>& forms_;
  const std::map<std::size_t, Form>& finals_;
  NodeProgram program_; ///< of everything: one place for each leaf
  std::vector<NodeProgram> bodies_, merges_, masks_;
  std::vector<std::size_t> checked_;
  std::vector<Form> fields_;
  int exponentials_ = 0;
  std::optional<Field> field_;
  std::vector<FieldValue> base_;
  FieldProgram::Values shared_;
  std::vector<Element> elements_;
};

bool near(double a, double b, double scale) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-9 * (1 + scale + std::fabs(a));
}

/// States of partial chunks in doubles against the definition evaluated directly.
class NumericTest {
 public:
  NumericTest(const Model& model, const std::vector<std::size_t>& cascade, const Summary& summary, std::uint64_t seed)
      : m_(model), cascade_(cascade), s_(summary), random_(mix(seed, 77)), n_(model.arena(), summary, more()) {
    std::set<ExprId> dependency;
    for (std::size_t i : cascade) dependency.insert(model.items[i].node);
    std::vector<ExprId> size = extent_dims(model, model.items[cascade.front()]);
    for (ExprId leaf : n_.leaves()) {
      const Node& node = model.arena()[leaf];
      if (node.op == Op::number || node.op == Op::symbol || dependency.contains(leaf)) continue;
      if (model.along(leaf))
        along_.push_back(leaf);
      else if (std::find(size.begin(), size.end(), leaf) == size.end())
        n_.set(leaf, node.kind == Kind::integer ? 2 + static_cast<double>(random_.below(3)) : 0.5 + random_.uniform());
    }
    extents_ = size;
    std::vector<ExprId> extrema; // what may be -inf: the elements whose extremum is taken
    for (std::size_t i : cascade)
      if (model.items[i].is(Builtin::max) || model.items[i].is(Builtin::min)) extrema.push_back(model.items[i].element);
    NodeProgram program(model.arena(), extrema);
    for (ExprId leaf : along_)
      if (extrema.empty() || program.contains(leaf)) infinite_.insert(leaf);
  }

  void run(Verified& v, const std::stop_token& stop) {
    using Make = std::function<double(int)>;
    auto normal = [&](int) { return 4 * (random_.uniform() + random_.uniform() - 1); };
    auto shifted = [&](int) { return 3 + random_.uniform(); };
    auto zero = [](int) { return 0.0; };
    auto low = [](int) { return -infinity; };
    auto below = [&](int) { return -1 - 4 * random_.uniform(); };
    auto low_first = [&](int i) { return i == 0 ? -infinity : 4 * random_.uniform() - 2; };
    struct Case {
      const char* what;
      Make a, b;
      int na, nb;
    };
    const std::array cases{Case{"random", normal, normal, 5, 7},
                           Case{"one and many", normal, shifted, 1, 6},
                           Case{"all below zero", below, below, 3, 4},
                           Case{"many and one", shifted, normal, 6, 1},
                           Case{"empty first", normal, normal, 0, 4},
                           Case{"empty last", normal, normal, 4, 0},
                           Case{"leading zeros", zero, normal, 3, 4},
                           Case{"equal elements", [](int) { return 1.5; }, [](int) { return 1.5; }, 3, 2},
                           Case{"both empty", normal, normal, 0, 0},
                           Case{"-inf first", low_first, normal, 3, 3},
                           Case{"only -inf first", low, normal, 2, 3},
                           Case{"only -inf", low, low, 2, 1}};
    const std::size_t weight = n_.size() * (s_.slots.size() + cascade_.size()) * 20;
    std::size_t left = std::max<std::size_t>(1, max_work / weight); // of a very large expression only some are run
    for (const Case& c : cases) {
      if (left-- == 0 || stop.stop_requested()) return;
      std::vector<Element> all;
      for (int i = 0; i < c.na; ++i) all.push_back(element(i, c.a));
      for (int i = 0; i < c.nb; ++i) all.push_back(element(c.na + i, [&](int) { return c.b(i); }));
      check(v, c.what, all, static_cast<std::size_t>(c.na));
      if (!v.failure.empty()) return;
    }
  }

 private:
  using Element = NumericSummary::Element;

  std::vector<ExprId> more() const {
    std::vector<ExprId> r;
    for (std::size_t i : cascade_) r.insert(r.end(), {m_.items[i].mask, m_.items[i].element, m_.items[i].node});
    return r;
  }
  Element element(int i, const std::function<double(int)>& make) {
    Element e;
    for (ExprId leaf : along_) {
      const Node& n = m_.arena()[leaf];
      if (n.op == Op::index)
        e[leaf] = i;
      else if (n.kind == Kind::boolean)
        e[leaf] = static_cast<double>(random_.below(2));
      else if (n.kind == Kind::integer)
        e[leaf] = static_cast<double>(random_.below(8));
      else
        e[leaf] = make(i);
      if (std::isinf(e[leaf]) && !infinite_.contains(leaf)) e[leaf] = random_.uniform();
    }
    return e;
  }

  void check(Verified& v, const std::string& what, const std::vector<Element>& all, std::size_t na) {
    for (std::size_t k = 0; k < extents_.size(); ++k) n_.set(extents_[k], k == 0 ? static_cast<double>(all.size()) : 1);
    auto a = std::span(all).first(na), b = std::span(all).subspan(na);
    std::vector<double> left = n_.state(a), right = n_.state(b, na);
    std::vector<double> merged = n_.merge(left, right), whole = n_.state(all);
    double largest = 0;
    for (double x : whole) largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
    for (std::size_t k = 0; k < merged.size(); ++k) // a state that is not used now is used by the next merge
      if (!near(whole[k], merged[k], largest)) judge(v, "slot " + s_.slots[k].name, what, whole[k], merged[k]);
    if (!v.failure.empty()) return;
    std::vector<double> got = n_.finalize(merged);
    std::map<std::size_t, double> totals;
    for (std::size_t c = 0; c < cascade_.size(); ++c) {
      const Item& item = m_.items[cascade_[c]];
      NumericReducer reducer(*m_.canonical->source, item.reducer);
      double total = reducer.identity(), scale = 0;
      const bool position = item.is(Builtin::argmax) || item.is(Builtin::argmin);
      if (position && all.empty()) continue;
      double best = 0;
      bool first = true;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (n_.value(item.mask, all[i]) == 0) continue;
        double x = n_.value(item.element, all[i]);
        if (std::isfinite(x)) scale = std::max(scale, std::fabs(x));
        if (position) {
          bool better = item.is(Builtin::argmax) ? x > best : x < best;
          if (first || (std::isnan(x) && !std::isnan(best)) || better) best = x, total = static_cast<double>(i);
          first = false;
        } else {
          total = reducer(total, x);
        }
      }
      n_.set(item.node, total);
      totals[cascade_[c]] = total;
      const bool truth = item.is(Builtin::any) || item.is(Builtin::all);
      const bool unreal = (position || truth) && std::ranges::any_of(item.dependencies, [&](std::size_t d) {
                            return totals.contains(d) && !std::isfinite(totals.at(d));
                          });
      if (!near(total, got[c], scale * static_cast<double>(all.size())))
        judge(v, item.name, what, unreal ? NAN : total, got[c]);
    }
  }

  /// Where the definition itself has no finite value, or compares with one, a state may differ: a special-value
  /// verdict, not a wrong merge.
  static void judge(Verified& v, const std::string& of, const std::string& what, double expected, double got) {
    std::string text = of + " (" + what + "): " + std::to_string(expected) + " by definition, " + std::to_string(got) +
                       " from the merged state";
    if (std::isfinite(expected) || (std::isinf(expected) && !std::isnan(got)))
      v.failure = text;
    else
      v.notes.push_back(text);
  }

  const Model& m_;
  const std::vector<std::size_t>& cascade_;
  const Summary& s_;
  Random random_;
  NumericSummary n_;
  std::vector<ExprId> along_, extents_;
  std::set<ExprId> infinite_;
};

} // namespace

Verified verify(const Model& model, const std::vector<std::size_t>& cascade, Algebra& algebra, const Summary& summary,
                const std::map<std::size_t, Form>& forms, const std::map<std::size_t, Form>& finals, std::uint64_t seed,
                const std::stop_token& stop) {
  Verified v;
  bool tied = false; // at a tie the field, which has no order, says nothing
  for (const auto& [item, form] : forms)
    for (AtomId id : algebra.below(form)) tied = tied || algebra.atom(id).type == Atom::Type::tie;
  // Slots that read no other slot merge by their own reducer, which is associative: nothing is left to test in a field.
  v.by_law =
      std::all_of(cascade.begin(), cascade.end(), [&](std::size_t i) { return model.items[i].dependencies.empty(); });
  if (v.by_law) v.bound = 0;
  if (!tied && !v.by_law) {
    FieldTest test(model, cascade, algebra, summary, forms, finals);
    constexpr std::array<std::pair<int, int>, 3> lengths{{{1, 1}, {1, 2}, {2, 1}}};
    double log_bound = 0;
    int poles = 0;
    int most = static_cast<int>(std::clamp<std::size_t>(max_work / test.weight(), 1, 400));
    if (false_accept(1000, test.exponentials(2)) > 0.97)
      most = std::min(most, 3); // more would not lower the bound much
    for (int t = 0; t < most && (v.trials < 3 || log_bound > std::log(1e-9)); ++t) {
      if (stop.stop_requested()) break;
      auto [na, nb] = lengths[static_cast<std::size_t>(t) % lengths.size()];
      auto failure = test.trial(na, nb, mix(seed, static_cast<std::uint64_t>(t)));
      if (!failure) {
        if (++poles > 40) break;
        continue;
      }
      if (!failure->empty()) {
        v.failure = *failure;
        return v;
      }
      ++v.trials;
      log_bound += std::log(false_accept(1000, test.exponentials(na + nb)));
    }
    v.bound = std::exp(log_bound);
  }
  NumericTest(model, cascade, summary, seed).run(v, stop);
  if (stop.stop_requested()) v.failure = "the analysis was stopped";
  v.holds = v.failure.empty();
  return v;
}

} // namespace aicf
