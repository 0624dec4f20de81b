// Which functions an entry needs, in which order, and which of them one thread may enter again before they return.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>
#include <set>

namespace aicf::emulator {
namespace {

using ptx::Operand;

constexpr std::size_t max_work = std::size_t{1} << 26; ///< functions held against calls by address

} // namespace

/// call[.uni] [(results),] target[, (arguments)][, prototype or list of targets]
CallOperands call_operands(const ptx::Instruction& i) {
  CallOperands c;
  const auto& o = i.operands;
  std::size_t n = 0;
  if (n < o.size() && o[n].kind == Operand::Kind::vector) c.results = &o[n++];
  if (n < o.size()) c.target = &o[n++];
  if (n < o.size() && o[n].kind == Operand::Kind::vector) c.arguments = &o[n];
  return c;
}

bool may_call(const ptx::Function& caller, const CallOperands& call, const ptx::Function& f) {
  if (f.params.size() != item_count(call.arguments) || f.results.size() < item_count(call.results)) return false;
  const auto same = [&](const Operand& mine, std::int32_t theirs) {
    return theirs >= 0 && mine.kind == Operand::Kind::variable && mine.index >= 0 &&
           caller.variables[static_cast<std::size_t>(mine.index)].bytes >=
               f.variables[static_cast<std::size_t>(theirs)].bytes;
  };
  for (std::size_t k = 0; k < item_count(call.arguments); ++k)
    if (!same(call.arguments->items[k], f.params[k])) return false;
  for (std::size_t k = 0; k < item_count(call.results); ++k)
    if (!same(call.results->items[k], f.results[k])) return false;
  return true;
}

/// The defined functions whose address a mov or an initialiser takes.
void Lowering::take_addresses() {
  std::set<std::size_t> seen;
  const auto add = [&](std::string_view name) {
    const auto found = function_named_.find(name);
    if (found == function_named_.end()) return;
    const ptx::Function& f = module_.functions[found->second];
    if (!f.entry && f.defined && seen.insert(found->second).second) addressed_.push_back(found->second);
  };
  for (const ptx::Function& f : module_.functions)
    for (const Instruction& i : f.body)
      if (i.parts[0] == "mov")
        for (const Operand& o : i.operands)
          if (o.kind == Operand::Kind::function) add(o.name);
  for (const ptx::Variable& v : module_.variables)
    for (const ptx::Relocation& r : v.relocations) add(r.symbol);
}

/// The functions of the text that `caller` may call, by name or by address.
std::vector<std::size_t> Lowering::callees(std::size_t caller, std::size_t& work) const {
  std::vector<std::size_t> all;
  std::vector<bool> seen(module_.functions.size(), false);
  const auto add = [&](std::size_t g) {
    if (!seen[g]) all.push_back(g);
    seen[g] = true;
  };
  const ptx::Function& f = module_.functions[caller];
  for (const Instruction& i : f.body) {
    if (i.parts[0] != "call" || work > max_work) continue;
    const CallOperands call = call_operands(i);
    if (call.target == nullptr) continue;
    if (call.target->kind == Operand::Kind::function) {
      const auto callee = function_named_.find(call.target->name);
      if (callee == function_named_.end()) continue;
      const ptx::Function& g = module_.functions[callee->second];
      if (g.defined && !g.entry) add(callee->second);
    } else if (call.target->kind == Operand::Kind::reg) {
      work += addressed_.size();
      for (const std::size_t g : addressed_)
        if (!seen[g] && may_call(f, call, module_.functions[g])) add(g);
    }
  }
  work += all.size();
  return all;
}

/// Strongly connected components of the calls, callees first (Tarjan 1972, with a stack of its own); false: too many.
bool Lowering::order_component(std::size_t root, CallOrder& order) {
  constexpr auto unseen = CallOrder::unseen, closed = CallOrder::closed;
  struct Frame {
    std::size_t function, next;
    std::vector<std::size_t> callees;
  };
  std::vector<Frame> frames;
  const auto open = [&](std::size_t f) {
    order.number[f] = order.lowest[f] = order.opened++;
    order.stack.push_back(f);
    frames.push_back({f, 0, callees(f, order.work)});
  };
  if (order.number[root] != unseen) return true;
  open(root);
  while (!frames.empty()) {
    if (order.work > max_work) {
      errors_.push_back(error("ptx.size", "calls by address may reach too many functions",
                              Span{"ptx", module_.functions[frames.back().function].line, 0, 0}));
      return false;
    }
    Frame& top = frames.back();
    const std::size_t f = top.function;
    if (top.next < top.callees.size()) {
      const std::size_t g = top.callees[top.next++];
      if (g == f) order.recursive[f] = true;
      if (order.number[g] == unseen)
        open(g);
      else if (order.number[g] != closed)
        order.lowest[f] = std::min(order.lowest[f], order.number[g]);
      continue;
    }
    frames.pop_back();
    if (!frames.empty()) {
      auto& below = order.lowest[frames.back().function];
      below = std::min(below, order.lowest[f]);
    }
    if (order.lowest[f] != order.number[f]) continue;
    const bool several = order.stack.back() != f;
    for (bool last = false; !last;) {
      const std::size_t g = order.stack.back();
      order.stack.pop_back();
      last = g == f;
      order.number[g] = closed;
      order.component[g] = order.components;
      order.recursive[g] = order.recursive[g] || several;
      order.functions.push_back(g);
    }
    ++order.components;
  }
  return true;
}

bool Lowering::order_functions(std::string_view entry, CallOrder& order) {
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    auto [it, fresh] = function_named_.try_emplace(module_.functions[i].name, i);
    if (!fresh && module_.functions[i].defined) it->second = i;
  }
  const auto found = function_named_.find(entry);
  if (found == function_named_.end() || !module_.functions[found->second].entry ||
      !module_.functions[found->second].defined) {
    errors_.push_back(error("ptx.entry", "the PTX text has no entry '" + std::string(entry) + "'"));
    return false;
  }
  const std::size_t n = module_.functions.size();
  order.number.assign(n, CallOrder::unseen);
  order.lowest.assign(n, 0);
  order.component.assign(n, 0);
  order.recursive.assign(n, false);
  // What may be called by address comes first, so that whoever calls comes after it.
  take_addresses();
  for (const std::size_t f : addressed_)
    if (!order_component(f, order)) return false;
  return order_component(found->second, order);
}

} // namespace aicf::emulator
