#include "core/kernel/row_sweep.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace aicf::ir {

RowSweep::RowSweep(Builder& builder, const RowForm& form, RowTensors& tensors, RowMapping mapping, Type real)
    : b(builder), f(form), t(tensors), map_(mapping), real_(real) {}

void RowSweep::at_lane(NodeId lane, NodeId length, NodeId aligned, NodeId part) {
  lane_ = lane, length_ = length, aligned_ = aligned, part_ = part;
}

/// Every tile is full: nothing is guarded.
bool RowSweep::exact() const {
  std::int64_t tile = std::int64_t{map_.lanes} * map_.vector * map_.unroll;
  if (tile == 1 && !map_.one_tile) return true;
  return map_.length && *map_.length % tile == 0 && (!map_.one_tile || *map_.length == tile);
}

/// A packed group lies inside the row or outside of it.
bool RowSweep::whole_groups() const { return map_.vector == 1 || (map_.length && *map_.length % map_.vector == 0); }

void RowSweep::tiles(const std::function<void(NodeId)>& body) {
  if (map_.one_tile) return body(b.integer(0));
  std::int64_t tile = std::int64_t{map_.lanes} * map_.vector * map_.unroll;
  NodeId count = map_.length ? b.integer((*map_.length + tile - 1) / tile)
                             : b.quotient(b.apply(Op::add, {length_, b.integer(tile - 1)}), b.integer(tile));
  if (b.known(count) == 1) return body(b.integer(0));
  b.loop(Binding::sequential, "tile", b.integer(0), count, [&](NodeId k) {
    body(b.apply(Op::mul, {k, b.integer(tile)}));
  });
}

void RowSweep::groups(NodeId base, const std::function<void(NodeId, NodeId)>& body) {
  auto one = [&](NodeId u) {
    NodeId first = b.apply(Op::add, {base, b.apply(Op::mul, {u, b.integer(std::int64_t{map_.lanes} * map_.vector)})});
    NodeId lane_start = b.apply(Op::mul, {lane_, b.integer(map_.vector)});
    if (map_.vector > 1) b.k.nodes[lane_start].name = "lane_start";
    first = b.apply(Op::add, {first, lane_start});
    if (first != lane_start && b.k.nodes[first].name.empty()) b.k.nodes[first].name = axis_name() + "_first";
    body(u, first);
  };
  if (map_.unroll == 1) return one(b.integer(0));
  b.loop(Binding::sequential, "v", b.integer(0), b.integer(map_.unroll), one, true);
}

std::string RowSweep::axis_name() const {
  for (const RowOutput& o : f.outputs)
    if (o.along_axis) return f.canonical->outputs[o.output].axis_names[o.axis];
  return f.cascade == nullptr || f.cascade->axis.empty() ? "j" : f.cascade->axis;
}

void RowSweep::lane_elements(NodeId u, NodeId first, const std::function<void(const Position&)>& body) {
  auto one = [&](NodeId e) {
    NodeId j = b.apply(Op::add, {on_axis(first), e});
    if (map_.vector > 1) b.k.nodes[j].name = axis_name();
    if (whole_groups()) return body({u, e, j});
    b.branch(b.apply(Op::lt, {b.apply(Op::add, {first, e}), length_}), [&] { body({u, e, j}); });
  };
  if (map_.vector == 1) return one(b.integer(0));
  b.loop(Binding::vector, "e", b.integer(0), b.integer(map_.vector), one);
}

/// `packed` where the whole group may be moved at once, else `single`, which looks at each element.
void RowSweep::guarded_group(NodeId first, const std::function<void()>& packed, const std::function<void()>& single) {
  if (exact()) return packed();
  if (whole_groups()) {
    b.branch(b.apply(Op::lt, {first, length_}), packed);
    return;
  }
  NodeId fits = b.apply(Op::le, {b.apply(Op::add, {first, b.integer(map_.vector)}), length_});
  NodeId can = b.apply(Op::and_, {aligned_, fits});
  b.branch(can, packed, single);
}

BufferId RowSweep::tile_buffer(std::string name, DType dtype, Type type, bool computed) {
  Buffer buffer;
  buffer.name = std::move(name), buffer.space = Space::reg, buffer.dtype = dtype, buffer.type = type;
  buffer.computed = computed;
  buffer.layout.shape = {map_.unroll, map_.vector};
  BufferId id = b.buffer(std::move(buffer));
  b.alloc(id);
  return id;
}

void RowSweep::stage(ExprId load) {
  const AxisLoad* found = axis_load(f, load);
  if (found == nullptr || !found->inside) return; // a guarded access is evaluated where it is used
  if (!found->of_row) {
    if (map_.vector > 1) alike_.insert(load);
    return;
  }
  const Buffer& source = b.k.buffers[t.input(found->tensor)];
  staged_[load] = {tile_buffer(source.name + "_tile", source.dtype, source.type, false), false};
}

void RowSweep::unstage(ExprId load) { staged_.erase(load), alike_.erase(load); }

/// A packed group lies within one run of memory, whatever the axis.
Address RowSweep::element_of_group(Address first, NodeId e) {
  return {first.pointer, b.apply(Op::add, {first.offset, e}), first.inside};
}

/// Copies one group of a load's elements, whole or element by element.
void RowSweep::move(ExprId load, NodeId first, const std::function<std::vector<NodeId>(NodeId)>& to, BufferId target,
                    bool single, Transfer transfer) {
  auto shared = shared_.find(load);
  auto one = [&](NodeId e) {
    NodeId place = b.apply(Op::add, {first, e});
    auto copy = [&] {
      if (shared != shared_.end() && shared->second.buffer != target) {
        b.copy(target, to(e), shared->second.buffer, {shared->second.row, place}, 1);
        return;
      }
      const AxisLoad* found = axis_load(f, load);
      bool in_run = !f.parts.empty() && found != nullptr && found->unit_stride;
      Address a = in_run ? element_of_group(t.axis_address(load, on_axis(first)), e)
                         : t.axis_address(load, part_ == none ? place : b.apply(Op::add, {on_axis(first), e}));
      NodeId moved = b.copy(target, to(e), t.input(f.arena[load].payload), {a.pointer, a.offset},
                            transfer == Transfer::async ? map_.vector : 1, transfer);
      if (f.arena.operands(load).size() > 1) b.k.nodes[moved].hint = map_.hint; // what all rows read stays cached
    };
    if (!single) return copy();
    b.branch(b.apply(Op::lt, {place, length_}), copy);
  };
  if (map_.vector == 1 || transfer == Transfer::async) return one(b.integer(0)); // the whole group at once
  b.loop(Binding::vector, "e", b.integer(0), b.integer(map_.vector), one);
}

void RowSweep::fill_tiles(NodeId base) {
  std::map<ExprId, BufferId> tiles;
  for (const auto& [load, staged] : staged_)
    if (!staged.filled) tiles[load] = staged.tile;
  if (tiles.empty()) return;
  b.because("vector_access", "all loads of the tile are issued before the first is used");
  read_tile(base, tiles);
}

void RowSweep::read_tile(NodeId base, const std::map<ExprId, BufferId>& tiles) {
  groups(base, [&](NodeId u, NodeId first) {
    auto all = [&](bool single) {
      for (const auto& [load, tile] : tiles)
        move(
            load, first,
            [&](NodeId e) {
              return std::vector{u, e};
            },
            tile, single);
    };
    guarded_group(
        first, [&] { all(false); }, [&] { all(true); });
  });
}

void RowSweep::fill() {
  fill_tiles(b.integer(0));
  for (auto& [load, staged] : staged_) staged.filled = true;
}

void RowSweep::stage_next() {
  for (auto& [load, staged] : staged_) {
    const Buffer& tile = b.k.buffers[staged.tile];
    staged.next = tile_buffer("next_" + tile.name, tile.dtype, tile.type, false);
  }
}

void RowSweep::fill_next() {
  std::map<ExprId, BufferId> tiles;
  for (const auto& [load, staged] : staged_) tiles[load] = staged.next;
  read_tile(b.integer(0), tiles);
}

void RowSweep::take_next() {
  auto group = [&](NodeId u) {
    for (const auto& entry : staged_) {
      const Staged& staged = entry.second; // clang 14 captures no structured binding
      auto one = [&](NodeId e) { b.copy(staged.tile, {u, e}, staged.next, {u, e}, 1); };
      if (map_.vector == 1)
        one(b.integer(0));
      else
        b.loop(Binding::vector, "e", b.integer(0), b.integer(map_.vector), one);
    }
  };
  if (map_.unroll == 1) return group(b.integer(0));
  b.loop(Binding::sequential, "v", b.integer(0), b.integer(map_.unroll), group, true);
}

void RowSweep::fill_shared(const std::vector<ExprId>& loads, NodeId row_in_block, std::uint32_t rows_in_block,
                           Transfer transfer) {
  if (!map_.length) throw std::logic_error("a row in shared memory has a constant length");
  std::int64_t pad = 16; // rows start at multiples of 16 bytes, whatever the element
  std::int64_t stride = (*map_.length + pad - 1) / pad * pad;
  for (ExprId load : loads) {
    const AxisLoad* found = axis_load(f, load);
    if (found == nullptr || !found->inside) continue;
    Buffer buffer = b.k.buffers[t.input(found->tensor)];
    buffer.name += "_row", buffer.space = Space::shared, buffer.dynamic = true;
    buffer.layout.shape = {rows_in_block, std::max<std::int64_t>(stride, pad)};
    BufferId id = b.buffer(std::move(buffer));
    b.alloc(id);
    shared_[load] = {id, row_in_block};
  }
  if (transfer == Transfer::bulk) return fill_bulk();
  tiles([&](NodeId base) {
    groups(base, [&](NodeId, NodeId first) {
      auto all = [&](bool single) {
        for (const auto& entry : shared_) {
          const Shared& shared = entry.second;
          auto to = [&](NodeId e) { return std::vector{shared.row, b.apply(Op::add, {first, e})}; };
          move(entry.first, first, to, shared.buffer, single, transfer);
        }
      };
      guarded_group(
          first, [&] { all(false); }, [&] { all(true); });
    });
  });
  if (transfer != Transfer::async) return;
  Node commit, wait;
  commit.code = Code::commit, wait.code = Code::wait_group;
  b.statement(std::move(commit));
  b.statement(std::move(wait));
}

void RowSweep::fill_bulk() {
  b.k.barriers.push_back({"row_arrived", 1, 1});
  BarrierId barrier = static_cast<BarrierId>(b.k.barriers.size() - 1);
  auto length = static_cast<std::uint32_t>(*map_.length);
  std::int64_t bytes = 0;
  for (const auto& [load, shared] : shared_)
    bytes += *map_.length * static_cast<std::int64_t>(size_of(b.k.buffers[shared.buffer].dtype));
  NodeId stage = b.integer(0);
  b.branch(b.apply(Op::eq, {lane_, b.integer(0)}), [&] {
    b.expect(barrier, stage, b.integer(bytes));
    for (const auto& [load, shared] : shared_) {
      Address a = t.axis_address(load, on_axis(b.integer(0)));
      b.bulk_copy(shared.buffer, {shared.row, b.integer(0)}, t.input(f.arena[load].payload), {a.pointer, a.offset},
                  length, barrier, stage);
    }
  });
  b.wait(barrier, stage, b.integer(0));
}

void RowSweep::each_tile(const std::function<void()>& body) {
  tiles([&](NodeId base) {
    base_ = base;
    fill_tiles(base);
    body();
  });
}

/// The group starts inside the row.
void RowSweep::fill_alike(NodeId first) {
  group_of_.clear();
  for (ExprId load : alike_) group_of_[load] = group_buffer(t.input(f.arena[load].payload), false);
  if (alike_.empty()) return;
  auto to = [&](NodeId e) { return std::vector{b.integer(0), e}; };
  auto all = [&](bool single) {
    for (const auto& [load, group] : group_of_) move(load, first, to, group, single);
  };
  if (whole_groups()) return all(false);
  NodeId fits = b.apply(Op::le, {b.apply(Op::add, {first, b.integer(map_.vector)}), length_});
  b.branch(
      b.apply(Op::and_, {aligned_, fits}), [&] { all(false); }, [&] { all(true); });
}

void RowSweep::renew_tiles(NodeId u) {
  if (!forgets_) return;
  for (const auto& [load, staged] : staged_)
    if (is_packed(b.k.buffers[staged.tile])) b.renew(staged.tile, {u, b.integer(0)});
}

void RowSweep::elements(const Body& body) {
  groups(base_, [&](NodeId u, NodeId first) {
    auto group = [&] {
      if (body.before) body.before(u);
      renew_tiles(u);
      fill_alike(first);
      lane_elements(u, first, body.element);
      if (body.after) body.after(u, first);
      group_of_.clear();
    };
    if (exact()) return group();
    b.branch(b.apply(Op::lt, {first, length_}), group);
  });
}

NodeId RowSweep::resolve(const Leaf& leaf, const Position& at,
                         const std::unordered_map<std::uint32_t, NodeId>& symbols) {
  if (auto staged = staged_.find(leaf.id); staged != staged_.end())
    return t.computed(b.load(staged->second.tile, {at.u, at.e}));
  if (auto group = group_of_.find(leaf.id); group != group_of_.end())
    return t.computed(b.load(group->second, {b.integer(0), at.e}));
  return t.leaf(leaf, at.j, symbols);
}

std::vector<NodeId> RowSweep::values(std::span<const ExprId> roots, const std::unordered_map<ExprId, NodeId>& known,
                                     const Position& at, const std::unordered_map<std::uint32_t, NodeId>& symbols) {
  Emitter emit(b, f.arena, real_);
  return emit.values(roots, known, [&](const Leaf& leaf) { return resolve(leaf, at, symbols); });
}

NodeId RowSweep::row_value(ExprId root, const std::unordered_map<ExprId, NodeId>& known,
                           const std::unordered_map<std::uint32_t, NodeId>& symbols) {
  return values(std::span(&root, 1), known, {}, symbols)[0];
}

bool RowSweep::stores_groups(const RowOutput& output) const {
  return map_.vector > 1 && output.axis + 1 == f.canonical->outputs[output.output].hi.size();
}

BufferId RowSweep::group_buffer(BufferId global, bool computed) {
  Buffer buffer = b.k.buffers[global];
  buffer.name += "_group", buffer.space = Space::reg, buffer.computed = computed;
  buffer.layout.shape = {1, map_.vector};
  BufferId id = b.buffer(std::move(buffer));
  b.alloc(id);
  return id;
}

void RowSweep::store_group(const RowOutput& output, BufferId group, NodeId first) {
  auto all = [&](bool single) {
    b.loop(Binding::vector, "e", b.integer(0), b.integer(map_.vector), [&](NodeId e) {
      NodeId place = b.apply(Op::add, {first, e});
      auto one = [&] {
        Address a = f.parts.empty()
                        ? t.output_address(output, part_ == none ? place : b.apply(Op::add, {on_axis(first), e}))
                        : element_of_group(t.output_address(output, on_axis(first)), e);
        NodeId moved = b.copy(t.output(output.output), {a.pointer, a.offset}, group, {b.integer(0), e}, 1);
        b.k.nodes[moved].hint = map_.hint;
      };
      if (!single) return one();
      b.branch(b.apply(Op::lt, {place, length_}), one);
    });
  };
  if (exact() || whole_groups()) return all(false); // the group is inside: `sweep` has looked
  NodeId can =
      b.apply(Op::and_, {aligned_, b.apply(Op::le, {b.apply(Op::add, {first, b.integer(map_.vector)}), length_})});
  b.branch(
      can, [&] { all(false); }, [&] { all(true); });
}

} // namespace aicf::ir
