#include "core/semantics/guide.hpp"

#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace aicf {
namespace {

/// Text as it stands: what CommonMark reads as markup is escaped.
std::string plain(std::string_view text) {
  auto word = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool inside_word = text[k] == '_' && k > 0 && word(k - 1) && word(k + 1);
    if (std::string_view("\\`*_[]<>|~").find(text[k]) != std::string_view::npos && !inside_word) out += '\\';
    out += text[k];
  }
  return out;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }
std::string link(std::string_view text, const std::string& uri) { return "[" + plain(text) + "](" + uri + ")"; }
std::string to_transformation(const std::string& id) { return link(id, "aicf://transformation/" + id); }
std::string to_operator(const std::string& name) { return link(name, "aicf://op/" + name); }

std::string number(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

std::string listed(const std::vector<std::string>& parts, const char* separator = ", ") {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : separator) + p;
  return text;
}

std::string counted(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

/// "x = 1, 2; c = 0: expected 3, observed nan".
std::string witness_text(const Witness& witness) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> inputs;
  for (const auto& [name, values] : witness.inputs) {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < std::min(values.size(), shown); ++k) texts.push_back(number(values[k]));
    if (values.size() > shown) texts.push_back("… (" + std::to_string(values.size()) + " numbers)");
    inputs.push_back(name + " = " + (texts.empty() ? "nothing" : listed(texts)));
  }
  const std::string at = listed(inputs, "; ");
  return at + (at.empty() ? "" : ": ") + "expected " + witness.expected + ", observed " + witness.observed;
}

/// The orders that a row keeps: each contains those before it.
std::string kept_orders(const LegalityRow& row) {
  if (row.cross_device.answer == "kept") return "device to device";
  if (row.batch_invariant.answer == "kept") return "batch";
  return row.run_to_run.answer == "kept" ? "run to run" : row.applicable ? "none" : "–";
}

/// `bytes`: also those read and written, which are other expressions for every operator.
std::string memory_text(const LegalityRow& row, bool bytes) {
  std::vector<std::string> texts;
  for (const Metric& m : row.memory) {
    const bool counts = m.unit == "bytes";
    if (counts && (!bytes || m.method == "0")) continue;
    if (counts) {
      std::string what = m.id.substr(0, m.id.find("_bytes"));
      if (m.id.ends_with("per_part")) what += " of a part";
      texts.push_back(what + " " + m.method + " bytes");
      continue;
    }
    const std::string unit = m.value == 1 && m.unit.ends_with("s") ? m.unit.substr(0, m.unit.size() - 1) : m.unit;
    texts.push_back(number(m.value) + " " + unit + (m.method.empty() ? "" : " (" + m.method + ")"));
  }
  return texts.empty() ? "nothing beyond what the definition needs" : listed(texts, "; ");
}

/// Operators under what is said of them alike, in order of first appearance.
class Groups {
 public:
  void add(const std::string& text, const std::string& op) {
    auto found = std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.first == text; });
    if (found == groups_.end()) found = groups_.insert(groups_.end(), {text, {}});
    found->second.push_back(to_operator(op));
  }
  /// A list of `text — operators`, the largest groups first; of each group at most `most` operators by name.
  [[nodiscard]] std::string text(std::size_t most = static_cast<std::size_t>(-1)) const {
    auto sorted = groups_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    std::string out;
    for (auto& [what, ops] : sorted) {
      const std::size_t all = ops.size();
      if (all > most) ops.resize(most);
      out += "- " + what + " — " + listed(ops) +
             (all > most ? " and " + std::to_string(all - most) + " more" : std::string()) + "\n";
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

std::string refusal_text(const LegalityRow& row) {
  std::string text = plain(row.reason);
  if (row.witness) text += ". Witness: " + plain(witness_text(*row.witness));
  if (!row.smallest_ticks.empty()) {
    std::vector<std::string> ticks;
    for (const std::string& t : row.smallest_ticks) ticks.push_back(code(t));
    text += ". The fewest ticks that allow it: " + listed(ticks);
  }
  return text;
}

std::string entries_text(const std::vector<GuideEntry>& entries, std::string (*said)(const LegalityRow&),
                         const char* none) {
  if (entries.empty()) return std::string(none) + "\n";
  Groups groups;
  for (const GuideEntry& e : entries) groups.add(said(e.row), e.op);
  return counted(entries.size(), "operator") + ".\n\n" + groups.text();
}

std::string rules_text(const CompilerProfile& rules) {
  return "Under the profile " + code(rules.name) + ": order " + code(name_of(rules.order)) + ", arithmetic " +
         code(name_of(rules.arithmetic)) +
         (rules.arithmetic == Arithmetic::approximate ? " up to " + number(rules.epsilon) : std::string()) + ".";
}

const PreservationClass& class_of(const std::string& id) {
  const auto& all = preservation_classes();
  auto found = std::find_if(all.begin(), all.end(), [&](const PreservationClass& c) { return c.id == id; });
  if (found == all.end()) throw std::logic_error("no preservation class " + id);
  return *found;
}

/// The five verdicts over all operators where the premises hold.
std::string verdicts_text(const GuideTopic& topic) {
  Groups value, rounding, special, order, memory;
  for (const auto* entries : {&topic.legal, &topic.refused})
    for (const GuideEntry& e : *entries) {
      value.add(plain(in_words("value", e.row.value)), e.op);
      rounding.add(plain(in_words("rounding", e.row.rounding)), e.op);
      special.add(plain(in_words("special", e.row.special)), e.op);
      std::string orders = in_words("run_to_run", e.row.run_to_run) + "; " +
                           in_words("batch_invariant", e.row.batch_invariant) + "; " +
                           in_words("device_to_device", e.row.cross_device);
      if (!e.row.assumptions.empty()) orders += ". Assumed: " + listed(e.row.assumptions, "; ");
      order.add(plain(orders), e.op);
      memory.add(plain(memory_text(e.row, false)), e.op);
    }
  if (topic.legal.empty() && topic.refused.empty()) return "Its premises hold for no operator here.\n";
  constexpr std::size_t shown = 4;
  std::string out;
  for (const auto& [title, groups] : {std::pair{"Value", &value},
                                      {"Rounding", &rounding},
                                      {"Special values", &special},
                                      {"Order", &order},
                                      {"Memory", &memory}})
    out += std::string("### ") + title + "\n\n" + groups->text(shown) + "\n";
  return out;
}

std::string example_text(const WorkedExample& example) {
  if (example.before.empty()) return "None is written.\n";
  std::string out = "```\n" + example.before + "\n```\n\nbecomes\n\n```\n" + example.after + "\n```\n\nFor ";
  std::vector<std::string> inputs;
  for (const std::string& i : example.inputs) inputs.push_back(code(i));
  out += listed(inputs, " and ") + (example.tolerance == 0
                                        ? " both give the same bits.\n"
                                        : " both agree to " + number(example.tolerance) + " of the largest result.\n");
  return out;
}

} // namespace

Result<std::vector<GuideOperator>> atlas_operators(std::stop_token stop) {
  auto files = atlas_operator_files();
  if (!files) return files.failure<std::vector<GuideOperator>>();
  std::vector<GuideOperator> out;
  for (const std::filesystem::path& file : *files) {
    if (stop.stop_requested()) break;
    Result<Definition> d = load_definition(file.string());
    if (!d) return d.failure<std::vector<GuideOperator>>();
    GuideOperator op;
    op.name = file.stem().string();
    if (d->text.starts_with("#")) op.about = d->text.substr(1, d->text.find('\n') - 1);
    op.about.erase(0, op.about.find_first_not_of(' '));
    op.structure = std::make_shared<const StructureProfile>(
        analyze(canonicalize(std::make_shared<const Definition>(std::move(*d))), 1, stop));
    out.push_back(std::move(op));
  }
  return out;
}

const std::vector<PreservationClass>& preservation_classes() {
  static const std::vector<PreservationClass> classes{
      {"reorder", "Reorder", "The same operations in another order: the real number stays, brackets or factors move."},
      {"representation", "Representation",
       "The same operations on the same operands: only where and how numbers are kept changes."},
      {"summary_state", "Summary state", "A state of bounded size stands for all elements that were read."},
      {"rescaling", "Rescaling", "Partial results are carried to a new scale in place of being computed again."},
      {"recomputation", "Recomputation", "What could be stored is computed again, by the same operations."},
      {"decomposition", "Decomposition", "One result is put together from parts."},
      {"bounded_approximation", "Bounded approximation",
       "Another number, within a distance that is known beforehand."}};
  return classes;
}

const GuideTopic* Guide::find(std::string_view transformation) const {
  auto found = std::find_if(topics.begin(), topics.end(), [&](const GuideTopic& t) { return t.id == transformation; });
  return found == topics.end() ? nullptr : &*found;
}

Guide make_guide(std::vector<GuideOperator> operators, const CompilerProfile& rules) {
  Guide guide;
  guide.rules = rules;
  guide.operators = std::move(operators);
  std::sort(guide.operators.begin(), guide.operators.end(),
            [](const GuideOperator& a, const GuideOperator& b) { return a.name < b.name; });
  for (const Transformation& t : transformations())
    guide.topics.push_back({t.id, t.preservation_class, transformation_text(t.id), {}, {}, {}});
  // the ledger's rows come in the order of transformations(), and the topics still do
  for (const GuideOperator& op : guide.operators) {
    Ledger ledger = judge(*op.structure, rules);
    for (std::size_t k = 0; k < ledger.rows.size(); ++k) {
      LegalityRow& row = ledger.rows[k];
      GuideTopic& topic = guide.topics[k];
      auto& entries = row.allowed ? topic.legal : row.applicable ? topic.refused : topic.inapplicable;
      entries.push_back({op.name, std::move(row)});
    }
  }
  auto place = [](const GuideTopic& t) { return &class_of(t.preservation_class); }; // classes lie in their order
  std::stable_sort(guide.topics.begin(), guide.topics.end(),
                   [&](const GuideTopic& a, const GuideTopic& b) { return place(a) < place(b); });
  return guide;
}

std::string in_words(std::string_view kind, const Verdict& verdict) {
  const std::string& answer = verdict.answer;
  const std::string within = verdict.bound ? number(*verdict.bound) : std::string();
  if (kind == "value") {
    if (answer == "proven") return "proven: both sides are the same real number, whatever the inputs";
    if (answer == "probably equal")
      return "probably equal: both sides agreed wherever they were tried" +
             (within.empty() ? "" : "; that they differ all the same has probability at most " + within);
    if (answer == "refuted") return "refuted: there are inputs for which both sides differ";
    if (answer == "unknown") return "unknown: neither a proof nor a counterexample was found";
  }
  if (kind == "rounding") {
    const std::string bound = within.empty() ? "" : ", by at most " + within + " of the magnitudes that meet";
    if (answer == "bit-identical") return "bit-identical: every rounding happens as before, on the same numbers";
    if (answer.starts_with("reassociated"))
      return answer + ": results are rounded elsewhere than in the definition" + bound;
    if (answer == "approximate") return "approximate: another number is computed" + bound;
  }
  if (kind == "special") {
    if (answer == "same") return "same: NaN, infinities, empty and fully masked rows give what the definition gives";
    if (answer.starts_with("differs")) return answer + ": for these the definition gives something else";
  }
  if (kind == "run_to_run") return "from run to run: " + answer;
  if (kind == "batch_invariant") return "whatever the batch: " + answer;
  if (kind == "device_to_device") return "from device to device: " + answer;
  return answer;
}

GuidePage index_page(const Guide& guide) {
  std::string text = "# Preservation Guide\n\n" + counted(guide.topics.size(), "transformation") + " on " +
                     counted(guide.operators.size(), "operator") +
                     ": what each keeps, where it is legal, and why not elsewhere. " + rules_text(guide.rules) +
                     "\n\n## Classes\n\n";
  for (const PreservationClass& c : preservation_classes())
    text += "- " + link(c.title, "aicf://guide/index#" + std::string(c.id)) + " — " + std::string(c.about) + "\n";
  for (const PreservationClass& c : preservation_classes()) {
    // the class's id as the heading, for the anchor to be the same wherever headings make anchors
    text += "\n## " + std::string(c.id) + "\n\n" + std::string(c.about) +
            "\n\n| transformation | what | before → after | legal | refused | not applicable "
            "|\n|---|---|---|--:|--:|--:|\n";
    for (const GuideTopic& t : guide.topics)
      if (t.preservation_class == c.id)
        text += "| " + to_transformation(t.id) + " | " + plain(t.text.title) + " | " + plain(t.text.before) + " → " +
                plain(t.text.after) + " | " + std::to_string(t.legal.size()) + " | " +
                std::to_string(t.refused.size()) + " | " + std::to_string(t.inapplicable.size()) + " |\n";
  }
  text += "\n## Operators\n\n";
  for (const GuideOperator& op : guide.operators)
    text += "- " + to_operator(op.name) + (op.about.empty() ? "" : " — " + plain(op.about)) + "\n";
  return {"aicf://guide/index", "Preservation Guide", std::move(text)};
}

GuidePage transformation_page(const Guide& guide, const GuideTopic& topic) {
  const TransformationText& t = topic.text;
  const PreservationClass& c = class_of(topic.preservation_class);
  std::string text = "# " + plain(t.title) + "\n\n" + code(topic.id) + " · " +
                     link(c.title, "aicf://guide/index#" + std::string(c.id)) + " · " +
                     link("all transformations", "aicf://guide/index") + "\n\n" + plain(t.why) + "\n\n";
  text += "## Statement\n\n```\n" + t.before + "  ->  " + t.after + "\n```\n\n";
  text += "**Premises.** " + plain(t.premises) + "\n\n**Law.** " + plain(t.law) + "\n\n**Class.** " +
          std::string(c.title) + ". " + std::string(c.about) + "\n\n";
  text += "## Example\n\n" + example_text(t.example) + "\n## Verdicts\n\n" + verdicts_text(topic);
  text += "\n## Legal\n\n" + rules_text(guide.rules) + " ";
  text += entries_text(
      topic.legal, [](const LegalityRow& r) { return plain(r.reason); }, "No operator.");
  text += "\n## Refused\n\nThe premises hold, and the profile asks for more than it keeps. ";
  text += entries_text(topic.refused, refusal_text, "No operator.");
  text += "\n## Not applicable\n\nThe premises do not hold; no profile allows it. ";
  text += entries_text(topic.inapplicable, refusal_text, "No operator.");
  text += "\n## References\n\n";
  for (const std::string& r : t.references) text += "- " + plain(r) + "\n";
  return {"aicf://transformation/" + topic.id, t.title, std::move(text)};
}

GuidePage operator_page(const Guide& guide, const GuideOperator& op) {
  const StructureProfile& s = *op.structure;
  std::string text = "# " + plain(op.name) + "\n\n" + (op.about.empty() ? "" : plain(op.about) + "\n\n") +
                     link("all transformations", "aicf://guide/index") + "\n\n```\n" + s.canonical->source->text +
                     (s.canonical->source->text.ends_with("\n") ? "" : "\n") + "```\n\n";
  std::vector<std::string> structures;
  for (const std::string& id : s.structures) structures.push_back(code(id));
  text += "Structures: " + (structures.empty() ? "none" : listed(structures)) +
          ". Sweeps: " + std::to_string(s.passes_definition) + " as defined, " + std::to_string(s.passes_best) +
          " at best.\n\n";
  text += "## Transformations\n\n" + rules_text(guide.rules) +
          "\n\n| transformation | | value | rounding | special | keeps | memory |\n|---|---|---|---|---|---|---|\n";
  std::string refused, inapplicable;
  for (const GuideTopic& t : guide.topics)
    for (const auto* entries : {&t.legal, &t.refused, &t.inapplicable}) {
      auto found = std::lower_bound(entries->begin(), entries->end(), op.name,
                                    [](const GuideEntry& e, const std::string& name) { return e.op < name; });
      if (found == entries->end() || found->op != op.name) continue;
      const LegalityRow& r = found->row;
      if (!r.applicable) {
        inapplicable += "- " + to_transformation(t.id) + " — " + refusal_text(r) + "\n";
        continue;
      }
      text += "| " + to_transformation(t.id) + " | " + (r.allowed ? "legal" : "refused") + " | " +
              plain(r.value.answer) + " | " + plain(r.rounding.answer) +
              (r.rounding.bound ? " " + number(*r.rounding.bound) : "") + " | " + plain(r.special.answer) + " | " +
              kept_orders(r) + " | " + plain(memory_text(r, true)) + " |\n";
      if (!r.allowed) refused += "- " + to_transformation(t.id) + " — " + refusal_text(r) + "\n";
    }
  text += "\n## Refused\n\n" + (refused.empty() ? "Nothing.\n" : refused) + "\n## Not applicable\n\n" +
          (inapplicable.empty() ? "Nothing.\n" : inapplicable);
  return {"aicf://op/" + op.name, op.name, std::move(text)};
}

std::vector<GuidePage> pages(const Guide& guide) {
  std::vector<GuidePage> out{index_page(guide)};
  for (const GuideTopic& t : guide.topics) out.push_back(transformation_page(guide, t));
  for (const GuideOperator& op : guide.operators) out.push_back(operator_page(guide, op));
  return out;
}

std::string file_of(std::string_view uri) {
  constexpr std::string_view scheme = "aicf://";
  if (!uri.starts_with(scheme)) throw std::logic_error("not a page of the guide: " + std::string(uri));
  const std::string path(uri.substr(scheme.size()));
  return path == "guide/index" ? "index.md" : path + ".md";
}

std::string with_file_links(const GuidePage& page) {
  const std::string up = page.uri == "aicf://guide/index" ? "" : "../";
  constexpr std::string_view opening = "](aicf://";
  std::string out;
  std::size_t at = 0;
  for (std::size_t next = page.markdown.find(opening); next != std::string::npos;
       next = page.markdown.find(opening, at)) {
    const std::size_t uri = next + 2, end = page.markdown.find(')', uri);
    const std::string whole = page.markdown.substr(uri, end - uri);
    const std::size_t hash = whole.find('#');
    out += page.markdown.substr(at, uri - at) + up + file_of(whole.substr(0, hash)) +
           (hash == std::string::npos ? "" : whole.substr(hash));
    at = end;
  }
  return out + page.markdown.substr(at);
}

} // namespace aicf
