// Compiler profiles: the two forms are equal, the schema accepts what the program writes, bad input names its place.
#include "core/profile/fields.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <random>

using namespace aicf;

namespace {

/// A profile with every setting drawn from its allowed range.
CompilerProfile random_profile(std::mt19937& random) {
  CompilerProfile p;
  auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  using Type = ProfileField::Type;
  for (const ProfileField& f : profile_fields()) {
    nlohmann::json value;
    auto integer = [&] {
      return static_cast<std::int64_t>(f.lo) + pick(static_cast<int>(std::min(f.hi - f.lo, 1e6)) + 1);
    };
    switch (f.type) {
    case Type::word: value = f.words[static_cast<std::size_t>(pick(static_cast<int>(f.words.size())))]; break;
    case Type::text: value = "a \"quoted\" näme\n" + std::to_string(pick(100)); break;
    case Type::boolean: value = pick(2) == 1; break;
    case Type::real: value = f.lo + (f.hi - f.lo) * pick(1000003) / 1000003.0; break;
    case Type::integer: value = integer(); break;
    case Type::texts:
      value = nlohmann::json::array();
      for (int i = pick(4); i > 0; --i)
        value.push_back(f.words.empty()
                            ? "rule_" + std::to_string(pick(50))
                            : std::string(f.words[static_cast<std::size_t>(pick(static_cast<int>(f.words.size())))]));
      break;
    case Type::integers:
      value = nlohmann::json::array();
      for (int i = pick(4); i > 0; --i) value.push_back(integer());
      break;
    }
    f.set(p, value);
  }
  return p;
}

std::string messages(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += format(d) + "\n";
  return text;
}

} // namespace

class TestProfile : public QObject {
  Q_OBJECT
 private slots:
  void both_forms_are_equal() {
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
      CompilerProfile p = random_profile(random);
      auto from_json = profile_from_json(to_json(p).dump(), "p.json");
      QVERIFY2(from_json, messages(from_json.diagnostics).c_str());
      QVERIFY(*from_json == p);
      auto from_text = profile_from_text(to_text(p), "p.acp");
      QVERIFY2(from_text, messages(from_text.diagnostics).c_str());
      QVERIFY2(*from_text == p, to_text(p).c_str());
      QVERIFY(hash_of(*from_text) == hash_of(p));
    }
  }

  void the_name_is_not_part_of_the_hash() {
    CompilerProfile a, b;
    b.name = "other";
    QVERIFY(hash_of(a) == hash_of(b));
    b.epsilon = 0.5;
    QVERIFY(hash_of(a) != hash_of(b));
  }

  void every_error_is_reported_with_its_place() {
    auto r = profile_from_json(
        R"({"schema": "aicf.profile/1", "strictness": {"order": "sometimes", "epsilon": 2}, "limits": {"register": 3}, "bogus": 1})",
        "p.json");
    QVERIFY(!r);
    std::string text = messages(r.diagnostics);
    for (const char* part : {"/strictness/order", "one of any, run_to_run", "/strictness/epsilon", "/limits/register",
                             "did you mean `limits.registers`", "/bogus"})
      QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    QCOMPARE(r.diagnostics.size(), std::size_t{4});
  }

  void the_text_form_names_line_and_column() {
    auto r = profile_from_text(
        "# a comment\nstrictness.order = any\n  strictness.epsilon = lots\nnonsense\nstrictness.order = any\n",
        "p.acp");
    QVERIFY(!r);
    QCOMPARE(r.diagnostics.size(), std::size_t{3});
    QCOMPARE(r.diagnostics[0].at.line, 3);
    QCOMPARE(r.diagnostics[0].at.column, 24);
    QCOMPARE(r.diagnostics[1].at.line, 4);
    QCOMPARE(r.diagnostics[2].at.line, 5);
  }

  void hostile_documents_are_errors() {
    for (const char* text :
         {"", "[]", "null", "{", "{\"schema\": 3}", "{\"schema\":\"aicf.profile/1\",\"strictness\":[]}",
          "{\"schema\":\"aicf.profile/1\",\"limits\":{\"registers\":1e99}}",
          "{\"schema\":\"aicf.profile/1\",\"name\":null}", "\xff\xfe",
          "{\"schema\":\"aicf.profile/1\",\"strictness\":{\"order\":{\"order\":1}}}"}) {
      auto r = profile_from_json(text, "p.json");
      QVERIFY2(!r && has_errors(r.diagnostics), text);
    }
  }

  void the_schema_describes_every_setting() {
    nlohmann::json schema = profile_schema(), document = to_json(CompilerProfile{});
    for (const auto& [key, value] : document.items()) {
      QVERIFY2(schema["properties"].contains(key), key.c_str());
      if (value.is_object())
        for (const auto& [inner, unused] : value.items())
          QVERIFY2(schema["properties"][key]["properties"].contains(inner), inner.c_str());
    }
  }

  void diff_says_what_changed() {
    CompilerProfile a, b;
    b.order = Order::any;
    auto lines = diff(a, b);
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(lines[0], std::string("strictness.order: \"batch_invariant\" -> \"any\""));
  }
};

QTEST_GUILESS_MAIN(TestProfile)
#include "test_profile.moc"
