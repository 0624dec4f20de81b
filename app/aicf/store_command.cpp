// aicf store: what the evidence store holds and how large it is, stores of other machines merged into it, rows that
// have had their time taken out, and its own checks.
#include "app/aicf/command.hpp"
#include "core/evidence/store.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

struct Options {
  bool json = false, dry = false;
  std::vector<std::string> files;
  Store::Retention retention;
};

int info(const Options& o) {
  auto store = Store::open(Store::default_path());
  if (!store) return report(store);
  auto sizes = store->sizes();
  if (!sizes) return report(sizes);
  if (o.json) {
    json kinds = json::object(), artefacts = json::object();
    for (const auto& [kind, r] : sizes->kinds)
      kinds[kind] = {{"rows", r.rows}, {"metrics", r.metrics}, {"oldest", r.oldest}, {"newest", r.newest}};
    for (const auto& [kind, k] : sizes->artefacts) artefacts[kind] = {{"count", k.count}, {"bytes", k.bytes}};
    print_json({{"path", Store::default_path().string()},
                {"schema", sizes->schema},
                {"file_bytes", sizes->file_bytes},
                {"free_bytes", sizes->free_bytes},
                {"kinds", kinds},
                {"artefacts", artefacts}});
    return done;
  }
  std::cout << Store::default_path().string() << ": schema " << sizes->schema << ", " << sizes->file_bytes
            << " bytes, of which " << sizes->free_bytes << " are free\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kind, r] : sizes->kinds)
    rows.push_back({kind, std::to_string(r.rows), std::to_string(r.metrics), r.oldest, r.newest});
  if (!rows.empty()) std::cout << table({"rows of kind", "rows", "metrics", "oldest", "newest"}, rows);
  rows.clear();
  for (const auto& [kind, k] : sizes->artefacts)
    rows.push_back({kind, std::to_string(k.count), std::to_string(k.bytes)});
  if (!rows.empty()) std::cout << table({"artefacts of kind", "count", "bytes"}, rows);
  return done;
}

int merge(const Options& o) {
  auto store = Store::open(Store::default_path());
  if (!store) return report(store);
  json list = json::array();
  bool whole = true;
  for (const std::string& file : o.files) {
    auto merged = store->merge(file);
    if (!merged) return report(merged);
    whole = whole && merged->damaged == 0;
    list.push_back({{"file", file}, {"added", merged->added}, {"known", merged->known}, {"damaged", merged->damaged}});
    if (!o.json)
      std::cout << file << ": " << merged->added << " rows added, " << merged->known << " were here, "
                << merged->damaged << " are damaged and left out\n";
  }
  if (o.json) print_json({{"merged", list}});
  return whole ? done : negative;
}

int prune(const Options& o) {
  auto store = Store::open(Store::default_path());
  if (!store) return report(store);
  Store::Retention retention = o.retention;
  retention.only_count = o.dry;
  auto pruned = store->prune(retention);
  if (!pruned) return report(pruned);
  if (o.json)
    print_json({{"rows", pruned->rows},
                {"artefacts", pruned->artefacts},
                {"artefact_bytes", pruned->artefact_bytes},
                {"dry_run", o.dry}});
  else
    std::cout << pruned->rows << " rows and " << pruned->artefacts << " artefacts (" << pruned->artefact_bytes
              << " bytes) " << (o.dry ? "would go" : "are gone") << "\n";
  return done;
}

int verify(const Options& o) {
  auto store = Store::open(Store::default_path());
  if (!store) return report(store);
  auto problems = store->integrity_check();
  if (!problems) return report(problems);
  if (o.json) print_json({{"problems", *problems}});
  if (!o.json)
    for (const std::string& problem : *problems) std::cout << problem << "\n";
  if (!o.json && problems->empty()) std::cout << "nothing is wrong\n";
  return problems->empty() ? done : negative;
}

const RegisterCommand command{
    {"store", "the evidence store: what it holds, merge, retention, checks", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       auto what = std::make_shared<int (*)(const Options&)>(nullptr);
       app.require_subcommand(1);
       auto add = [&](const char* name, const char* text, int (*verb)(const Options&)) {
         CLI::App* sub = app.add_subcommand(name, text);
         sub->add_flag("--json", o->json, "one JSON document on standard output");
         sub->callback([what, verb] { *what = verb; });
         return sub;
       };
       add("info", "rows, artefacts and sizes by kind", info);
       add("check", "SQLite's own checks, references, and the hashes of all rows and artefacts", verify);
       add("merge", "add the rows of other stores; what is here already is left alone", merge)
           ->add_option("files", o->files, "other stores; they are only read")
           ->required();
       CLI::App* old = add("prune", "take out old rows, and artefacts that nothing refers to any more", prune);
       old->add_option("--before", o->retention.before, "only rows that began before: 2026-01-31")->required();
       old->add_option("--keep", o->retention.keep, "but keep so many of each key, the newest (1 unless said)")
           ->default_val(1);
       old->add_option("--kind", o->retention.kind, "only rows of this kind");
       old->add_flag("--dry-run", o->dry, "only say what would go");
       return [o, what](const std::stop_token&) { return (*what)(*o); };
     }}};

} // namespace
} // namespace aicf::cli
