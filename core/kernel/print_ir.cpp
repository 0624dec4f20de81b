#include "core/kernel/print_ir.hpp"

#include <array>
#include <cstdio>
#include <unordered_map>

namespace aicf::ir {
namespace {

class IrText {
 public:
  explicit IrText(const Kernel& kernel) : k(kernel) {}

  std::string run() {
    out_ = "kernel " + k.name + " threads " + std::to_string(k.threads) + " grid " + k.launch.grid[0].text +
           (k.resident_blocks > 0 ? " resident " + std::to_string(k.resident_blocks) : "") + "\n";
    for (const KernelParam& p : k.params) out_ += "  param " + p.name + ": " + std::string(name_of(p.type)) + "\n";
    for (const Buffer& b : k.buffers) buffer(b);
    for (const Barrier& b : k.barriers)
      out_ += "  barrier " + b.name + " stages " + std::to_string(b.stages) + " arrivals " +
              std::to_string(b.arrivals) + "\n";
    region(k.body, 1);
    return std::move(out_);
  }

 private:
  const Kernel& k;
  std::string out_;
  std::unordered_map<NodeId, int> number_;

  std::string id(NodeId node) { // numbered in the order of the text, so that what a pass removes leaves no gaps
    return "%" + std::to_string(number_.try_emplace(node, static_cast<int>(number_.size())).first->second);
  }

  void buffer(const Buffer& b) {
    static constexpr std::array<const char*, 4> spaces{"global", "shared", "reg", "fragment"};
    out_ += "  buffer " + b.name + ": " + spaces.at(static_cast<std::size_t>(b.space)) + " " +
            std::string(b.computed ? name_of(b.type) : name_of(b.dtype)) + "[";
    for (std::size_t i = 0; i < b.layout.shape.size(); ++i)
      out_ += (i == 0 ? "" : ", ") + std::to_string(b.layout.shape[i]);
    out_ += "]";
    if (b.stages > 1) out_ += " stages " + std::to_string(b.stages);
    if (b.layout.swizzle.bits != 0)
      out_ += " swizzle(" + std::to_string(b.layout.swizzle.bits) + ", " + std::to_string(b.layout.swizzle.base) +
              ", " + std::to_string(b.layout.swizzle.shift) + ")";
    out_ += "\n";
  }

  std::string list(const std::vector<NodeId>& ids) {
    std::string text = "(";
    for (std::size_t i = 0; i < ids.size(); ++i) text += (i == 0 ? "" : ", ") + id(ids[i]);
    return text + ")";
  }

  std::string number(double v) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g", v);
    return text.data();
  }

  std::string attributes(const Node& n) {
    switch (n.code) {
    case Code::constant: return " " + number(n.number);
    case Code::param: return " " + k.params[n.index].name;
    case Code::apply: {
      std::string name(name_of(n.op));
      return " " + (n.op == Op::neg ? "neg" : name) + (n.accuracy == Accuracy::fast ? " fast" : "");
    }
    case Code::extreme: return " " + std::string(name_of(n.op)) + " " + k.buffers[n.buffer].name;
    case Code::round: return " " + std::string(name_of(n.dtype));
    case Code::result:
    case Code::wait_group: return " " + std::to_string(n.index);
    case Code::shuffle:
      return n.shuffle == Shuffle::exchange ? " exchange" : n.shuffle == Shuffle::down ? " down" : " broadcast";
    case Code::note: return " [" + n.rule + "] " + n.comment;
    case Code::loop:
      return " " + std::string(name_of(n.binding)) + (n.unroll ? " unroll" : "") + (n.halving ? " halving" : "");
    case Code::role:
      return " " + n.name + " warps " + std::to_string(n.first) + " … " + std::to_string(n.first + n.count) +
             (n.registers != 0 ? " registers " + std::to_string(n.registers) : "");
    case Code::reduce:
    case Code::sync:
      return std::string(n.scope == Scope::warp    ? " warp"
                         : n.scope == Scope::block ? " block"
                                                   : " cluster") +
             (n.meeting == Meeting::arrive ? " arrive"
              : n.meeting == Meeting::wait ? " wait"
                                           : "");
    case Code::copy:
      return " " + std::to_string(n.width) + " " + k.buffers[n.buffer].name + " <- " + k.buffers[n.source].name +
             (n.transfer == Transfer::async  ? " async"
              : n.transfer == Transfer::bulk ? " bulk"
                                             : "");
    case Code::mma:
      return " " + k.buffers[n.buffer].name + " += " + k.buffers[n.source].name + " * " + k.buffers[n.source2].name;
    case Code::arrive:
    case Code::wait: return " " + k.barriers[n.barrier].name;
    default: return n.buffer == none ? "" : " " + k.buffers[n.buffer].name;
    }
  }

  void region(const Region& r, int depth) {
    std::string indent(2 * static_cast<std::size_t>(depth), ' ');
    for (NodeId node : r.body) {
      const Node& n = k.nodes[node];
      std::string value = is_statement(n.code) ? "" : id(node).append(": ").append(name_of(n.type)).append(" = ");
      std::string args = n.args.empty() ? "" : " " + list(n.args);
      out_ += indent;
      out_ += value;
      out_ += name_of(n.code);
      out_ += attributes(n);
      out_ += args;
      for (const Region& inner : n.regions) {
        out_ += " {" + (inner.params.empty() ? "" : " " + list(inner.params)) + "\n";
        region(inner, depth + 1);
        if (!inner.results.empty()) out_ += indent + "  give " + list(inner.results) + "\n";
        out_ += indent + "}";
      }
      out_ += "\n";
    }
  }
};

} // namespace

std::string print_ir(const Kernel& kernel) { return IrText(kernel).run(); }

} // namespace aicf::ir
