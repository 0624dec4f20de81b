// The profile of a definition, in the order in which it is found.
#include "core/structure/decide.hpp"
#include "core/structure/field.hpp"
#include "core/structure/shape.hpp"
#include "core/structure/special_values.hpp"
#include "core/structure/summary_builder.hpp"
#include "core/structure/verify.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

constexpr std::size_t text_limit = 600;

/// Prints forms over the slots of one summary: a.l, b.l and l.
Names with_slots(Names names, const SummaryBuilder& builder) {
  names.symbol = [&builder](std::uint32_t id) {
    std::string name = builder.slot(id % 1000).name;
    return id >= right_symbol(0) ? "b." + name : id >= left_symbol(0) ? "a." + name : name;
  };
  return names;
}

class CascadeAnalysis {
 public:
  CascadeAnalysis(Model& model, const std::vector<std::size_t>& members, StructureProfile& profile, std::uint64_t seed,
                  std::stop_token stop)
      : m_(model), members_(members), p_(profile), seed_(seed), stop_(std::move(stop)),
        algebra_(make_algebra(model, members)), names_(names_for(model, members)),
        builder_(model, members, algebra_, [this](ReducerId reducer) { return laws_of(reducer); }) {}

  Cascade run() {
    learn_facts(m_, members_, algebra_);
    Cascade c = frame();
    bool complete = true;
    std::map<std::size_t, Form> forms;
    for (std::size_t i : members_) {
      if (stop_.stop_requested()) {
        stopped(i);
        complete = false;
        continue;
      }
      Decision d = decide(m_, members_, i, algebra_, names_, seed_, stop_);
      classify(m_.items[i], d);
      Reduction& r = p_.reductions[m_.items[i].report];
      r.rank = d.rank;
      bool ready = std::all_of(m_.items[i].dependencies.begin(), m_.items[i].dependencies.end(),
                               [&](std::size_t k) { return builder_.final_forms().contains(k); });
      Derivation how;
      if (d.rank.kind == Rank::Kind::unbounded)
        how.why = "unbounded: a second sweep is needed";
      else if (!ready)
        how.why = "it reads a reduction that has no bounded state";
      else
        how = builder_.add(i, d.form, d.split);
      // a left fold keeps one value, as long as nothing that it reads changes under it
      r.bounded = how.possible || (m_.items[i].reducer >= first_user_reducer && m_.items[i].dependencies.empty());
      r.stable = r.bounded && how.stable;
      if (how.possible) {
        bound_ = std::max(bound_, how.bound);
        describe(r, m_.items[i], how);
        forms[i] = d.form;
      } else {
        complete = false;
        d.certificate.steps.push_back({"state", "no summary", how.why});
      }
      d.certificate.steps.insert(d.certificate.steps.end(), how.steps.begin(), how.steps.end());
      stable_ = stable_ && r.stable;
      r.certificate = d.certificate.id;
      p_.certificates.push_back(std::move(d.certificate));
    }
    if (complete && !stop_.stop_requested()) verify_summary(c, forms);
    return c;
  }

 private:
  Cascade frame() const {
    const Item& first = m_.items[members_.front()];
    Cascade c;
    c.lo = first.lo.front();
    c.hi = first.hi.front();
    c.more_lo.assign(first.lo.begin() + 1, first.lo.end());
    c.more_hi.assign(first.hi.begin() + 1, first.hi.end());
    c.axis = first.axes.empty() ? std::string() : first.axes.front();
    std::set<VarId> rows;
    for (std::size_t i : members_) {
      const Item& item = m_.items[i];
      rows.insert(item.rows.begin(), item.rows.end());
      c.reductions.push_back(item.report);
      c.elements.push_back(item.body);
      c.predicates.push_back(item.predicate);
    }
    c.rows.assign(rows.begin(), rows.end());
    return c;
  }

  const ReducerLaws* laws_of(ReducerId reducer) const {
    const std::string name = reducer_name(*m_.canonical->source, reducer);
    auto found = std::find_if(p_.user_reducers.begin(), p_.user_reducers.end(),
                              [&](const ReducerLaws& laws) { return laws.reducer == name; });
    return found == p_.user_reducers.end() ? nullptr : &*found;
  }

  static void classify(Item& item, const Decision& d) {
    if (!d.split || item.dependencies.empty()) return;
    const Split& s = *d.split;
    item.rescaled = d.rank.kind == Rank::Kind::finite && d.rank.value == 1 &&
                    std::any_of(s.d_parts.begin(), s.d_parts.end(), [](const TermKey& k) { return !(k == TermKey{}); });
    item.polynomial = item.weighted = !s.x_parts.empty();
    std::set<AtomId> common;
    for (const Power& p : s.x_parts.empty() ? Monomial{} : s.x_parts[0].factors) common.insert(p.atom);
    for (const TermKey& x : s.x_parts) {
      std::set<AtomId> mine;
      item.polynomial = item.polynomial && x.exponent.empty();
      for (const Power& p : x.factors) {
        item.polynomial = item.polynomial && p.den == 1 && p.num > 0;
        if (common.contains(p.atom)) mine.insert(p.atom);
      }
      common = std::move(mine);
    }
    item.weighted = item.weighted && !common.empty();
  }

  void stopped(std::size_t i) {
    Certificate c;
    c.id = "rank:" + m_.items[i].name;
    c.claim = "the rank of " + m_.items[i].name + " is not known";
    c.method = "the analysis was stopped";
    p_.reductions[m_.items[i].report].rank.kind = Rank::Kind::unknown;
    p_.reductions[m_.items[i].report].certificate = c.id;
    p_.certificates.push_back(std::move(c));
  }

  void describe(Reduction& r, const Item& item, const Derivation& how) {
    Names names = with_slots(names_, builder_);
    auto show = [&](ExprId id) { return print(m_.arena(), id, names, text_limit); };
    for (std::size_t k : how.reads) r.state.push_back(builder_.slot(k).name);
    std::vector<std::size_t> lines = how.own.empty() ? how.reads : how.own;
    for (std::size_t k : lines) {
      const Slot& s = builder_.slot(k);
      ExprId law = builder_.plain_merges()[k];
      r.merge.push_back(s.name + " = " + show(law));
      if (m_.arena()[law].op == Op::add && m_.arena()[m_.arena().operand(law, 0)].op == Op::mul)
        r.rescale.push_back(s.name + " = " + show(m_.arena().operand(law, 0)));
    }
    std::size_t place = std::find(members_.begin(), members_.end(), m_.at.at(item.node)) - members_.begin();
    r.finalize.push_back(item.name + " = " + show(builder_.final_expression(members_[place])));
  }

  void verify_summary(Cascade& c, const std::map<std::size_t, Form>& forms) {
    Summary s = builder_.summary();
    s.stable = stable_;
    Certificate cert;
    cert.id = "summary:" + m_.items[members_.front()].name;
    cert.seed = mix(seed_, 11);
    cert.claim = "states of two chunks of " + c.axis + " merge into the state of their union";
    Names names = with_slots(names_, builder_);
    for (std::size_t k = 0; k < s.slots.size(); ++k) {
      auto show = [&](ExprId id) { return print(m_.arena(), id, names, text_limit); };
      const Slot& slot = s.slots[k];
      cert.steps.push_back(
          {"slot", slot.name + ": " + reducer_name(*m_.canonical->source, slot.reducer) + " of " + show(slot.body),
           slot.name + " = " + show(builder_.plain_merges()[k])});
      if (slot.merge != builder_.plain_merges()[k])
        cert.steps.push_back({"guard-identity", show(builder_.plain_merges()[k]), show(slot.merge)});
    }
    Verified v = verify(m_, members_, algebra_, s, forms, builder_.final_forms(), cert.seed, stop_);
    cert.trials = v.trials;
    for (const std::string& note : v.notes)
      cert.steps.push_back({"special-value", note, "differs from the definition"});
    if (v.holds) {
      cert.verdict = v.by_law && bound_ == 0 ? Certificate::Verdict::proven : Certificate::Verdict::probably;
      cert.bound = std::min(1.0, v.bound + bound_);
      cert.method = v.by_law       ? "every slot merges by its own associative reducer"
                    : v.trials > 0 ? "identity of merge and union over the field at lengths 1 and 2"
                                   : "a tie has no meaning in the field";
      cert.method += "; doubles at partial states";
      c.summary = std::move(s);
    } else {
      cert.verdict = Certificate::Verdict::refuted;
      cert.bound = 0;
      cert.method = "the derived merge was refuted, and is not used: " + v.failure;
    }
    p_.certificates.push_back(std::move(cert));
  }

  Model& m_;
  const std::vector<std::size_t>& members_;
  StructureProfile& p_;
  std::uint64_t seed_;
  std::stop_token stop_;
  Algebra algebra_;
  Names names_;
  SummaryBuilder builder_;
  bool stable_ = true;
  double bound_ = 0; ///< that a law of a reducer, or of an inverse map, was accepted although it is false
};

/// The laws of every user reducer in use, once each.
void judge_reducers(const Model& model, StructureProfile& p, std::uint64_t seed) {
  std::set<ReducerId> seen;
  for (const Item& item : model.items) {
    if (item.reducer < first_user_reducer || !seen.insert(item.reducer).second) continue;
    ReducerLaws laws = judge_laws(*model.canonical->source, item.reducer, seed);
    p.user_reducers.push_back(std::move(laws));
  }
}

} // namespace

StructureProfile analyze(Canonical canonical, std::uint64_t seed, std::stop_token stop) {
  auto shared = std::make_shared<Canonical>(std::move(canonical));
  StructureProfile p;
  p.canonical = shared;
  Model m = make_model(*shared);
  for (Item& item : m.items) {
    item.report = p.reductions.size();
    Reduction r;
    r.name = item.name;
    r.reducer = reducer_name(*shared->source, item.reducer);
    r.node = item.node;
    r.axes = item.axes;
    for (std::size_t d : item.dependencies) r.depends_on.push_back(m.items[d].name);
    r.level = item.level;
    p.reductions.push_back(std::move(r));
  }
  judge_reducers(m, p, seed);
  for (const auto& members : m.cascades) p.cascades.push_back(CascadeAnalysis(m, members, p, seed, stop).run());
  for (Cascade& c : p.cascades) {
    c.special_known = !stop.stop_requested();
    if (c.special_known) c.special = special_differences(p, c, c.special_known);
  }
  for (const ReducerLaws& laws : p.user_reducers)
    p.certificates.insert(p.certificates.end(), laws.laws.begin(), laws.laws.end());
  describe_shape(m, p);
  return p;
}

} // namespace aicf
