// aicf analyze, aicf legal, aicf ops: what an operator is, and what may be done to it.
#include "app/aicf/command.hpp"
#include "app/aicf/interrupt.hpp"
#include "app/aicf/property_matrix.hpp"
#include "core/base/atlas_path.hpp"
#include "core/base/json.hpp"
#include "core/expr/check.hpp"
#include "core/expr/print.hpp"
#include "core/semantics/accumulation.hpp"
#include "core/semantics/facts.hpp"
#include "core/semantics/guide.hpp"
#include "core/semantics/strictness.hpp"
#include "core/structure/gradient.hpp"
#include "core/structure/properties/property.hpp"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

namespace aicf::cli {
namespace {

struct Options {
  std::string op, name, profile, guide, shape, dtype = "f32";
  bool json = false, grad = false, properties = false, matrix = false;
  double length = 4096;
};

std::shared_ptr<Options> operator_options(CLI::App& app) {
  auto o = std::make_shared<Options>();
  app.add_option("operator", o->op, "a .op file, or the name of an operator of the atlas")->required();
  app.add_option("--op", o->name, "which operator of a file with several (default: the last)");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  return o;
}

std::string rank_text(const Rank& rank) {
  switch (rank.kind) {
  case Rank::Kind::finite: return std::to_string(rank.value);
  case Rank::Kind::unbounded: return "unbounded";
  case Rank::Kind::unknown: return "unknown";
  case Rank::Kind::none: return "-";
  }
  return "-";
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : separator) + p;
  return text;
}

int print_analysis(const StructureProfile& analysis, const std::stop_token& stop) {
  const StructureProfile* profile = &analysis;
  const std::vector<PropertyVerdict> verdicts = properties_of(analysis, 1, stop);
  if (stop.stop_requested()) return stopped();
  std::cout << profile->canonical->source->name << "  " << short_hex(profile->canonical->structure_hash) << "\n"
            << "structures  " << joined(profile->structures, ", ") << "\n"
            << "stages      " << joined(profile->stages, ", ") << "\n"
            << "passes      " << profile->passes_definition << " as defined, " << profile->passes_best << " at best\n";
  std::vector<std::vector<std::string>> rows;
  for (const Reduction& r : profile->reductions)
    rows.push_back({r.name, r.reducer, joined(r.axes, ", "), joined(r.depends_on, ", "), rank_text(r.rank),
                    r.bounded ? "yes" : "no", r.stable ? "yes" : "no"});
  if (!rows.empty())
    std::cout << "\n" << table({"reduction", "reducer", "axes", "depends on", "rank", "bounded", "stable"}, rows);
  for (const ReducerLaws& r : profile->user_reducers)
    std::cout << "\nreducer " << r.reducer << ": "
              << (r.reorders() ? "elements in any order"
                  : r.splits() ? "parts in order"
                               : "a left fold only")
              << (r.empties_merge ? "" : ", two empty parts never merge (" + r.empties + ")") << "\n";
  for (const Reduction& r : profile->reductions)
    if (!r.merge.empty()) std::cout << "\nmerge of " << r.name << ": " << joined(r.merge, "; ");
  std::cout << "\n\n";
  for (const Certificate& c : profile->certificates) {
    std::cout << c.id << ": " << c.claim << "\n  " << name_of(c.verdict) << " by " << c.method;
    if (c.trials > 0) std::cout << ", " << c.trials << " trials";
    if (c.verdict == Certificate::Verdict::probably) std::cout << ", wrong with probability at most " << c.bound;
    std::cout << "\n";
    if (c.witness) std::cout << "  expected " << c.witness->expected << "; observed " << c.witness->observed << "\n";
  }
  std::vector<std::vector<std::string>> properties;
  for (const PropertyVerdict& v : verdicts) {
    std::string text = v.text + (v.method.empty() ? "" : " (" + v.method + ")");
    properties.push_back({v.property, std::string(name_of(v.answer)), text});
  }
  std::cout << "\n" << table({"property", "", "how it is known"}, properties);
  return done;
}

/// Null when stopped.
nlohmann::json analysis_document(const StructureProfile& profile, const std::stop_token& stop) {
  nlohmann::json document = to_json(profile);
  document["properties"] = to_json(properties_of(profile, 1, stop));
  return stop.stop_requested() ? nlohmann::json() : document;
}

int analyze_command(const Options& o, const std::stop_token& stop) {
  end_at_once();
  int status = done;
  auto profile = analysed(o.op, o.name, status, stop);
  if (!profile) return status;
  if (!o.grad) {
    if (!o.json) return print_analysis(*profile, stop);
    const nlohmann::json document = analysis_document(*profile, stop);
    if (document.is_null()) return stopped();
    print_json(document);
    return done;
  }
  const Definition& source = *profile->canonical->source;
  Result<Definition> derived = gradient(source);
  status = report(derived, source.text);
  if (!derived) return status;
  std::string text = print(*derived);
  StructureProfile analysis = analyze(canonicalize(std::make_shared<const Definition>(std::move(*derived))), 1, stop);
  if (stop.stop_requested()) return stopped();
  if (!o.json) {
    std::cout << text << "\n";
    return print_analysis(analysis, stop);
  }
  nlohmann::json document = analysis_document(*profile, stop);
  if (document.is_null()) return stopped();
  document["gradient"] = {
      {"text", text}, {"structure_hash", to_hex(analysis.canonical->structure_hash)}, {"analysis", to_json(analysis)}};
  print_json(document);
  return done;
}

/// The orders that a row keeps: each contains those before it.
std::string kept_orders(const LegalityRow& row) {
  if (row.cross_device.answer == "kept") return "device to device";
  if (row.batch_invariant.answer == "kept") return "batch";
  return row.run_to_run.answer == "kept" ? "run to run" : row.applicable ? "none" : "-";
}

/// The Preservation Guide as a folder of pages.
int write_guide(const Options& o, const CompilerProfile& rules, const std::stop_token& stop) {
  namespace fs = std::filesystem;
  Result<std::vector<GuideOperator>> operators = atlas_operators(stop);
  if (!operators) return report(operators);
  if (!o.op.empty()) { // a file of the user's stands beside the atlas, or in place of an operator of that name
    int status = done;
    auto own = analysed(o.op, o.name, status, stop);
    if (!own) return status;
    const std::string name = fs::path(o.op).stem().string();
    std::erase_if(*operators, [&](const GuideOperator& g) { return g.name == name; });
    operators->push_back({name, {}, own});
  }
  if (stop.stop_requested()) return stopped();
  const Guide guide = make_guide(std::move(*operators), rules);
  const std::vector<GuidePage> all = pages(guide);
  for (const GuidePage& page : all) {
    const fs::path file = fs::path(o.guide) / file_of(page.uri);
    std::error_code problem;
    fs::create_directories(file.parent_path(), problem);
    if (const int failed = write_file(file.string(), with_file_links(page))) return failed;
  }
  if (o.json)
    print_json({{"schema", "aicf.guide/1"},
                {"folder", o.guide},
                {"pages", all.size()},
                {"transformations", guide.topics.size()},
                {"operators", guide.operators.size()},
                {"profile", to_json(rules)}});
  else
    std::cout << all.size() << " pages in " << o.guide << ": " << guide.topics.size() << " transformations, "
              << guide.operators.size() << " operators; begin with index.md\n";
  return done;
}

/// What survives each point of strictness: of each transformation and order, the least arithmetic that admits it.
void print_matrix(const StrictnessMatrix& matrix) {
  std::map<std::string, std::map<Order, std::string>> least;
  for (const StrictnessPoint& p : matrix.points) // arithmetic from the strictest
    for (const std::string& id : p.legal) least[id].try_emplace(p.order, name_of(p.arithmetic));
  std::vector<std::string> heading{"transformation"};
  std::vector<std::vector<std::string>> rows;
  for (Order order : {Order::any, Order::run_to_run, Order::batch_invariant, Order::device_to_device})
    heading.emplace_back(name_of(order));
  for (const auto& [id, at] : least) {
    std::vector<std::string> row{id};
    for (Order order : {Order::any, Order::run_to_run, Order::batch_invariant, Order::device_to_device})
      row.push_back(at.contains(order) ? at.at(order) : "-");
    rows.push_back(std::move(row));
  }
  std::cout << "the strictest arithmetic under which it is legal, at each order\n\n" << table(heading, rows);
  std::string step;
  for (const StrictnessLoss& l : matrix.losses) {
    if (const std::string now = l.axis + " " + l.from + " -> " + l.to; now != step)
      std::cout << "\n" << (step = now) << " loses\n";
    std::cout << "  " << l.transformation << " (at " << joined(l.elsewhere, ", ") << "): " << l.reason << "\n";
  }
}

/// The a priori bounds behind the rounding verdicts of what sums: by topology and type of the accumulator.
void print_sum_bounds(const Ledger& ledger, double length) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string_view> sources;
  for (const LegalityRow& r : ledger.rows) {
    if (!r.applicable) continue;
    for (const SumBound& b : bounds_of(r.transformation)) {
      std::ostringstream bound;
      bound << std::setprecision(3) << b.at(length);
      rows.push_back({r.transformation, std::string(name_of(b.how)), b.operands.empty() ? "-" : b.operands,
                      std::string(name_of(b.type)), bound.str(), b.formula()});
      if (std::find(sources.begin(), sources.end(), b.source()) == sources.end()) sources.push_back(b.source());
    }
  }
  if (rows.empty()) return;
  std::cout << "rounding of a sum of n terms, of the sum of their magnitudes; n = " << length << "\n\n"
            << table({"transformation", "topology", "factors", "accumulator", "bound", "in symbols"}, rows) << "\n";
  for (std::string_view source : sources) std::cout << source << "\n";
  std::cout << "\n";
}

/// Passes, bytes and workspace: forms that move the same are one line.
void print_memory(const Ledger& ledger) {
  std::vector<std::pair<std::vector<std::string>, std::string>> lines;
  for (const LegalityRow& r : ledger.rows) {
    if (!r.applicable) continue;
    std::vector<std::string> cells;
    for (const Metric& m : r.memory) {
      std::ostringstream text;
      if (m.unit != "bytes" || m.source == Metric::Source::exact) text << std::setprecision(15) << m.value;
      if (m.unit == "bytes" && m.method != "0") text << (text.tellp() > 0 ? " = " : "") << m.method;
      if (m.id.ends_with("per_part")) text << " a part";
      if (cells.size() < 4) cells.push_back(text.str());
    }
    auto at = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == cells; });
    if (at == lines.end()) at = lines.insert(at, {cells, {}});
    at->second += (at->second.empty() ? "" : ", ") + r.transformation;
  }
  std::vector<std::vector<std::string>> rows;
  for (auto& [cells, names] : lines) {
    rows.push_back(std::move(cells));
    rows.back().push_back(names);
  }
  std::cout << "memory\n\n"
            << table({"sweeps", "bytes read", "bytes written", "workspace", "transformations"}, rows) << "\n";
}

int legal_command(const Options& o, const std::stop_token& stop) {
  int status = done;
  auto rules = find_profile(o.profile);
  if (!rules) return report(rules);
  if (!o.guide.empty()) return write_guide(o, *rules, stop);
  if (o.op.empty()) return complain("legal: an operator is needed, or --guide DIR");
  end_at_once();
  auto profile = analysed(o.op, o.name, status, stop);
  if (!profile) return status;
  if (o.matrix) {
    const StrictnessMatrix matrix = strictness_matrix(*profile, *rules);
    if (!o.json) {
      print_matrix(matrix);
      return done;
    }
    nlohmann::json document = to_json(matrix);
    document["schema"] = "aicf.strictness/1";
    document["op"] = profile->canonical->source->name;
    print_json(document);
    return done;
  }
  Sizes sizes{*dtype_from(o.dtype), {}};
  if (!o.shape.empty()) {
    auto dims = parse_shape(o.shape, *profile->canonical->source);
    if (!dims) return report(dims);
    sizes.dims = *dims;
  }
  Ledger ledger = judge(*profile, *rules, sizes);
  const bool sums = !facts_of(*profile).sums.empty();
  if (o.json) {
    nlohmann::json rows = to_json(ledger);
    for (std::size_t k = 0; k < rows.size() && sums; ++k)
      for (const SumBound& b : bounds_of(ledger.rows[k].transformation))
        if (ledger.rows[k].applicable) rows[k]["rounding"]["sums"].push_back(to_json(b, o.length));
    print_json({{"schema", "aicf.legality/1"},
                {"op", profile->canonical->source->name},
                {"structure_hash", to_hex(profile->canonical->structure_hash)},
                {"profile", to_json(*rules)},
                {"ledger", std::move(rows)}});
    return done;
  }
  std::cout << "order " << name_of(rules->order) << ", arithmetic " << name_of(rules->arithmetic) << "\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const LegalityRow& r : ledger.rows)
    rows.push_back({r.allowed      ? "legal"
                    : r.applicable ? "refused"
                                   : "n/a",
                    r.transformation, r.preservation_class, r.value.answer, r.rounding.answer, r.special.answer,
                    kept_orders(r)});
  std::cout << table({"", "transformation", "class", "value", "rounding", "special", "keeps"}, rows) << "\n";
  print_memory(ledger);
  if (sums) print_sum_bounds(ledger, o.length);
  for (const LegalityRow& r : ledger.rows)
    if (!r.allowed) {
      std::cout << r.transformation << ": " << r.reason << "\n";
      if (r.witness) std::cout << "  expected " << r.witness->expected << "; observed " << r.witness->observed << "\n";
      if (!r.smallest_ticks.empty()) std::cout << "  would be legal with " << joined(r.smallest_ticks, ", ") << "\n";
    }
  return done;
}

int ops_command(const Options& o, const std::stop_token& stop) {
  end_at_once();
  auto found = atlas_operator_files();
  if (!found) return report(found.diagnostics, found.missing);
  const std::vector<std::filesystem::path>& files = *found;
  if (o.properties) return property_matrix(files, o.json, stop);
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  int status = done;
  for (const std::filesystem::path& file : files) {
    Result<Definition> d = load_definition(file.string());
    status = std::max(status, report(d, d ? d->text : std::string()));
    if (!d) continue;
    std::string text = d->text, about;
    if (text.starts_with("#")) about = text.substr(1, text.find('\n') - 1);
    about.erase(0, about.find_first_not_of(' '));
    std::string name = file.stem().string();
    Canonical canonical = canonicalize(std::make_shared<const Definition>(std::move(*d)));
    list.push_back({{"name", name},
                    {"file", file.string()},
                    {"about", about},
                    {"dims", canonical.source->dims},
                    {"structure_hash", to_hex(canonical.structure_hash)}});
    rows.push_back({name, joined(canonical.source->dims, ","), about});
  }
  if (o.json)
    print_json({{"schema", "aicf.ops/1"}, {"ops", list}});
  else
    std::cout << table({"operator", "dims", "about"}, rows);
  return status;
}

const RegisterCommand analyze{
    {"analyze", "derive the computation structure of an operator, with certificates", [](CLI::App& app) {
       auto o = operator_options(app);
       app.add_flag("--grad", o->grad, "its vector-Jacobian product as an operator, and the analysis of that");
       return [o](std::stop_token stop) { return analyze_command(*o, stop); };
     }}};
const RegisterCommand legal{
    {"legal", "which transformations keep its meaning, under a compiler profile, and why not", [](CLI::App& app) {
       auto o = operator_options(app);
       app.get_option("operator")->required(false);
       app.add_option("--profile", o->profile, "a profile (JSON or text form), or one of the atlas");
       app.add_option("--guide", o->guide, "a folder for the Preservation Guide: a page a transformation and operator");
       app.add_flag("--matrix", o->matrix, "what survives each point of order and arithmetic, and why not more");
       app.add_option("--shape", o->shape, "sizes of the dims, for bytes in numbers: M=64,N=1000");
       app.add_option("--dtype", o->dtype, "what `float` is, for bytes (default f32)")
           ->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}));
       app.add_option("--length", o->length, "how many terms the bounds of sums are for (default 4096)")
           ->check(CLI::Range(1.0, 1e12));
       return [o](std::stop_token stop) { return legal_command(*o, stop); };
     }}};
const RegisterCommand ops{{"ops", "the operators of the atlas", [](CLI::App& app) {
                             auto o = std::make_shared<Options>();
                             app.add_flag("--json", o->json, "one JSON document on standard output");
                             app.add_flag("--properties", o->properties, "which properties hold for which operator");
                             return [o](std::stop_token stop) { return ops_command(*o, stop); };
                           }}};

} // namespace
} // namespace aicf::cli
