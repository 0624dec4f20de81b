#include "core/kernel/verify.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace aicf::ir {
namespace {

constexpr std::size_t most_reported = 20;

class Verification {
 public:
  explicit Verification(const Kernel& kernel)
      : k(kernel), live_(kernel.nodes.size(), false), varies_(kernel.nodes.size(), Varies::block) {}

  std::vector<std::string> run() {
    for (BufferId b = 0; b < k.buffers.size(); ++b) {
      if (k.buffers[b].space == Space::global) alive_.insert(b);
      if (k.buffers[b].space == Space::fragment) fragment(b);
    }
    for (const Barrier& b : k.barriers)
      if (b.stages == 0 || b.arrivals == 0) fail(none, "barrier " + b.name + " has no stage or no arrival");
    region(k.body, none);
    roles(k.body);
    return std::move(problems_);
  }

 private:
  /// How far a value is the same: for all threads of the block, of the warp, or for none other.
  enum class Varies : std::uint8_t { block, warp, lane };

  const Kernel& k;
  std::vector<bool> live_;
  std::vector<Varies> varies_;
  std::set<BufferId> alive_;
  std::vector<Binding> bound_; ///< hardware loops around
  Varies control_ = Varies::block;
  bool in_role_ = false;
  std::vector<std::string> problems_;

  void fail(NodeId id, const std::string& what) {
    if (problems_.size() >= most_reported) return;
    std::string where =
        id == none ? "" : "%" + std::to_string(id) + " (" + std::string(name_of(k.nodes[id].code)) + "): ";
    problems_.push_back(where + what);
  }

  void fragment(BufferId id) {
    const Buffer& b = k.buffers[id];
    if (!is_bijective(b.fragment))
      fail(none, "fragment " + b.name + ": (lane, register) -> (row, column) is not one to one");
    auto registers = std::int64_t{1} << b.fragment.register_bits.size();
    if (b.layout.shape != std::vector<std::int64_t>{registers})
      fail(none, "fragment " + b.name + " does not have one place a register");
  }

  void region(const Region& r, NodeId owner) {
    std::set<BufferId> alive = alive_;
    for (NodeId p : r.params) live_[p] = true;
    for (NodeId id : r.body) node(id);
    for (NodeId v : r.results)
      if (!live_[v]) fail(owner, "gives a value that its region does not define");
    for (NodeId id : r.body) live_[id] = false;
    for (NodeId p : r.params) live_[p] = false;
    alive_ = std::move(alive);
  }

  void node(NodeId id) {
    const Node& n = k.nodes[id];
    Varies varies = Varies::block;
    for (NodeId a : n.args) {
      if (a >= k.nodes.size() || !live_[a])
        return fail(id, "reads a value that is not defined before it, or not around it");
      if (is_statement(k.nodes[a].code)) {
        if (n.code != Code::result) fail(id, "takes a statement for a value");
      }
      varies = std::max(varies, varies_[a]);
    }
    types(id, n);
    memory(id, n);
    if (n.code == Code::extreme) varies = Varies::lane;
    if (n.code == Code::load && k.buffers[n.buffer].space != Space::global) varies = loaded(n, varies);
    if (n.code == Code::result) varies = k.nodes[n.args[0]].scope == Scope::warp ? Varies::warp : Varies::block;
    if (n.code == Code::shuffle) varies = n.shuffle == Shuffle::down ? Varies::lane : Varies::warp;
    varies_[id] = varies;
    control(id, n, varies);
    live_[id] = true;
  }

  /// Registers belong to a thread: taken to vary, unless shared memory is read at one place.
  Varies loaded(const Node& n, Varies indices) const {
    return k.buffers[n.buffer].space == Space::shared ? indices : Varies::lane;
  }

  void same_types(NodeId id, const Node& n, std::size_t from) {
    for (std::size_t i = from; i + 1 < n.args.size(); ++i)
      if (k.nodes[n.args[i]].type != k.nodes[n.args[i + 1]].type) return fail(id, "operands of different types");
  }

  void expect(NodeId id, const Node& n, std::size_t arg, Type type) {
    if (arg >= n.args.size()) return fail(id, "too few operands");
    if (k.nodes[n.args[arg]].type != type)
      fail(id, "operand " + std::to_string(arg) + " is not " + std::string(name_of(type)));
  }

  void types(NodeId id, const Node& n) {
    switch (n.code) {
    case Code::apply: {
      bool select = n.op == Op::select;
      if (select) expect(id, n, 0, Type::pred);
      same_types(id, n, select ? 1 : 0);
      bool logic = n.op == Op::and_ || n.op == Op::or_ || n.op == Op::not_;
      if (logic) expect(id, n, 0, Type::pred);
      bool truth = logic || n.op == Op::lt || n.op == Op::le || n.op == Op::eq || n.op == Op::ne || n.op == Op::isnan;
      if (truth ? n.type != Type::pred : n.args.empty() || n.type != k.nodes[n.args.back()].type)
        fail(id, "its type is not that of its operands");
      break;
    }
    case Code::fma:
      if (n.args.size() != 3) fail(id, "takes three operands");
      same_types(id, n, 0);
      break;
    case Code::param:
      if (n.index >= k.params.size()) fail(id, "no such parameter");
      break;
    case Code::view: expect(id, n, 0, Type::i64); break;
    case Code::branch:
    case Code::trap: expect(id, n, 0, Type::pred); break;
    case Code::result:
      if (std::size_t{n.index} * 2 >= k.nodes[n.args.at(0)].regions.at(0).params.size()) fail(id, "no such component");
      break;
    case Code::reduce: {
      const Region& r = n.regions.at(0);
      if (r.params.size() != 2 * n.args.size() || r.results.size() != n.args.size() ||
          n.identity.size() != n.args.size())
        return fail(id, "its merge does not take two tuples and give one");
      for (std::size_t i = 0; i < n.args.size(); ++i)
        if (k.nodes[r.results[i]].type != k.nodes[n.args[i]].type) fail(id, "its merge changes a type");
      break;
    }
    case Code::loop:
      if (n.args.size() != 2 || n.regions.size() != 1 || n.regions[0].params.size() != 1) fail(id, "is no loop");
      if (n.binding == Binding::vector && !constants(n)) fail(id, "a packed access has a constant width");
      break;
    default: break;
    }
  }

  [[nodiscard]] bool constants(const Node& n) const {
    return std::all_of(n.args.begin(), n.args.end(), [&](NodeId a) { return k.nodes[a].code == Code::constant; });
  }

  void use(NodeId id, BufferId buffer, std::size_t first_index, const Node& n) {
    if (buffer >= k.buffers.size()) return fail(id, "no such buffer");
    const Buffer& b = k.buffers[buffer];
    if (!alive_.contains(buffer)) fail(id, "uses " + b.name + " outside of its lifetime");
    std::size_t count = index_count(b);
    if (first_index + count > n.args.size()) return fail(id, "too few indices for " + b.name);
    if (b.space == Space::global) {
      const Node& view = k.nodes[n.args[first_index]];
      if (view.code != Code::view || view.buffer != buffer)
        fail(id, "does not address " + b.name + " through a view of it");
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Node& index = k.nodes[n.args[first_index + i]];
      if (is_real(index.type) || index.type == Type::pointer) fail(id, "an index is no integer");
      std::size_t axis = b.stages > 1 ? i - 1 : i;
      std::int64_t extent = b.stages > 1 && i == 0 ? b.stages : b.layout.shape[axis];
      if (index.code == Code::constant && (index.number < 0 || index.number >= static_cast<double>(extent)))
        fail(id, "index " + std::to_string(static_cast<std::int64_t>(index.number)) + " of " + b.name +
                     " is outside of it");
    }
  }

  void memory(NodeId id, const Node& n) {
    switch (n.code) {
    case Code::alloc:
      if (n.buffer >= k.buffers.size()) return fail(id, "no such buffer");
      if (!alive_.insert(n.buffer).second) fail(id, "begins a lifetime twice");
      break;
    case Code::extreme:
      use(id, n.buffer, 0, n);
      if (!is_packed_halves(k.buffers[n.buffer])) fail(id, "no packed group of halves");
      if (n.op != Op::max && n.op != Op::min) fail(id, "neither max nor min");
      break;
    case Code::renew:
      use(id, n.buffer, 0, n);
      if (!is_packed(k.buffers[n.buffer])) fail(id, "no packed group");
      break;
    case Code::load:
      use(id, n.buffer, 0, n);
      if (n.type != k.buffers[n.buffer].type) fail(id, "its type is not that of the buffer");
      break;
    case Code::store:
      use(id, n.buffer, 0, n);
      if (k.nodes[n.args.back()].type != k.buffers[n.buffer].type) fail(id, "stores a value of another type");
      if (k.buffers[n.buffer].space == Space::global && k.buffers[n.buffer].role == Arg::Role::input)
        fail(id, "writes an input");
      break;
    case Code::send_peer:
      if (n.barrier >= k.barriers.size()) return fail(id, "no such barrier");
      stage(id, n.args.at(1), k.barriers[n.barrier].stages);
      [[fallthrough]];
    case Code::store_peer:
      use(id, n.buffer, n.code == Code::send_peer ? 2 : 1, n);
      if (k.buffers[n.buffer].space != Space::shared) fail(id, "a peer's registers cannot be written");
      if (k.nodes[n.args.back()].type != k.buffers[n.buffer].type) fail(id, "stores a value of another type");
      if (std::find(bound_.begin(), bound_.end(), Binding::cluster) == bound_.end()) fail(id, "there is no cluster");
      break;
    case Code::copy: copy(id, n); break;
    case Code::arrive:
    case Code::wait:
      if (n.barrier >= k.barriers.size()) return fail(id, "no such barrier");
      stage(id, n.args.at(0), k.barriers[n.barrier].stages);
      break;
    case Code::mma:
      for (BufferId b : {n.buffer, n.source, n.source2}) {
        if (b >= k.buffers.size() || k.buffers[b].space != Space::fragment)
          return fail(id, "an operand is no fragment");
        if (!alive_.contains(b)) fail(id, "uses " + k.buffers[b].name + " outside of its lifetime");
      }
      if (k.buffers[n.buffer].fragment.rows != k.buffers[n.source].fragment.rows ||
          k.buffers[n.buffer].fragment.columns != k.buffers[n.source2].fragment.columns ||
          k.buffers[n.source].fragment.columns != k.buffers[n.source2].fragment.rows)
        fail(id, "fragments of shapes that do not multiply");
      break;
    default: break;
    }
  }

  void stage(NodeId id, NodeId value, std::uint32_t stages) {
    const Node& s = k.nodes[value];
    if (s.code == Code::constant && (s.number < 0 || s.number >= stages)) fail(id, "a stage that is not there");
  }

  void copy(NodeId id, const Node& n) {
    use(id, n.buffer, 0, n);
    if (n.buffer >= k.buffers.size() || n.source >= k.buffers.size()) return;
    use(id, n.source, index_count(k.buffers[n.buffer]), n);
    if (k.buffers[n.buffer].space == Space::global && k.buffers[n.buffer].role == Arg::Role::input)
      fail(id, "writes an input");
    bool converts = k.buffers[n.source].computed;
    if (!converts && k.buffers[n.buffer].dtype != k.buffers[n.source].dtype) fail(id, "copies between element types");
    if (n.transfer == Transfer::direct) return;
    if (k.buffers[n.buffer].space != Space::shared || k.buffers[n.source].space != Space::global)
      fail(id, "an asynchronous copy goes from global to shared memory");
    std::size_t bytes = n.width * size_of(k.buffers[n.source].dtype);
    if (n.transfer == Transfer::async && bytes % 4 != 0) fail(id, "an asynchronous copy of less than a word");
    if (n.transfer == Transfer::bulk && n.barrier >= k.barriers.size()) fail(id, "a bulk copy without a barrier");
  }

  void control(NodeId id, const Node& n, Varies varies) {
    switch (n.code) {
    case Code::loop: return loop(id, n, varies);
    case Code::branch: return guarded(n, varies);
    case Code::role: {
      bool outer = in_role_;
      in_role_ = true;
      guarded(n, Varies::block); // within a role all its warps come by
      in_role_ = outer;
      return;
    }
    case Code::reduce:
      if (n.scope == Scope::warp ? control_ == Varies::lane : control_ != Varies::block)
        fail(id, "a collective where not all threads of its scope come by");
      if (n.scope == Scope::block && in_role_) fail(id, "a collective of the block inside a role");
      for (const Region& r : n.regions) region(r, id);
      return;
    case Code::shuffle:
      if (control_ == Varies::lane) fail(id, "a shuffle where not all lanes come by");
      return;
    case Code::sync:
      if (n.scope != Scope::warp && (control_ != Varies::block || in_role_))
        fail(id, "a barrier of the block where not all of its threads come by");
      return;
    default: return;
    }
  }

  void guarded(const Node& n, Varies varies) {
    Varies outer = control_;
    control_ = std::max(control_, varies);
    for (const Region& r : n.regions) region(r, none);
    control_ = outer;
  }

  void loop(NodeId id, const Node& n, Varies varies) {
    bool hardware = !iterates(n);
    if (n.regions.empty() || n.regions[0].params.empty()) return;
    Varies own = varies;
    if (hardware) {
      own = n.binding == Binding::lane || n.binding == Binding::block ? Varies::lane
            : n.binding == Binding::warp                              ? Varies::warp
                                                                      : Varies::block;
      for (Binding outer : bound_)
        if (outer >= n.binding || (outer == Binding::block && n.binding > Binding::block))
          fail(id, std::string(name_of(n.binding)) + " inside " + std::string(name_of(outer)));
      bound_.push_back(n.binding);
    }
    varies_[n.regions[0].params[0]] = own;
    Varies outer = control_;
    if (!hardware) control_ = std::max(control_, varies); // a bound that varies: some leave earlier
    region(n.regions[0], id);
    control_ = outer;
    if (hardware) bound_.pop_back();
  }

  /// Roles of one region share the block's warps: each warp has at most one.
  void roles(const Region& r) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> taken;
    for (NodeId id : r.body) {
      const Node& n = k.nodes[id];
      for (const Region& inner : n.regions) roles(inner);
      if (n.code != Code::role) continue;
      if (n.count == 0 || (n.first + n.count) * 32 > k.threads)
        fail(id, "role " + n.name + " has warps that the block has not");
      for (auto [first, count] : taken)
        if (n.first < first + count && first < n.first + n.count)
          fail(id, "role " + n.name + " shares a warp with another");
      taken.emplace_back(n.first, n.count);
    }
  }
};

} // namespace

std::vector<std::string> verify(const Kernel& kernel) { return Verification(kernel).run(); }

void verify_or_throw(const Kernel& kernel, const std::string& pass) {
  auto problems = verify(kernel);
  if (problems.empty()) return;
  std::string text = "kernel IR is broken after " + pass + ":";
  for (const std::string& p : problems) text += "\n  " + p;
  throw std::logic_error(text);
}

} // namespace aicf::ir
