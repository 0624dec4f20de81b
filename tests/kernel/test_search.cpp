// The search among plans: which come first, what follows a measurement, and that it ends.
#include "core/plan/choice.hpp"
#include "synth/search.hpp"
#include "tests/kernel/row_plans.hpp"

#include <QtTest>

#include <cmath>
#include <set>

using namespace aicf;

namespace {

PlanSpace space() {
  StructureProfile p = test::profile_of_file("softmax");
  Problem problem;
  problem.dims = {{"M", 64}, {"N", 4096}};
  problem.float_type = DType::bf16;
  CompilerProfile rules;
  return plan(p, judge(p, rules), rules, problem);
}

std::string coarse(const Plan& plan) {
  return word(plan, "state_form") + word(plan, "cooperation") + word(plan, "staging") +
         std::to_string(number(plan, "row_blocks"));
}

int differences(const Plan& a, const Plan& b) {
  int count = 0;
  for (const auto& [id, value] : a.choices) count += b.choices.at(id) == value ? 0 : 1;
  return count;
}

} // namespace

class TestSearch : public QObject {
  Q_OBJECT

 private slots:
  void formsComeFirstAndOnce() {
    PlanSpace s = space();
    PlanSearch search(s);
    QCOMPARE(search.next(), &s.plans.front());
    std::set<std::string> forms{coarse(s.plans.front())};
    for (int i = 0; i < 8; ++i) QVERIFY(forms.insert(coarse(*search.next())).second);
  }

  void neighboursOfTheFastestFollow() {
    PlanSpace s = space();
    PlanSearch search(s);
    std::vector<const Plan*> forms;
    for (int i = 0; i < 12; ++i) forms.push_back(search.next());
    for (std::size_t i = 0; i < forms.size(); ++i)
      search.measured(*forms[i], i == 5 ? 1 : 10.0 + static_cast<double>(i));
    for (int i = 0; i < 10; ++i) {
      const Plan* next = search.next();
      QVERIFY(differences(*next, *forms[5]) <= 2);
      search.measured(*next, 100);
    }
  }

  void whatFailsIsNoCentre() {
    PlanSpace s = space();
    PlanSearch search(s);
    const Plan* first = search.next();
    search.measured(*first, INFINITY);
    const Plan* second = search.next();
    search.measured(*second, 1);
    for (int i = 0; i < 10; ++i) static_cast<void>(search.next()); // the other forms
    QVERIFY(differences(*search.next(), *second) <= 2);
  }

  void preferredPlansComeBeforeAll() {
    PlanSpace s = space();
    PlanSearch search(s);
    QVERIFY(search.prefer({{"state_form", "two_pass"}, {"threads", "64"}}));
    QVERIFY(!search.prefer({{"state_form", "no such form"}}));
    const Plan* first = search.next();
    QVERIFY(chosen(*first, "state_form", "two_pass") && number(*first, "threads") == 64);
  }

  void everyPlanOnceThenNone() {
    PlanSpace s = space();
    s.plans.resize(50);
    PlanSearch search(s);
    std::set<const Plan*> seen;
    while (const Plan* next = search.next()) {
      QVERIFY(seen.insert(next).second);
      search.measured(*next, static_cast<double>(seen.size() % 7));
    }
    QCOMPARE(seen.size(), s.plans.size());
    QVERIFY(search.next() == nullptr);
  }

  void restrictionsAreChecked() {
    PlanSpace s = space();
    std::size_t before = s.plans.size();
    QCOMPARE(restrict_to(s, {{"no_such", "1"}}).front().code, std::string("plan.no-param"));
    QCOMPARE(restrict_to(s, {{"threads", "33"}}).front().code, std::string("plan.no-value"));
    QCOMPARE(s.plans.size(), before);
    QVERIFY(restrict_to(s, {{"threads", "128"}, {"state_form", "online"}}).empty());
    QVERIFY(!s.plans.empty() && s.plans.size() < before);
    for (const Plan& p : s.plans) QVERIFY(number(p, "threads") == 128 && chosen(p, "state_form", "online"));
    QCOMPARE(s.refused.at("another choice was asked for"), before - s.plans.size());
  }
};

QTEST_GUILESS_MAIN(TestSearch)
#include "test_search.moc"
