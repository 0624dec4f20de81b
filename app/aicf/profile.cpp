// aicf profile check | convert | diff | schema
#include "app/aicf/command.hpp"

#include <iostream>

namespace aicf::cli {
namespace {

struct Options {
  std::string first, second, to = "json";
  bool json = false;
};

int check(const Options& o) {
  auto profile = find_profile(o.first);
  if (o.json) {
    nlohmann::json problems = nlohmann::json::array();
    for (const Diagnostic& d : profile.diagnostics)
      problems.push_back(
          {{"code", d.code}, {"line", d.at.line}, {"column", d.at.column}, {"message", d.message}, {"hint", d.hint}});
    print_json({{"schema", "aicf.profile-check/1"}, {"valid", profile.value.has_value()}, {"problems", problems}});
    return profile ? done : bad_input;
  }
  if (!profile) return report(profile);
  std::cout << profile->name << ": valid, " << short_hex(hash_of(*profile)) << "\n";
  return done;
}

int convert(const Options& o) {
  auto profile = find_profile(o.first);
  if (!profile) return report(profile);
  if (o.to == "json")
    print_json(to_json(*profile));
  else
    std::cout << to_text(*profile);
  return done;
}

int compare(const Options& o) {
  auto a = find_profile(o.first), b = find_profile(o.second);
  if (!a || !b) return std::max(report(a), report(b));
  std::vector<std::string> lines = diff(*a, *b);
  if (o.json)
    print_json({{"schema", "aicf.profile-diff/1"}, {"differences", lines}});
  else
    for (const std::string& line : lines) std::cout << line << "\n";
  return lines.empty() ? done : negative;
}

const RegisterCommand profile{
    {"profile", "check, convert and compare compiler profiles", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       auto chosen = std::make_shared<std::function<int(const Options&)>>();
       app.require_subcommand(1);
       auto add = [&](const char* name, const char* about, int (*run)(const Options&), int files) {
         CLI::App* sub = app.add_subcommand(name, about);
         if (files > 0)
           sub->add_option("file", o->first, "a profile: JSON or text form, or one of the atlas")->required();
         if (files > 1) sub->add_option("other", o->second, "the profile to compare with")->required();
         sub->callback([chosen, run] { *chosen = run; });
         return sub;
       };
       add("check", "is it a valid profile", check, 1)->add_flag("--json", o->json, "one JSON document");
       add("convert", "to standard output, in the other form", convert, 1)
           ->add_option("--to", o->to, "json or dsl")
           ->required()
           ->check(CLI::IsMember({"json", "dsl"}));
       add("diff", "what differs; exit status 1 when anything does", compare, 2)
           ->add_flag("--json", o->json, "one JSON document");
       add(
           "schema", "the JSON Schema of profiles",
           [](const Options&) {
             print_json(profile_schema());
             return static_cast<int>(done);
           },
           0);
       return [o, chosen](std::stop_token) { return (*chosen)(*o); };
     }}};

} // namespace
} // namespace aicf::cli
