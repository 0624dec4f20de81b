#include "core/kernel/lower_collectives.hpp"

#include "core/kernel/walk.hpp"

#include <stdexcept>

namespace aicf::ir {
namespace {

/// The lane variable of the row around a node: the block's thread number, or the lane of a warp.
struct Lanes {
  NodeId thread = none; ///< of a loop bound to the block
  NodeId rank = none;   ///< of the block in its cluster
  NodeId turn = none;   ///< of the loop in time around the meeting
};

class Lowering {
 public:
  Lowering(Builder& builder, const Node& reduce, Lanes lanes) : b(builder), n(reduce), lanes_(lanes) {}

  std::vector<NodeId> run() {
    if (n.scope == Scope::warp) return warp(n.args);
    if (n.scope == Scope::cluster && b.k.cluster > 1) return cluster();
    return block();
  }

 private:
  Builder& b;
  const Node n;
  Lanes lanes_;
  NodeId stage_ = none; ///< of the parts at hand, where they have several

  std::vector<NodeId> merge(const std::vector<NodeId>& left, const std::vector<NodeId>& right) {
    std::vector<NodeId> both = left;
    both.insert(both.end(), right.begin(), right.end());
    return inline_region(b, n.regions[0], both);
  }

  NodeId exchanged(Shuffle kind, NodeId value, NodeId lane) {
    if (b.type(value) != Type::pred) return b.shuffle(kind, value, lane);
    return b.convert(b.shuffle(kind, b.convert(value, Type::i32), lane), Type::pred);
  }

  std::string name_of_part(std::size_t i, const char* suffix) const {
    const Node& v = b.k.nodes[n.args[i]];
    std::string name = v.code == Code::load ? b.k.buffers[v.buffer].name : v.name;
    return (name.empty() ? "part" : name) + suffix;
  }

  void name(NodeId id, const char* text) {
    if (b.k.nodes[id].name.empty()) b.k.nodes[id].name = text;
  }

  /// Merges over the lanes of the warp: into every lane (exchange) or into lane 0 (down).
  std::vector<NodeId> tree(const std::vector<NodeId>& values, Shuffle kind) {
    std::vector<BufferId> state;
    for (std::size_t i = 0; i < values.size(); ++i) state.push_back(b.variable(name_of_part(i, "_warp"), values[i]));
    NodeId loop = b.loop(
        Binding::sequential, "offset", b.integer(1), b.integer(warp_size / 2),
        [&](NodeId offset) {
          std::vector<NodeId> own = current(state), other;
          for (NodeId v : own) other.push_back(exchanged(kind, v, offset));
          set(state, merge(own, other));
        },
        true);
    b.k.nodes[loop].halving = true;
    return current(state);
  }

  std::vector<NodeId> warp(const std::vector<NodeId>& values) {
    if (n.symmetric) return tree(values, Shuffle::exchange);
    std::vector<NodeId> out = tree(values, Shuffle::down);
    for (NodeId& v : out) v = exchanged(Shuffle::broadcast, v, b.integer(0));
    return out;
  }

  std::vector<NodeId> current(const std::vector<BufferId>& state) {
    std::vector<NodeId> out;
    out.reserve(state.size());
    for (BufferId v : state) out.push_back(b.load(v));
    return out;
  }

  void set(const std::vector<BufferId>& state, const std::vector<NodeId>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) b.store(state[i], {}, values[i]);
  }

  std::vector<NodeId> block() {
    std::uint32_t warps = b.k.threads / warp_size;
    if (warps <= 1) return warp(n.args);
    if (lanes_.thread == none) throw std::logic_error("a block reduction outside of the block's threads");
    std::vector<NodeId> values = tree(n.args, n.symmetric ? Shuffle::exchange : Shuffle::down); // lane 0 hands it on
    NodeId lane = b.remainder(lanes_.thread, b.integer(warp_size)),
           number = b.quotient(lanes_.thread, b.integer(warp_size));
    std::vector<BufferId> parts = shared_parts(values, warps);
    b.branch(b.apply(Op::eq, {lane, b.integer(0)}), [&] {
      for (std::size_t i = 0; i < values.size(); ++i) b.store(parts[i], {number}, values[i]);
    });
    b.sync(Scope::block);
    return warps <= longest_chain ? chain(parts, warps) : second_tree(parts, lane, warps);
  }

  std::vector<BufferId> shared_parts(const std::vector<NodeId>& values, std::uint32_t count, std::uint32_t stages = 1) {
    std::vector<BufferId> parts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      Buffer part;
      part.name = name_of_part(i, "_of_warp"), part.space = Space::shared, part.computed = true;
      part.type = b.type(values[i]), part.layout.shape = {count}, part.stages = stages;
      parts.push_back(b.buffer(std::move(part)));
      b.alloc(parts.back());
    }
    return parts;
  }

  /// Every warp of every block sends its part to all blocks of the cluster, which then merge alike: one meeting. The
  /// parts are counted as they come, by a barrier of the block that they come to. A barrier of the cluster would do,
  /// but its release waits for all that the block has under way in global memory, the row ahead too.
  ///
  /// In a loop, a turn's parts have the place and the barrier of those of two turns before: a peer sends them when it
  /// has all parts of the turn between, which each warp sends after it has read those of two turns before.
  std::vector<NodeId> cluster() {
    std::uint32_t warps = b.k.threads / warp_size, blocks = b.k.cluster, stages = lanes_.turn == none ? 1 : 2;
    if (lanes_.thread == none || lanes_.rank == none)
      throw std::logic_error("a cluster reduction outside of the cluster's threads");
    std::vector<NodeId> values = warp(n.args);
    for (NodeId& v : values)
      if (b.type(v) == Type::pred) v = b.convert(v, Type::i32);
    NodeId lane = b.remainder(lanes_.thread, b.integer(warp_size)),
           number = b.quotient(lanes_.thread, b.integer(warp_size));
    std::vector<BufferId> parts = shared_parts(values, warps * blocks, stages);
    BarrierId met = barrier_of(stages);
    NodeId stage = b.integer(0), parity = b.integer(0);
    if (stages > 1) {
      stage = b.remainder(lanes_.turn, b.integer(stages));
      parity = b.remainder(b.quotient(lanes_.turn, b.integer(stages)), b.integer(2));
      name(stage, "stage"), name(parity, "parity");
      stage_ = stage;
    }
    b.because("cluster_reduce", "each block counts the bytes of the parts that come to it");
    NodeId counts = b.apply(Op::eq, {lanes_.thread, b.integer(0)});
    name(counts, "counts");
    b.branch(counts, [&] {
      std::int64_t bytes = 0;
      for (NodeId v : values) bytes += b.type(v) == Type::f64 || b.type(v) == Type::i64 ? 8 : 4;
      b.expect(met, stage, b.integer(bytes * warps * blocks));
    });
    NodeId hands_on = b.apply(Op::lt, {lane, b.integer(blocks)}); // a lane to each block
    name(lane, "lane_of_warp"), name(hands_on, "hands_on");
    b.branch(hands_on, [&] {
      NodeId place = b.apply(Op::add, {b.apply(Op::mul, {lanes_.rank, b.integer(warps)}), number});
      name(place, "place_of_warp");
      for (std::size_t i = 0; i < values.size(); ++i)
        b.send_peer(parts[i], lane, in_stage(place), values[i], met, stage);
    });
    b.wait(met, stage, parity, Scope::cluster);
    return warps * blocks <= longest_chain ? chain(parts, warps * blocks) : second_tree(parts, lane, warps * blocks);
  }

  BarrierId barrier_of(std::uint32_t stages) {
    b.k.barriers.push_back({name_of_part(0, "_met"), stages, 1});
    return static_cast<BarrierId>(b.k.barriers.size() - 1);
  }

  /// The indices of a part.
  std::vector<NodeId> in_stage(NodeId place) const {
    return stage_ == none ? std::vector{place} : std::vector{stage_, place};
  }

  /// A part as the merge takes it: truth values cross shared memory as integers.
  NodeId part(NodeId loaded, std::size_t i) {
    return b.type(n.args[i]) == Type::pred ? b.convert(loaded, Type::pred) : loaded;
  }

  std::vector<NodeId> chain(const std::vector<BufferId>& parts, std::uint32_t warps) {
    std::vector<BufferId> state;
    for (std::size_t i = 0; i < parts.size(); ++i)
      state.push_back(b.variable(name_of_part(i, "_row"), part(b.load(parts[i], in_stage(b.integer(0))), i)));
    b.loop(
        Binding::sequential, "w", b.integer(1), b.integer(warps),
        [&](NodeId w) {
          std::vector<NodeId> own = current(state), other;
          for (std::size_t i = 0; i < parts.size(); ++i) other.push_back(part(b.load(parts[i], in_stage(w)), i));
          set(state, merge(own, other));
        },
        true);
    return current(state);
  }

  std::vector<NodeId> second_tree(const std::vector<BufferId>& parts, NodeId lane, std::uint32_t count) {
    std::vector<NodeId> values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (count >= warp_size) {
        values.push_back(part(b.load(parts[i], in_stage(lane)), i));
        continue;
      }
      NodeId identity = b.constant(b.k.buffers[parts[i]].type, n.identity.at(i));
      NodeId has = b.apply(Op::lt, {lane, b.integer(count)});
      values.push_back(part(b.guarded_load(parts[i], in_stage(lane), has, identity), i));
    }
    if (count <= warp_size) return warp(values);
    std::vector<BufferId> state; // a power of two, so whole warps of parts
    for (std::size_t i = 0; i < parts.size(); ++i) state.push_back(b.variable(name_of_part(i, "_lane"), values[i]));
    b.loop(
        Binding::sequential, "w", b.integer(1), b.integer(count / warp_size),
        [&](NodeId w) {
          NodeId at = b.apply(Op::add, {b.apply(Op::mul, {w, b.integer(warp_size)}), lane});
          std::vector<NodeId> own = current(state), other;
          for (std::size_t i = 0; i < parts.size(); ++i) other.push_back(part(b.load(parts[i], in_stage(at)), i));
          set(state, merge(own, other));
        },
        true);
    return warp(current(state));
  }
};

void lower_region(Builder& b, NodeId owner, std::size_t region, Lanes lanes, Replacement& with) {
  std::vector<NodeId> old = std::move(region_of(b.k, owner, region).body);
  region_of(b.k, owner, region).body.clear();
  b.inside(owner, region, [&] {
    for (NodeId id : old) {
      const Node& n = b.k.nodes[id];
      if (n.code == Code::result) {
        if (auto found = with.find(id); found != with.end() && b.k.nodes[found->second].name.empty())
          b.k.nodes[found->second].name = b.k.nodes[id].name;
        continue;
      }
      if (n.code == Code::reduce) {
        auto values = Lowering(b, n, lanes).run();
        for (NodeId later : old)
          if (const Node& r = b.k.nodes[later]; r.code == Code::result && r.args[0] == id)
            with[later] = values[r.index];
        continue;
      }
      Lanes inner = lanes;
      if (n.code == Code::loop && n.binding == Binding::block) inner.thread = n.regions[0].params[0];
      if (n.code == Code::loop && n.binding == Binding::cluster) inner.rank = n.regions[0].params[0];
      if (n.code == Code::loop && n.binding == Binding::sequential) inner.turn = n.regions[0].params[0];
      for (std::size_t r = 0; r < b.k.nodes[id].regions.size(); ++r) lower_region(b, id, r, inner, with);
      region_of(b.k, owner, region).body.push_back(id);
    }
  });
}

} // namespace

void lower_collectives(Kernel& kernel) {
  Builder b(kernel);
  Replacement with;
  lower_region(b, none, 0, {}, with);
  replace_uses(kernel, with);
}

} // namespace aicf::ir
