#include "core/expr/check.hpp"

#include "core/expr/check_build.hpp"
#include "core/expr/check_graph.hpp"
#include "core/expr/check_op.hpp"
#include "core/lang/parser.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace aicf {
namespace {

using check::FileScope;
using lang::Step;

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

/// A reducer's expressions are made of its two parameters and numbers.
void check_reducer(FileScope& scope, const lang::ReducerNode& node) {
  lang::Problems& problems = *scope.problems;
  std::size_t before = problems.errors();
  if (node.first == node.second)
    problems.error("lang.shadowing", node.at,
                   "both parameters of " + quoted(scope.file->names[node.name]) + " have one name");
  for (const lang::Expression* e : {&node.combine, &node.identity}) {
    for (std::uint32_t i = e->begin; i < e->end; ++i) {
      const lang::Item& it = scope.file->items[i];
      bool parameter = it.step == Step::name && e == &node.combine && (it.name == node.first || it.name == node.second);
      bool free = it.step == Step::integer || it.step == Step::real || it.step == Step::constant ||
                  it.step == Step::operation || it.step == Step::function || it.step == Step::unknown;
      if (parameter || free) continue;
      if (it.step == Step::name) {
        problems.error("lang.unknown-name", it.at, "unknown name " + quoted(scope.file->names[it.name]),
                       e == &node.combine ? "a reducer sees its two parameters only" : "an identity is a constant");
      } else {
        problems.error("lang.reducer", it.at, "a reducer is made of its parameters, numbers and functions");
        break;
      }
    }
  }
  if (problems.errors() == before) {
    lang::OpNode none;
    check::State state(scope, none);
    if (check::Builder(state).reducer(node.name)) return;
  }
  scope.wrong_reducers.insert(node.name);
}

void check_reducers(FileScope& scope) {
  for (std::uint32_t r = 0; r < scope.file->reducers.size(); ++r) {
    const lang::ReducerNode& node = scope.file->reducers[r];
    if (node.name == lang::no_name) continue;
    auto [first, fresh] = scope.reducers.try_emplace(node.name, r);
    if (!fresh)
      scope.problems->error("lang.double", node.at,
                            "the reducer " + quoted(scope.file->names[node.name]) + " is already defined (" +
                                scope.source->where(scope.file->reducers[first->second].at) + ")");
    if (node.broken) {
      scope.wrong_reducers.insert(node.name);
    } else if (fresh) {
      check_reducer(scope, node);
    }
  }
}

void name_operators(FileScope& scope) {
  for (std::uint32_t i = 0; i < scope.file->ops.size(); ++i) {
    const lang::OpNode& op = scope.file->ops[i];
    if (op.name == lang::no_name) continue;
    auto [first, fresh] = scope.ops.try_emplace(op.name, i);
    if (!fresh)
      scope.problems->error("lang.double", op.at,
                            "the operator " + quoted(scope.file->names[op.name]) + " is already defined (" +
                                scope.source->where(scope.file->ops[first->second].at) + ")");
  }
}

/// Callees first; those that call themselves, through others or not, are reported and left out.
void check_operators(FileScope& scope) {
  const std::vector<lang::OpNode>& ops = scope.file->ops;
  std::vector<std::vector<std::uint32_t>> calls;
  calls.reserve(ops.size());
  for (const lang::OpNode& op : ops) calls.push_back(check::callees(scope, op));
  scope.checked.resize(ops.size());
  for (const auto& component : check::strong_components(calls)) {
    std::uint32_t first = component[0];
    if (component.size() > 1 || std::binary_search(calls[first].begin(), calls[first].end(), first)) {
      scope.problems->error("lang.recursion", ops[first].at,
                            quoted(scope.file->names[ops[first].name]) + " calls itself" +
                                (component.size() > 1 ? ", through others" : ""),
                            "operators are inlined and cannot be recursive");
      continue;
    }
    if (ops[first].name != lang::no_name) scope.checked[first] = check::check_op(scope, ops[first]);
  }
}

std::shared_ptr<Definition> choose(FileScope& scope, const std::optional<std::string>& op) {
  const std::vector<lang::OpNode>& ops = scope.file->ops;
  if (!op) {
    if (!ops.empty()) return scope.checked.back();
    scope.problems->error("lang.no-operator", {}, "there is no operator in the text");
    return nullptr;
  }
  for (std::size_t i = ops.size(); i-- > 0;)
    if (ops[i].name != lang::no_name && scope.file->names[ops[i].name] == *op) return scope.checked[i];
  lang::Nearest nearest(*op);
  for (std::size_t i = 0; i < ops.size() && i < 1000; ++i)
    if (ops[i].name != lang::no_name) nearest.offer(scope.file->names[ops[i].name]);
  scope.problems->error("lang.no-operator", {}, "there is no operator " + quoted(*op) + " in the text", nearest.hint());
  return nullptr;
}

} // namespace

Result<Definition> parse_definition(std::string_view text, std::string_view file,
                                    const std::optional<std::string>& op) {
  if (text.size() > lang::Source::limit)
    return error("lang.too-large", "the text is longer than 256 MiB", Span{std::string(file)});
  lang::Source source(text, file);
  lang::Problems problems(source);
  lang::File parsed = lang::parse(source, problems);
  FileScope scope;
  scope.file = &parsed;
  scope.source = &source;
  scope.problems = &problems;
  check_reducers(scope);
  name_operators(scope);
  check_operators(scope);
  std::shared_ptr<Definition> chosen;
  if (problems.errors() == 0) chosen = choose(scope, op);
  Result<Definition> result;
  if (chosen && problems.errors() == 0) {
    result.value = std::move(*chosen);
    result.value->text = text;
  }
  result.diagnostics = problems.diagnostics();
  return result;
}

Result<Definition> load_definition(const std::string& path, const std::optional<std::string>& op) {
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode))
    return error("lang.file", "it is a folder", Span{path});
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in.is_open() || in.bad() || text.bad()) {
    std::string reason = errno != 0 ? std::strerror(errno) : "cannot be read";
    return error("lang.file", reason, Span{path});
  }
  return parse_definition(text.str(), path, op);
}

} // namespace aicf
