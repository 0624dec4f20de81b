#include "core/kernel/assign_names.hpp"

#include "core/kernel/walk.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>

namespace aicf::ir {
namespace {

constexpr int longest_expression = 8;    ///< operations in one statement
constexpr std::size_t longest_look = 64; ///< nodes between a load and the statement that may print it

/// Words that no name may be: of C++, of CUDA, and of the text around the kernel.
constexpr std::array<std::string_view, 84> reserved{
    "alignas",   "asm",      "auto",    "bool",     "break",   "case",      "catch",  "char",     "class",  "const",
    "continue",  "default",  "delete",  "do",       "double",  "else",      "enum",   "explicit", "export", "extern",
    "false",     "float",    "for",     "friend",   "goto",    "if",        "inline", "int",      "long",   "mutable",
    "namespace", "new",      "nullptr", "operator", "private", "protected", "public", "register", "return", "short",
    "signed",    "sizeof",   "static",  "struct",   "switch",  "template",  "this",   "throw",    "true",   "try",
    "typedef",   "typename", "union",   "unsigned", "using",   "virtual",   "void",   "volatile", "while",  "bf16",
    "f16",       "expf",     "exp",     "log",      "logf",    "sin",       "cos",    "tanh",     "erf",    "pow",
    "sqrt",      "floor",    "ceil",    "rint",     "fabs",    "min",       "max",    "abs",      "sign",   "threadIdx",
    "blockIdx",  "nan",      "inf",     "atan"};

class Naming {
 public:
  explicit Naming(Kernel& kernel)
      : k(kernel), uses_(kernel.nodes.size()), home_(kernel.nodes.size()), name_hint_(kernel.nodes.size()),
        crossed_(kernel.nodes.size(), false), at_(kernel.nodes.size(), none) {}

  void run() {
    for (NodeId id = 0; id < k.nodes.size(); ++id) {
      name_hint_[id] = k.nodes[id].name;
      if (k.nodes[id].code != Code::role) k.nodes[id].name.clear();
    }
    locate(k.body, none, 0, 0);
    decide(k.body);
    limit_sizes();
    name_everything();
  }

 private:
  struct Home {
    NodeId owner = none; ///< of the region that the node stands in
    std::size_t region = 0;
    std::size_t index = 0; ///< there
    int depth = 0;         ///< iterating loops around it
  };
  Kernel& k;
  std::vector<std::vector<NodeId>> uses_;
  std::vector<Home> home_;
  std::vector<std::string> name_hint_;
  std::set<NodeId> inlined_;
  std::vector<bool> crossed_; ///< of an inlined value: it is printed inside a region of that statement
  std::vector<NodeId> at_;    ///< of an inlined value: the statement that prints it
  std::set<std::string> taken_;

  void locate(const Region& region, NodeId owner, std::size_t which, int depth) {
    for (std::size_t i = 0; i < region.body.size(); ++i) {
      NodeId id = region.body[i];
      const Node& n = k.nodes[id];
      home_[id] = {owner, which, i, depth};
      // The extent of a loop over hardware coordinates is the launch's: it is not printed.
      if (n.code != Code::loop || iterates(n))
        for (NodeId a : n.args) uses_[a].push_back(id);
      for (std::size_t r = 0; r < n.regions.size(); ++r) locate(n.regions[r], id, r, depth + (iterates(n) ? 1 : 0));
    }
    for (NodeId a : region.results) uses_[a].push_back(owner);
  }

  static bool always_inline(const Node& n) {
    return n.code == Code::constant || n.code == Code::param || n.code == Code::var;
  }

  /// From the last statement to the first: where a value is printed depends on where its user is.
  void decide(const Region& region) {
    for (std::size_t i = region.body.size(); i-- > 0;) {
      NodeId id = region.body[i];
      for (const Region& inner : k.nodes[id].regions) decide(inner);
      const Node& n = k.nodes[id];
      if (is_statement(n.code)) continue;
      NodeId at = always_inline(n) ? id : printed_with(id);
      if (at == none) continue;
      inlined_.insert(id);
      at_[id] = at;
    }
  }

  /// The statement in the region of `id` that its only use is printed in; none: it has to be its own.
  [[nodiscard]] NodeId printed_with(NodeId id) {
    const Node& n = k.nodes[id];
    if (n.code == Code::load && is_variable(k.buffers[n.buffer])) return variable_read(id, n.buffer);
    if (uses_[id].size() != 1 || n.code == Code::view || n.code == Code::shuffle) return none;
    NodeId at = uses_[id][0];
    if (at == none) return none;
    bool crossed = inlined_.contains(at) && crossed_[at];
    if (inlined_.contains(at)) at = at_[at];
    while (home_[at].owner != home_[id].owner || home_[at].region != home_[id].region) {
      crossed = true;
      at = home_[at].owner;
      if (at == none || iterates(k.nodes[at])) return none;
    }
    crossed_[id] = crossed;
    if (n.code != Code::load && n.code != Code::extreme) return at;
    if (crossed || home_[at].index - home_[id].index > longest_look) return none;
    const Region& region = region_of(k, home_[id].owner, home_[id].region);
    for (std::size_t i = home_[id].index + 1; i < home_[at].index; ++i)
      if (changes(region.body[i], n.buffer)) return none;
    return at;
  }

  static bool is_variable(const Buffer& b) { return b.space == Space::reg && b.computed && b.layout.shape.empty(); }

  /// A variable is read by its name, however often, as long as it does not change before the last use.
  [[nodiscard]] NodeId variable_read(NodeId id, BufferId buffer) {
    NodeId last = none;
    for (NodeId user : uses_[id]) {
      if (user == none) return none;
      bool crossed = inlined_.contains(user) && crossed_[user];
      NodeId at = inlined_.contains(user) ? at_[user] : user;
      while (home_[at].owner != home_[id].owner || home_[at].region != home_[id].region) {
        crossed = true;
        at = home_[at].owner;
        if (at == none) return none;
      }
      if (home_[at].index - home_[id].index > longest_look || (crossed && changes(at, buffer))) return none;
      if (last == none || home_[last].index < home_[at].index) last = at;
    }
    if (last == none) return none;
    const Region& region = region_of(k, home_[id].owner, home_[id].region);
    for (std::size_t i = home_[id].index + 1; i < home_[last].index; ++i)
      if (changes(region.body[i], buffer)) return none;
    return last;
  }

  [[nodiscard]] bool changes(NodeId id, BufferId buffer) const {
    const Node& n = k.nodes[id];
    if (is_statement(n.code) && n.code != Code::alloc && n.buffer == buffer) return true; // its target
    bool memory = k.buffers[buffer].space == Space::shared;
    if (memory && (n.code == Code::sync || n.code == Code::wait || n.code == Code::wait_group)) return true;
    for (const Region& r : n.regions)
      for (NodeId inner : r.body)
        if (changes(inner, buffer)) return true;
    return false;
  }

  /// What grows too long becomes a statement; its parts then stand where it does, which is earlier and as good.
  void limit_sizes() {
    std::vector<int> size(k.nodes.size(), 0);
    for_each_node(k, [&](NodeId id) {
      const Node& n = k.nodes[id];
      int total = always_inline(n) ? 0 : 1;
      for (NodeId a : n.args) total += inlined_.contains(a) ? size[a] : 0;
      size[id] = total;
      if (total > longest_expression && inlined_.contains(id)) inlined_.erase(id);
    });
  }

  static std::string cleaned(std::string_view text) {
    std::string out;
    for (char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "v" + out;
    return out;
  }

  std::string unique(std::string_view wish) {
    std::string base = cleaned(wish), name = base;
    bool word = std::find(reserved.begin(), reserved.end(), name) != reserved.end();
    for (int i = word ? 1 : 2; word || taken_.contains(name); ++i, word = false) name = base + "_" + std::to_string(i);
    taken_.insert(name);
    return name;
  }

  [[nodiscard]] std::string wish(NodeId id) const {
    const Node& n = k.nodes[id];
    if (!name_hint_[id].empty()) return name_hint_[id];
    switch (n.code) {
    case Code::view: return k.buffers[n.buffer].name + "_row";
    case Code::load: return k.buffers[n.buffer].name + "_value";
    case Code::extreme: return k.buffers[n.buffer].name + "_" + std::string(name_of(n.op));
    case Code::shuffle: {
      const Node& from = k.nodes[n.args[0]];
      return from.code == Code::load ? k.buffers[from.buffer].name + "_other" : "other";
    }
    default: break;
    }
    if (n.type == Type::pred) return "is";
    return is_real(n.type) ? "t" : "i";
  }

  void name_everything() {
    std::string entry = cleaned(k.name);
    bool word = std::find(reserved.begin(), reserved.end(), entry) != reserved.end();
    k.name = word ? entry + "_kernel" : entry;
    taken_.insert(k.name);
    for (Buffer& b : k.buffers)
      if (b.space == Space::global) b.name = unique(b.name);
    for (KernelParam& p : k.params) p.name = unique(p.name);
    for (Buffer& b : k.buffers)
      if (b.space == Space::shared) b.name = unique(b.name);
    for (Barrier& b : k.barriers) b.name = unique(b.name);
    name_region(k.body);
  }

  /// Names live as long as their region: loops side by side may both count `e`.
  void name_region(Region& region) {
    std::set<std::string> outside = taken_;
    for (NodeId p : region.params) k.nodes[p].name = unique(name_hint_[p].empty() ? "i" : name_hint_[p]);
    for (NodeId id : region.body) {
      const Node& n = k.nodes[id];
      if (n.code == Code::alloc && k.buffers[n.buffer].space != Space::shared)
        k.buffers[n.buffer].name = unique(k.buffers[n.buffer].name);
      if (!is_statement(n.code) && !inlined_.contains(id) && !uses_[id].empty()) k.nodes[id].name = unique(wish(id));
      for (Region& inner : k.nodes[id].regions) name_region(inner);
    }
    taken_ = std::move(outside);
  }
};

} // namespace

void assign_names(Kernel& kernel) { Naming(kernel).run(); }

} // namespace aicf::ir
