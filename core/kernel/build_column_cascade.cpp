// Kernels of the family `column_cascade`: the axis runs across memory, rows lie next to each other. A thread owns a
// packed group of neighbouring rows; the threads of a block are lanes (along the rows) x slices (of the axis); the
// slices, and the blocks of a cluster, merge their states through shared memory.
#include "core/kernel/cascade_algebra.hpp"
#include "core/kernel/family_builder.hpp"
#include "core/kernel/row_tensors.hpp"
#include "core/plan/choice.hpp"

#include <algorithm>
#include <stdexcept>

namespace aicf::ir {
namespace {

class ColumnCascade {
 public:
  ColumnCascade(const StructureProfile& profile, const Plan& plan, const Problem& problem)
      : plan_(plan), problem_(problem), f(row_form(profile)), b(k),
        real_(real_type(*f.canonical->source, plan, problem)), t(b, f, problem, fixed_dims(f, plan), real_),
        c(profile, f, b, real_, chosen(plan, "accumulate", "compensated"),
          [this](ExprId root, const auto& symbols) { return value(root, {}, symbols); }) {
    auto count = [&](const char* param) { return static_cast<std::uint32_t>(number(plan_, param)); };
    k.threads = count("threads"), k.cluster = count("row_blocks");
    lanes_ = count("column_lanes"), vector_ = count("vector"), unroll_ = count("vectors_per_thread");
    slices_in_block_ = k.threads / lanes_, slices_ = slices_in_block_ * k.cluster;
    if (chosen(plan_, "cache_hint", "streaming")) hint_ = Hint::streaming;
  }

  Kernel run() {
    const Definition& d = *f.canonical->source;
    k.name = d.name + "_columns_" + word(plan_, "state_form");
    launch();
    std::string form =
        online() ? "one sweep keeps a mergeable state of the reductions" : "one sweep of global memory a level";
    k.about = {d.name + ": " + std::to_string(lanes_ * vector_) + " neighbouring rows a " +
               (k.cluster > 1 ? "cluster of " + std::to_string(k.cluster) + " blocks" : std::string("block")) + ", " +
               std::to_string(slices_) + " slices of the axis, " + form + "."};
    NodeId groups = b.quotient(b.apply(Op::add, {t.row_count(), b.integer(group_rows() - 1)}), b.integer(group_rows()));
    b.loop(Binding::grid, "block", b.integer(0), b.apply(Op::mul, {groups, b.integer(k.cluster)}), [&](NodeId block) {
      if (k.cluster == 1) return threads(block, b.integer(0));
      NodeId of = b.integer(k.cluster), group = b.quotient(block, of);
      b.loop(Binding::cluster, "rank", b.integer(0), of, [&](NodeId rank) { threads(group, rank); });
    });
    return std::move(k);
  }

 private:
  struct At {
    NodeId u = none, e = none, j = none;
  };
  using Symbols = CascadeAlgebra::Symbols;
  using Known = std::unordered_map<ExprId, NodeId>;

  const Plan& plan_;
  const Problem& problem_;
  RowForm f;
  Kernel k;
  Builder b;
  Type real_;
  RowTensors t;
  CascadeAlgebra c;
  std::uint32_t lanes_ = 1, vector_ = 1, unroll_ = 1, slices_in_block_ = 1, slices_ = 1;
  Hint hint_ = Hint::none;
  NodeId thread_ = none, lane_ = none, slice_ = none, slice_in_block_ = none, rank_ = none, inside_ = none,
         first_row_ = none, group_row_ = none, length_ = none;
  std::map<ExprId, BufferId> tiles_;   ///< of the sweep at hand
  std::map<ExprId, BufferId> results_; ///< reductions that are computed, one element a row of the group
  bool peers_started_ = false;

  [[nodiscard]] bool online() const { return word(plan_, "state_form") == "online" && f.cascade != nullptr; }
  [[nodiscard]] std::int64_t group_rows() const { return std::int64_t{lanes_} * vector_; }

  void launch() {
    std::string blocks = "max(1,ceil(" + t.row_count_text() + "/" + std::to_string(group_rows()) + "))";
    k.launch.grid[0].text = k.cluster > 1 ? blocks + "*" + std::to_string(k.cluster) : blocks;
    k.launch.cluster[0].text = std::to_string(k.cluster);
    k.launch.block[0].text = std::to_string(k.threads);
  }

  void threads(NodeId group, NodeId rank) {
    rank_ = rank;
    b.loop(Binding::block, "thread", b.integer(0), b.integer(k.threads), [&](NodeId thread) {
      thread_ = thread;
      lane_ = b.remainder(thread, b.integer(lanes_));
      slice_in_block_ = slices_in_block_ == 1 ? b.integer(0) : b.quotient(thread, b.integer(lanes_));
      slice_ = b.apply(Op::add, {slice_in_block_, b.apply(Op::mul, {rank, b.integer(slices_in_block_)})});
      NodeId in_group = b.convert(b.apply(Op::mul, {lane_, b.integer(vector_)}), Type::i64);
      group_row_ = b.apply(Op::mul, {b.convert(group, Type::i64), b.integer(group_rows())});
      NodeId row = b.apply(Op::add, {in_group, group_row_});
      if (k.cluster > 1 && slices_in_block_ > 1) k.nodes[slice_in_block_].name = "slice_in_block";
      if (lanes_ > 1) k.nodes[lane_].name = "lane";
      if (slices_ > 1 && slice_ != thread) k.nodes[slice_].name = "slice";
      k.nodes[row].name = "first_row";
      first_row_ = row;
      if (vector_ > 1) packed_rows_only();
      inside_ = b.apply(Op::lt, {row, t.row_count()});
      k.nodes[inside_].name = "inside";
      t.at_row(row);
      length_ = f.extent == no_expr ? b.integer(1) : b.convert(t.dim(f.arena, f.extent), Type::i32);
      if (f.extent != no_expr && !b.known(length_)) k.nodes[length_].name = "length";
      if (online())
        online_state();
      else
        for (std::size_t level = 0; level < f.levels.size(); ++level) reduce_level(level);
      row_outputs();
      axis_outputs();
    });
  }

  /// A packed group of rows stays within the last row variable and starts where a packed access may.
  void packed_rows_only() {
    NodeId extent = t.dim(f.arena, f.row_extents.back());
    Node trap;
    trap.code = Code::trap;
    trap.args = {b.apply(Op::ne, {b.remainder(extent, b.integer(vector_)), b.integer(0)})};
    if (b.known(trap.args[0]) == 0) return;
    trap.comment = "the rows are a multiple of a packed group, or the plan is another";
    b.statement(std::move(trap));
  }

  // ---- values ----

  std::vector<NodeId> values(std::span<const ExprId> roots, const At& at, const Symbols& symbols = {}) {
    t.at_element_of_rows(at.e);
    Known known;
    for (const auto& [node, buffer] : results_) known[node] = b.load(buffer, {at.e});
    Emitter emit(b, f.arena, real_);
    return emit.values(roots, known, [&](const Leaf& leaf) {
      auto tile = at.u == none ? tiles_.end() : tiles_.find(leaf.id);
      return tile == tiles_.end() ? t.leaf(leaf, at.j, symbols) : t.computed(b.load(tile->second, {at.u, at.e}));
    });
  }

  NodeId value(ExprId root, const At& at, const Symbols& symbols) {
    At here = at;
    if (here.e == none) here.e = element_; // merges and finalizers stand inside a loop over the rows of the group
    return values(std::span(&root, 1), here, symbols)[0];
  }
  NodeId element_ = none;

  /// For each row of the group.
  void each_row(const std::function<void(NodeId e)>& body) {
    auto one = [&](NodeId e) {
      NodeId outer = element_;
      element_ = e;
      body(e);
      element_ = outer;
    };
    if (vector_ == 1) return one(b.integer(0));
    b.loop(Binding::vector, "e", b.integer(0), b.integer(vector_), one);
  }

  // ---- sweeps over the axis ----

  void stage(const std::vector<ExprId>& roots) {
    tiles_.clear();
    for (ExprId id : axis_nodes(f, roots)) {
      const AxisLoad* load = axis_load(f, id);
      if (load == nullptr || f.arena[id].op != Op::load || !load->rows_adjoin) continue;
      const Buffer& source = k.buffers[t.input(load->tensor)];
      Buffer tile;
      tile.name = source.name + "_tile", tile.space = Space::reg, tile.dtype = source.dtype, tile.type = source.type;
      tile.layout.shape = {unroll_, vector_};
      tiles_[id] = b.buffer(std::move(tile));
      b.alloc(tiles_[id]);
    }
  }

  void steps(NodeId tile, const std::function<void(const At&)>& body) {
    auto one = [&](NodeId u) {
      NodeId step = b.apply(Op::add, {b.apply(Op::mul, {tile, b.integer(unroll_)}), u});
      NodeId j = b.apply(Op::add, {b.apply(Op::mul, {step, b.integer(slices_)}), slice_});
      if (k.nodes[j].name.empty() && j != slice_ && !f.cascade->axis.empty()) k.nodes[j].name = f.cascade->axis;
      b.branch(b.apply(Op::and_, {inside_, b.apply(Op::lt, {j, length_})}), [&] { body({u, none, j}); });
    };
    if (unroll_ == 1) return one(b.integer(0));
    b.loop(Binding::sequential, "v", b.integer(0), b.integer(unroll_), one, true);
  }

  void fill(NodeId tile) {
    if (tiles_.empty()) return;
    b.because("vector_access", "all loads of the tile are issued before the first is used");
    steps(tile, [&](const At& at) {
      for (const auto& [load, buffer] : tiles_)
        each_row([&, load = load, buffer = buffer](NodeId e) {
          t.at_element_of_rows(e);
          Address a = t.axis_address(load, at.j);
          NodeId moved = b.copy(buffer, {at.u, e}, t.input(f.arena[load].payload), {a.pointer, a.offset}, 1);
          k.nodes[moved].hint = hint_;
        });
    });
  }

  void sweep(const std::vector<ExprId>& roots, const std::function<void(NodeId tile)>& body) {
    stage(roots);
    std::int64_t per_tile = std::int64_t{slices_} * unroll_;
    NodeId count = b.quotient(b.apply(Op::add, {length_, b.integer(per_tile - 1)}), b.integer(per_tile));
    auto one = [&](NodeId tile) {
      fill(tile);
      body(tile);
    };
    if (b.known(count) == 1)
      one(b.integer(0));
    else
      b.loop(Binding::sequential, "tile", b.integer(0), count, one);
    tiles_.clear();
  }

  // ---- accumulators: one element a row of the group ----

  struct Accumulator {
    Monoid monoid;
    std::vector<BufferId> parts;
  };

  BufferId array(std::string name, Type type, double initial) {
    Buffer buffer;
    buffer.name = std::move(name), buffer.space = Space::reg, buffer.computed = true, buffer.type = type;
    buffer.layout.shape = {vector_};
    BufferId id = b.buffer(std::move(buffer));
    b.alloc(id);
    each_row([&](NodeId e) { b.store(id, {e}, b.constant(type, initial)); });
    return id;
  }

  Accumulator accumulator(const std::string& name, Monoid m) {
    Accumulator a{std::move(m), {}};
    for (std::size_t i = 0; i < a.monoid.types.size(); ++i)
      a.parts.push_back(array(name + a.monoid.suffixes[i], a.monoid.types[i], a.monoid.identity[i]));
    return a;
  }

  std::vector<NodeId> current(const std::vector<BufferId>& parts, NodeId e) {
    std::vector<NodeId> out;
    for (BufferId p : parts) out.push_back(b.load(p, {e}));
    return out;
  }
  void set(const std::vector<BufferId>& parts, NodeId e, const std::vector<NodeId>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) b.store(parts[i], {e}, to[i]);
  }

  void include(const Accumulator& a, const At& at, NodeId element) {
    element = b.convert(element, a.monoid.types[0]);
    set(a.parts, at.e, a.monoid.merge(b, current(a.parts, at.e), a.monoid.lift(b, element, at.j)));
  }

  // ---- over the slices of the axis ----

  using Merge = std::function<std::vector<NodeId>(const std::vector<NodeId>&, const std::vector<NodeId>&)>;

  std::vector<BufferId> shared(const std::vector<BufferId>& like, const char* suffix, std::uint32_t count) {
    std::vector<BufferId> out;
    for (BufferId l : like) {
      Buffer buffer;
      buffer.name = k.buffers[l].name + suffix, buffer.space = Space::shared, buffer.computed = true;
      buffer.type = k.buffers[l].type == Type::pred ? Type::i32 : k.buffers[l].type;
      buffer.layout.shape = {count, group_rows()};
      out.push_back(b.buffer(std::move(buffer)));
      b.alloc(out.back());
    }
    return out;
  }

  std::vector<NodeId> fetched(const std::vector<BufferId>& from, NodeId part, NodeId row,
                              const std::vector<BufferId>& like) {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < from.size(); ++i)
      out.push_back(b.convert(b.load(from[i], {part, row}), k.buffers[like[i]].type));
    return out;
  }

  NodeId row_in_group(NodeId e) {
    NodeId first = b.apply(Op::mul, {lane_, b.integer(vector_)});
    if (vector_ > 1 && k.nodes[first].name.empty()) k.nodes[first].name = "lane_start";
    return b.apply(Op::add, {first, e});
  }

  /// Each element of `state` becomes the merge over all slices, in every thread. A column of parts is merged by one
  /// thread, in the order of the slices.
  void over_slices(const std::vector<BufferId>& state, const Merge& merge) {
    if (slices_ == 1) return;
    b.because("slice_reduce", "each slice has folded every so many elements; the parts merge slice after slice");
    std::vector<BufferId> parts = shared(state, "_of_slice", slices_in_block_);
    each_row([&](NodeId e) {
      for (std::size_t i = 0; i < state.size(); ++i) {
        NodeId part = b.convert(b.load(state[i], {e}), k.buffers[parts[i]].type);
        b.store(parts[i], {slice_in_block_, row_in_group(e)}, part);
      }
    });
    if (k.cluster > 1 && !peers_started_) {
      b.sync(Scope::cluster); // a block writes into another's shared memory only once that has started
      peers_started_ = true;
    } else {
      b.sync(Scope::block);
    }
    std::vector<BufferId> totals;
    if (k.cluster > 1) totals = shared(state, "_of_block", k.cluster);
    auto merged_column = [&](NodeId row) {
      std::vector<BufferId> total;
      std::vector<NodeId> first = fetched(parts, b.integer(0), row, state);
      for (std::size_t i = 0; i < state.size(); ++i)
        total.push_back(b.variable(k.buffers[state[i]].name + "_column", first[i]));
      auto now = [&] {
        std::vector<NodeId> out;
        for (BufferId v : total) out.push_back(b.load(v));
        return out;
      };
      b.loop(Binding::sequential, "s", b.integer(1), b.integer(slices_in_block_), [&](NodeId s) {
        auto next = merge(now(), fetched(parts, s, row, state));
        for (std::size_t i = 0; i < next.size(); ++i) b.store(total[i], {}, next[i]);
      });
      auto done = now();
      for (std::size_t i = 0; i < done.size(); ++i) {
        NodeId kept = b.convert(done[i], k.buffers[parts[i]].type);
        if (k.cluster == 1) {
          b.store(parts[i], {b.integer(0), row}, kept);
          continue;
        }
        b.loop(
            Binding::sequential, "peer", b.integer(0), b.integer(k.cluster),
            [&](NodeId peer) {
              b.store_peer(totals[i], peer, {rank_, row}, kept);
            },
            true);
      }
    };
    // What the merge reads of the row is that of the column, not of the thread.
    auto column = [&](NodeId row) {
      NodeId own = b.apply(Op::add, {group_row_, b.convert(row, Type::i64)});
      b.branch(b.apply(Op::lt, {own, t.row_count()}), [&] {
        t.at_row(own);
        merged_column(row);
      });
    };
    auto threads = static_cast<std::int64_t>(k.threads);
    if (group_rows() <= threads)
      b.branch(b.apply(Op::lt, {thread_, b.integer(group_rows())}), [&] { column(thread_); });
    else
      b.loop(Binding::sequential, "r", b.integer(0), b.integer(group_rows() / threads), [&](NodeId r) {
        column(b.apply(Op::add, {thread_, b.apply(Op::mul, {r, b.integer(threads)})}));
      });
    t.at_row(first_row_); // out here, where what follows can read it
    b.sync(k.cluster > 1 ? Scope::cluster : Scope::block);
    b.branch(inside_, [&] { read_back(state, parts, totals, merge); });
  }

  void read_back(const std::vector<BufferId>& state, const std::vector<BufferId>& parts,
                 const std::vector<BufferId>& totals, const Merge& merge) {
    each_row([&](NodeId e) {
      if (k.cluster == 1) return set(state, e, fetched(parts, b.integer(0), row_in_group(e), state));
      set(state, e, fetched(totals, b.integer(0), row_in_group(e), state));
      b.loop(
          Binding::sequential, "peer", b.integer(1), b.integer(k.cluster),
          [&](NodeId peer) { set(state, e, merge(current(state, e), fetched(totals, peer, row_in_group(e), state))); },
          true);
    });
  }

  // ---- levels ----

  void reduce_level(std::size_t level) {
    t.at_sweep(static_cast<std::uint32_t>(level));
    std::vector<Accumulator> all;
    std::string names;
    for (std::size_t r : f.levels[level]) {
      all.push_back(accumulator(c.reduction(r).name, c.monoid(r)));
      names += (names.empty() ? "" : ", ") + c.reduction(r).name;
    }
    b.because("multi_sweep", (f.levels.size() > 1 ? "level " + std::to_string(level + 1) + ": " : "") + names);
    sweep(f.sweeps[level], [&](NodeId tile) {
      steps(tile, [&](const At& at) {
        each_row([&](NodeId e) {
          At here{at.u, e, at.j};
          for (std::size_t i = 0; i < all.size(); ++i) {
            std::size_t r = f.levels[level][i];
            auto predicate = [&](ExprId p) { return values(std::span(&p, 1), here)[0]; };
            b.branch(c.takes_part(r, here.j, predicate),
                     [&] { include(all[i], here, values(std::span(&f.cascade->elements[r], 1), here)[0]); });
          }
        });
      });
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Monoid& m = all[i].monoid;
      over_slices(all[i].parts, [&](const auto& l, const auto& r) { return m.merge(b, l, r); });
      BufferId result = all[i].parts.back();
      if (m.result) each_row([&](NodeId e) { b.store(result, {e}, m.result(b, current(all[i].parts, e))); });
      if (m.arg) each_row([&](NodeId e) { trap_unless_inside(b.load(result, {e})); });
      results_[c.reduction(f.levels[level][i]).node] = result;
    }
  }

  /// Threads past the last row have reduced nothing, and that is no error.
  void trap_unless_inside(NodeId index) {
    b.branch(inside_, [&] { trap_if_empty(b, index); });
  }

  void online_state() {
    const auto& slots = f.cascade->summary->slots;
    std::vector<BufferId> state;
    std::vector<ExprId> roots;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      state.push_back(array(c.slot_name(i), c.slot_type(i), c.slot_identity(i)));
      roots.push_back(slots[i].body);
    }
    b.because("online_state", "one sweep: the state of each chunk merges into the running state");
    sweep(roots, [&](NodeId tile) {
      std::vector<BufferId> chunk(slots.size(), none);
      for (const auto& group : c.slot_groups()) {
        std::vector<Accumulator> parts;
        for (std::size_t i : group) {
          parts.push_back(accumulator("chunk_" + c.slot_name(i), c.slot_monoid(i)));
        }
        steps(tile, [&](const At& at) {
          each_row([&](NodeId e) {
            At here{at.u, e, at.j};
            b.branch(c.in_range(here.j), [&] {
              std::vector<ExprId> bodies;
              for (std::size_t i : group) bodies.push_back(slots[i].body);
              auto element = values(bodies, here, symbols_at(chunk, e));
              for (std::size_t g = 0; g < group.size(); ++g) include(parts[g], here, element[g]);
            });
          });
        });
        for (std::size_t g = 0; g < group.size(); ++g) chunk[group[g]] = parts[g].parts.back();
      }
      b.branch(inside_, [&] { // what a merge reads of the row is there
        each_row([&](NodeId e) { set(state, e, c.merged(current(state, e), current(chunk, e))); });
      });
    });
    over_slices(state, [&](const auto& l, const auto& r) { return c.merged(l, r); });
    std::vector<BufferId> finals;
    for (std::size_t r = 0; r < f.cascade->reductions.size(); ++r)
      finals.push_back(array(c.reduction(r).name + "_value", c.monoid(r).types.back(), 0));
    b.branch(inside_, [&] {
      each_row([&](NodeId e) {
        Symbols symbols = symbols_at(state, e);
        for (std::size_t r = 0; r < finals.size(); ++r) {
          NodeId final = value(f.cascade->summary->finalize[r], {}, symbols);
          if (c.monoid(r).arg) trap_if_empty(b, final);
          b.store(finals[r], {e}, final);
        }
      });
    });
    for (std::size_t r = 0; r < finals.size(); ++r) results_[c.reduction(r).node] = finals[r];
  }

  Symbols symbols_at(const std::vector<BufferId>& slots, NodeId e) {
    Symbols symbols;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i] != none) symbols[slot_symbol(i)] = b.load(slots[i], {e});
    return symbols;
  }

  // ---- results ----

  /// Neighbouring rows are neighbours in the result too.
  [[nodiscard]] bool packs(const RowOutput& o) const {
    std::size_t rank = f.canonical->outputs[o.output].hi.size();
    return vector_ > 1 && rank > 0 && o.rows.back() + 1 == rank;
  }

  void store(const RowOutput& o, const At& at) {
    BufferId to = t.output(o.output);
    if (!packs(o)) {
      each_row([&](NodeId e) {
        NodeId result = value(o.body, {at.u, e, at.j}, {});
        Address a = t.output_address(o, at.j);
        b.store(to, {a.pointer, a.offset}, result);
      });
      return;
    }
    Buffer group = k.buffers[to];
    group.name += "_group", group.space = Space::reg, group.computed = true, group.layout.shape = {1, vector_};
    BufferId id = b.buffer(std::move(group));
    b.alloc(id);
    each_row([&](NodeId e) { b.store(id, {b.integer(0), e}, value(o.body, {at.u, e, at.j}, {})); });
    each_row([&](NodeId e) {
      t.at_element_of_rows(e);
      Address a = t.output_address(o, at.j);
      NodeId moved = b.copy(to, {a.pointer, a.offset}, id, {b.integer(0), e}, 1);
      k.nodes[moved].hint = hint_;
    });
  }

  void row_outputs() {
    bool any = std::any_of(f.outputs.begin(), f.outputs.end(), [](const RowOutput& o) { return !o.along_axis; });
    if (!any) return;
    b.branch(b.apply(Op::and_, {inside_, b.apply(Op::eq, {slice_, b.integer(0)})}), [&] {
      for (const RowOutput& o : f.outputs)
        if (!o.along_axis) store(o, {});
    });
  }

  void axis_outputs() {
    bool any = std::any_of(f.outputs.begin(), f.outputs.end(), [](const RowOutput& o) { return o.along_axis; });
    if (!any) return;
    t.at_sweep(static_cast<std::uint32_t>(f.levels.size()));
    b.because("multi_sweep", "the results along the axis");
    sweep(f.sweeps.back(), [&](NodeId tile) {
      steps(tile, [&](const At& at) {
        for (const RowOutput& o : f.outputs)
          if (o.along_axis) store(o, at);
      });
    });
  }
};

const RegisterFamilyBuilder register_builder{
    {"column_cascade", [](const StructureProfile& profile, const Plan& plan, const Problem& problem) {
       return std::vector{ColumnCascade(profile, plan, problem).run()};
     }}};

} // namespace
} // namespace aicf::ir
