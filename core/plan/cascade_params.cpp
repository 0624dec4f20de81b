// The parameters of the families `row_cascade` and `column_cascade`. The first value of each domain is the plain one.
#include "core/plan/plan.hpp"

namespace aicf {
namespace {

using Ids = std::vector<std::string>;

std::vector<Value> words(std::initializer_list<const char*> list) {
  std::vector<Value> out;
  for (const char* w : list) out.emplace_back(std::string(w));
  return out;
}
std::vector<Value> numbers(std::initializer_list<std::int64_t> list) { return {list.begin(), list.end()}; }

bool is(const Value& value, const char* word) {
  const auto* s = std::get_if<std::string>(&value);
  return s != nullptr && *s == word;
}
bool above_one(const Value& value) {
  const auto* n = std::get_if<std::int64_t>(&value);
  return n != nullptr && *n > 1;
}

Param coarse(Param p) {
  p.coarse = true;
  return p;
}

constexpr const char* row = "row_cascade";
constexpr const char* column = "column_cascade";

Param param(std::string id, std::string meaning, std::string preservation, std::vector<Value> domain,
            std::function<Ids(const Value&)> uses, std::function<Ids(const Value&)> primitives = {}) {
  return {std::move(id),        row, std::move(meaning), std::move(preservation), std::move(domain), std::move(uses),
          std::move(primitives)};
}

/// A choice that both families have.
struct RegisterParamOfBoth {
  explicit RegisterParamOfBoth(Param p) {
    RegisterParam of_rows{p};
    p.family = column;
    RegisterParam of_columns{p};
  }
};

Param of_columns(Param p) {
  p.family = column;
  return p;
}

Ids none(const Value&) { return {}; }

const RegisterParam state_form{coarse(param(
    "state_form",
    "two_pass: one sweep of global memory a level; online: one sweep keeps a mergeable state; resident: the row stays "
    "on chip; resident_online: it stays, and the state of all levels merges at one meeting",
    "summary_state", words({"two_pass", "online", "resident", "resident_online"}),
    [](const Value& v) -> Ids {
      if (is(v, "online")) return {"online_state", "rescale"};
      if (is(v, "resident_online")) return {"resident_row", "online_state", "rescale"};
      return {is(v, "resident") ? "resident_row" : "multi_sweep"};
    },
    [](const Value& v) -> Ids {
      if (is(v, "resident_online")) return {"resident_tile", "online_summary"};
      return {is(v, "online") ? "online_summary" : is(v, "resident") ? "resident_tile" : "row_sweep"};
    }))};

const RegisterParam cooperation{coarse(param(
    "cooperation",
    "who computes a row; cluster: several blocks that write into each other's shared memory; split: several "
    "blocks that leave their parts in memory for the next launch",
    "reorder", words({"thread", "warp", "block", "cluster", "split"}),
    [](const Value& v) -> Ids { return is(v, "split") ? Ids{"split_reduction"} : Ids{}; },
    [](const Value& v) -> Ids {
      if (is(v, "split")) return {"part_states"};
      return is(v, "cluster") ? Ids{"cluster_reduce"} : Ids{};
    }))};

const RegisterParamOfBoth row_blocks{
    coarse(param("row_blocks", "blocks that share a row; of a cluster at most 8, which every GPU with clusters grants",
                 "representation", numbers({1, 2, 4, 8, 16, 32, 64}), none))};

const RegisterParam reduction_tree{param(
    "reduction_tree",
    "sequential: one thread folds the row in index order; shuffle: lanes and warps merge in a fixed tree", "reorder",
    words({"sequential", "shuffle"}),
    [](const Value& v) -> Ids { return {is(v, "shuffle") ? "tree_reduction" : "left_fold"}; },
    [](const Value& v) -> Ids {
      return is(v, "shuffle") ? Ids{"warp_reduce", "block_reduce"} : Ids{"sequential_fold"};
    })};

const RegisterParamOfBoth threads{
    param("threads", "threads of a block", "representation", numbers({32, 64, 128, 256, 512, 1024}), none)};

const RegisterParamOfBoth vector{param(
    "vector", "neighbouring elements of one access, at most 16 bytes of the smallest element", "representation",
    numbers({1, 2, 4, 8, 16}), [](const Value& v) -> Ids { return above_one(v) ? Ids{"vector_access"} : Ids{}; },
    [](const Value& v) -> Ids {
      return above_one(v) ? Ids{"packed_access", "deferred_writeback"} : Ids{};
    })};

const RegisterParam vectors_per_thread{
    param("vectors_per_thread", "accesses that a thread has in flight; resident rows: accesses that hold the row",
          "representation", numbers({1, 2, 4, 8, 16}), none)};

const RegisterParam turns{param(
    "turns",
    "rows that a block works through one after the other; above one, it reads the next row while it works on this "
    "one",
    "representation", numbers({1, 2, 3, 4, 6, 9, 16, 18, 32}),
    [](const Value& v) -> Ids { return above_one(v) ? Ids{"persistent_blocks"} : Ids{}; },
    [](const Value& v) -> Ids { return above_one(v) ? Ids{"row_ahead"} : Ids{}; })};

const RegisterParam staging{coarse(
    param("staging",
          "where elements wait between sweeps; in shared memory through registers, by cp.async, or by one bulk copy",
          "representation", words({"none", "registers", "shared", "shared_async", "shared_bulk"}), none,
          [](const Value& v) -> Ids {
            if (is(v, "shared")) return {"shared_row"};
            if (is(v, "shared_async")) return {"async_row"};
            return is(v, "shared_bulk") ? Ids{"bulk_row"} : Ids{};
          }))};

const RegisterParamOfBoth exp_function{param(
    "exp", "precise: the device library, 2 ulp; fast: ex2.approx of x*log2 e", "bounded_approximation",
    words({"precise", "fast"}), [](const Value& v) -> Ids { return {is(v, "fast") ? "fast_exp" : "device_math"}; },
    [](const Value& v) -> Ids { return is(v, "fast") ? Ids{"ex2_approx"} : Ids{}; })};

const RegisterParamOfBoth log_function{param(
    "log", "precise: the device library; fast: lg2.approx times ln 2", "bounded_approximation",
    words({"precise", "fast"}), [](const Value& v) -> Ids { return {is(v, "fast") ? "fast_log" : "device_math"}; },
    [](const Value& v) -> Ids { return is(v, "fast") ? Ids{"lg2_approx"} : Ids{}; })};

const RegisterParamOfBoth erf_function{param(
    "erf", "precise: the device library; fast: one polynomial and one ex2.approx, error 2^-21", "bounded_approximation",
    words({"precise", "fast"}), [](const Value& v) -> Ids { return {is(v, "fast") ? "fast_erf" : "device_math"}; },
    [](const Value& v) -> Ids {
      return is(v, "fast") ? Ids{"ex2_approx", "erf_polynomial"} : Ids{};
    })};

const RegisterParamOfBoth tanh_function{param(
    "tanh", "precise: the device library; fast: ex2.approx and rcp.approx, error 2^-20", "bounded_approximation",
    words({"precise", "fast"}), [](const Value& v) -> Ids { return {is(v, "fast") ? "fast_tanh" : "device_math"}; },
    [](const Value& v) -> Ids {
      return is(v, "fast") ? Ids{"ex2_approx", "rcp_approx", "tanh_of_exp"} : Ids{};
    })};

const RegisterParam intermediates{param(
    "intermediates",
    "of a row in registers, values of library functions that several sweeps use: kept, or computed again; none: there "
    "are no such values",
    "recomputation", words({"none", "recompute", "keep"}),
    [](const Value& v) -> Ids { return is(v, "keep") ? Ids{"resident_row"} : Ids{}; },
    [](const Value& v) -> Ids {
      if (is(v, "none")) return {};
      return {is(v, "keep") ? "stored_value" : "rematerialised_value"};
    })};

const RegisterParam resident_warps{param(
    "resident_warps",
    "warps that a multiprocessor must have room for: the compiler keeps to the registers that this leaves; 0: it takes "
    "what it likes",
    "representation", numbers({0, 24, 32, 48}), none,
    [](const Value& v) -> Ids { return above_one(v) ? Ids{"bounded_registers"} : Ids{}; })};

const RegisterParamOfBoth divide{param(
    "divide", "ieee: correctly rounded; reciprocal: one correctly rounded reciprocal a row; fast: rcp.approx",
    "bounded_approximation", words({"ieee", "reciprocal", "fast"}),
    [](const Value& v) -> Ids {
      if (is(v, "reciprocal")) return {"reciprocal_hoist"};
      return is(v, "fast") ? Ids{"fast_divide"} : Ids{};
    },
    [](const Value& v) -> Ids {
      if (is(v, "reciprocal")) return {"row_reciprocal"};
      return is(v, "fast") ? Ids{"rcp_approx"} : Ids{};
    })};

const RegisterParamOfBoth contract_fma{param(
    "contract_fma", "whether a product that is summed is rounded once", "reorder", {Value(false), Value(true)},
    [](const Value& v) -> Ids { return v == Value(true) ? Ids{"fma_contraction"} : Ids{}; },
    [](const Value& v) -> Ids { return v == Value(true) ? Ids{"fused_multiply_add"} : Ids{}; })};

const RegisterParamOfBoth cache_hint{
    param("cache_hint", "streaming: what is read or written once is evicted first", "representation",
          words({"none", "streaming"}), none,
          [](const Value& v) -> Ids { return is(v, "streaming") ? Ids{"streaming_access"} : Ids{}; })};

const RegisterParamOfBoth row_length{param(
    "row_length", "static: the length of a row is a constant of the kernel, which serves that length alone",
    "representation", words({"dynamic", "static"}), [](const Value&) -> Ids { return {"loop_invariant_hoist"}; },
    [](const Value& v) -> Ids { return is(v, "static") ? Ids{"static_length"} : Ids{}; })};

const RegisterParamOfBoth accumulate{param(
    "accumulate",
    "type of the computation: f32 (f64 where a tensor is f64), the same with sums that keep what their rounding has "
    "lost, or f64 throughout",
    "representation", words({"f32", "compensated", "f64"}),
    [](const Value& v) -> Ids {
      if (is(v, "compensated")) return {"compensated_sum"};
      return is(v, "f32") ? Ids{"f32_accumulate"} : Ids{};
    },
    [](const Value& v) -> Ids {
      if (is(v, "compensated")) return {"compensated_accumulator"};
      return is(v, "f64") ? Ids{"wide_accumulator"} : Ids{};
    })};

const RegisterParam column_state{of_columns(coarse(param(
    "state_form", "two_pass: one sweep of global memory a level; online: one sweep keeps a mergeable state",
    "summary_state", words({"two_pass", "online"}),
    [](const Value& v) -> Ids {
      return is(v, "online") ? Ids{"online_state", "rescale"} : Ids{"multi_sweep"};
    },
    [](const Value& v) -> Ids { return {is(v, "online") ? "online_summary" : "column_sweep"}; })))};

const RegisterParam column_tree{of_columns(coarse(param(
    "reduction_tree",
    "sequential: one thread folds a column in index order; slices: threads fold every nth element, and their parts "
    "merge",
    "reorder", words({"sequential", "slices"}),
    [](const Value& v) -> Ids { return {is(v, "slices") ? "tree_reduction" : "left_fold"}; },
    [](const Value& v) -> Ids { return {is(v, "slices") ? "slice_reduce" : "sequential_fold"}; })))};

const RegisterParam column_lanes{
    of_columns(param("column_lanes", "threads of a block along the rows; the others are slices of the axis",
                     "representation", numbers({8, 16, 32, 64, 128}), none))};

const RegisterParam column_steps{
    of_columns(param("vectors_per_thread", "accesses that a thread has in flight along the axis", "representation",
                     numbers({1, 2, 4, 8, 16}), none))};

} // namespace
} // namespace aicf
