// A mutation test keeps the judge honest: faults planted in generated kernels are all caught, their clean twins pass.
#include "core/exec/backends.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/plan/choice.hpp"
#include "synth/variant.hpp"
#include "tests/support/paths.hpp"

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>

using namespace aicf;
using aicf::test::source_path;

namespace {

struct Subject {
  const char *id, *op; ///< op: of the atlas, or the text of a definition
  std::map<std::string, std::int64_t> dims;
  DType type;
  std::map<std::string, std::string> choices; ///< that its plan has made
};

constexpr const char* softmax_columns = "op softmax_columns(x: float[N, C]) -> y: float[N, C]\n"
                                        "  m[c]    = max[n] x[n, c]\n"
                                        "  l[c]    = sum[n] exp(x[n, c] - m[c])\n"
                                        "  y[n, c] = exp(x[n, c] - m[c]) / l[c]\n";
constexpr const char* moments = "op moments(x: float[M, N]) -> mean: float[M], var: float[M]\n"
                                "  mean[i] = (sum[j] x[i, j]) / N\n"
                                "  var[i]  = (sum[j] (x[i, j] - mean[i])^2) / N\n";
constexpr const char* clamp = "op clamp(x: float[M, N]) -> q: i8[M, N]\n  q[i, j] = i8(x[i, j] * 50)\n";

const std::vector<Subject>& subjects() {
  const auto f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16, f64 = DType::f64;
  static const std::vector<Subject> all{
      {"resident",
       "softmax",
       {{"M", 8}, {"N", 1000}},
       f32,
       {{"state_form", "resident"},
        {"cooperation", "warp"},
        {"staging", "registers"},
        {"exp", "fast"},
        {"vector", "4"},
        {"row_length", "static"}}},
      {"online",
       "softmax",
       {{"M", 8}, {"N", 2500}},
       f32,
       {{"state_form", "online"},
        {"cooperation", "warp"},
        {"exp", "fast"},
        {"row_length", "static"},
        {"vector", "4"},
        {"vectors_per_thread", "4"}}},
      {"two-pass",
       "softmax",
       {{"M", 2}, {"N", 6000}},
       f32,
       {{"state_form", "two_pass"},
        {"cooperation", "block"},
        {"row_length", "static"},
        {"vector", "4"},
        {"threads", "256"}}},
      {"cluster",
       "softmax",
       {{"M", 3}, {"N", 4096}},
       f32,
       {{"state_form", "resident"},
        {"cooperation", "cluster"},
        {"row_blocks", "2"},
        {"threads", "128"},
        {"row_length", "static"}}},
      {"shared",
       "softmax",
       {{"M", 4}, {"N", 1500}},
       f32,
       {{"state_form", "resident"},
        {"staging", "shared"},
        {"cooperation", "block"},
        {"threads", "128"},
        {"vector", "4"},
        {"row_length", "static"}}},
      {"resident-online",
       "softmax",
       {{"M", 8}, {"N", 1000}},
       bf16,
       {{"state_form", "resident_online"}, {"cooperation", "warp"}, {"vector", "8"}, {"row_length", "static"}}},
      {"f16",
       "softmax",
       {{"M", 8}, {"N", 1000}},
       f16,
       {{"state_form", "resident"},
        {"cooperation", "warp"},
        {"intermediates", "keep"},
        {"vector", "8"},
        {"row_length", "static"}}},
      {"f64",
       "softmax",
       {{"M", 8}, {"N", 500}},
       f64,
       {{"state_form", "resident"}, {"cooperation", "warp"}, {"intermediates", "keep"}, {"row_length", "static"}}},
      {"thread",
       "logsumexp",
       {{"M", 40}, {"N", 67}},
       f32,
       {{"state_form", "online"},
        {"cooperation", "thread"},
        {"vectors_per_thread", "16"},
        {"exp", "fast"},
        {"row_length", "static"}}},
      {"blocks-logsumexp",
       "logsumexp",
       {{"M", 4}, {"N", 3000}},
       f32,
       {{"state_form", "two_pass"}, {"cooperation", "block"}, {"threads", "128"}, {"row_length", "static"}}},
      {"columns",
       softmax_columns,
       {{"N", 100}, {"C", 40}},
       bf16,
       {{"state_form", "two_pass"}, {"reduction_tree", "sequential"}, {"row_length", "static"}}},
      {"slices",
       softmax_columns,
       {{"N", 150}, {"C", 40}},
       f32,
       {{"state_form", "online"},
        {"reduction_tree", "slices"},
        {"row_blocks", "1"},
        {"column_lanes", "8"},
        {"threads", "256"},
        {"vector", "4"},
        {"vectors_per_thread", "2"},
        {"exp", "precise"},
        {"row_length", "static"}}},
      {"column-cluster",
       softmax_columns,
       {{"N", 300}, {"C", 64}},
       bf16,
       {{"state_form", "two_pass"},
        {"row_blocks", "2"},
        {"column_lanes", "8"},
        {"threads", "128"},
        {"vector", "8"},
        {"row_length", "static"}}},
      {"maximum", "max", {{"M", 8}, {"N", 1000}}, f32, {{"state_form", "two_pass"}, {"cooperation", "warp"}}},
      {"sum", "sum", {{"M", 8}, {"N", 1000}}, f32, {{"state_form", "two_pass"}, {"cooperation", "warp"}}},
      {"product", "prod", {{"M", 8}, {"N", 100}}, f32, {{"state_form", "two_pass"}, {"cooperation", "warp"}}},
      {"variance",
       "variance",
       {{"M", 8}, {"N", 100}},
       f32,
       {{"state_form", "online"}, {"cooperation", "warp"}, {"vector", "4"}, {"row_length", "static"}}},
      {"kurtosis",
       "kurtosis",
       {{"M", 8}, {"N", 500}},
       f32,
       {{"state_form", "online"}, {"cooperation", "warp"}, {"row_length", "static"}}},
      {"moments",
       moments,
       {{"M", 8}, {"N", 500}},
       f32,
       {{"state_form", "online"}, {"cooperation", "block"}, {"threads", "64"}, {"row_length", "static"}}},
      {"layernorm",
       "layernorm",
       {{"M", 8}, {"N", 1000}},
       bf16,
       {{"state_form", "two_pass"}, {"cooperation", "block"}, {"threads", "128"}, {"row_length", "static"}}},
      {"layernorm-cluster",
       "layernorm",
       {{"M", 3}, {"N", 4096}},
       f32,
       {{"state_form", "resident_online"},
        {"cooperation", "cluster"},
        {"row_blocks", "2"},
        {"threads", "128"},
        {"row_length", "static"}}},
      {"masked",
       "masked_softmax",
       {{"M", 8}, {"N", 100}},
       f32,
       {{"state_form", "online"}, {"cooperation", "warp"}, {"exp", "fast"}, {"vector", "2"}, {"row_length", "static"}}},
      {"causal", "causal_softmax", {{"N", 64}}, f32, {{"state_form", "two_pass"}, {"cooperation", "thread"}}},
      {"argmax",
       "argmax",
       {{"M", 8}, {"N", 1000}},
       f32,
       {{"state_form", "two_pass"}, {"cooperation", "block"}, {"threads", "128"}, {"vector", "4"}}},
      {"cross-entropy",
       "cross_entropy",
       {{"M", 8}, {"N", 1000}},
       f32,
       {{"state_form", "online"},
        {"cooperation", "block"},
        {"threads", "64"},
        {"exp", "fast"},
        {"row_length", "static"}}},
      {"embedding",
       "embedding",
       {{"V", 50}, {"D", 64}, {"T", 10}},
       bf16,
       {{"cooperation", "thread"}, {"row_length", "static"}}},
      {"gelu",
       "bias_gelu",
       {{"M", 8}, {"N", 256}},
       bf16,
       {{"cooperation", "warp"}, {"erf", "precise"}, {"row_length", "static"}}},
      {"clamp", clamp, {{"M", 8}, {"N", 256}}, f32, {{"cooperation", "warp"}, {"vector", "4"}}},
      {"affine",
       "quantize_affine",
       {{"M", 8}, {"N", 1000}},
       f16,
       {{"state_form", "resident"}, {"cooperation", "warp"}, {"staging", "registers"}, {"row_length", "static"}}},
      {"add-rmsnorm",
       "add_rmsnorm",
       {{"M", 8}, {"N", 1000}},
       bf16,
       {{"state_form", "resident"}, {"cooperation", "warp"}, {"staging", "registers"}, {"row_length", "static"}}},
  };
  return all;
}

/// The first occurrence of `pattern` in the source becomes `replacement`. `caught_by`: the check, or the kind of fault,
/// that must be the first to fail; alternatives by "|".
struct PlantedFault {
  const char *name, *subject, *pattern, *replacement, *caught_by;
};

constexpr auto values = "random|exact|outlier";
constexpr auto never_ends = "deadlock|step-limit";
constexpr auto races = "shared-race|uninitialised-shared|global-race|cluster-start";
constexpr auto bounds = "out-of-bounds|misaligned";

const std::vector<PlantedFault>& planted() {
  static const std::vector<PlantedFault> all{
      // rows in registers, a warp each
      {"a lost element at the end", "resident", R"(< 1000\))", "< 996)", values},
      {"a tree that stops a step early", "resident", "offset >= 1;", "offset >= 2;", values},
      {"a tree that starts a step late", "resident", "offset = 16;", "offset = 8;", values},
      {"log2 e off in the fourth digit", "resident", R"(1\.44269[0-9]*f)", "1.4428f", values},
      {"log2 e off in the sixth digit", "resident", R"(1\.44269[0-9]*f)", "1.4427f", values},
      {"the maximum is not subtracted", "resident", R"( - m_warp\w*\) \*)", ") *", "random|exact|outlier|special"},
      {"a row is written one vector off", "resident", R"(y \+ row_start)", "y + row_start + 4",
       "random|global-race|out-of-bounds|use-after-free"},
      {"one row twice, another never", "resident", R"(row_start = row \*)", "row_start = (row | 1) *",
       "random|global-race"},
      {"a wrong row stride", "resident", R"(row \* 1000LL)", "row * 1004LL", bounds},
      {"a vector that is one off", "resident", R"(lane_start = lane \* 4)", "lane_start = (lane + 1) * 4", values},
      {"half of the lanes in the mask", "resident", R"(0xffffffffu, m_warp)", "0x0000ffffu, m_warp",
       "member-mask|inactive-lane|random"},
      {"an element is counted twice", "resident", R"(( l = l \+ )([^;]*);)",
       "$1(lane + v + e == 0 ? 2.0f : 1.0f) * $2;", values},
      {"a merge forgets its own part", "resident", R"(m_warp = max_nan\(m_warp, m_warp_other\))",
       "m_warp = m_warp_other", values},
      // an online state
      {"a dropped rescale of the running sum", "online", R"(0\.0f : l \* exp2_fast\([^;]*;)", "0.0f : l;", values},
      {"a dropped rescale between lanes", "online", R"(0\.0f : l_warp \* exp2_fast\()",
       "0.0f : l_warp + 0.0f * exp2_fast(", values},
      {"swapped operands of a rescale", "online", R"(l_warp \* exp2_fast\(\(m_warp_value - t(\w*)\))",
       "l_warp * exp2_fast((t$1 - m_warp_value)", values},
      {"an unguarded -inf", "online", R"(m_value == t \? l : m_value == -__int_as_float\(0x7f800000\) \? 0\.0f : )", "",
       "random|exact|special"},
      {"a lost element, online", "online", "< 2500", "< 2496", values},
      {"a loop that never ends", "online", R"(\+\+tile)", "tile += 0", "step-limit"},
      {"a first tile that nobody reads", "online", "int tile = 0", "int tile = 1", values},
      {"a sum of another lane", "online", R"(__shfl_sync\(0xffffffffu, l_warp, 0\))",
       "__shfl_sync(0xffffffffu, l_warp, 1)", values},
      // a sweep a level, a block a row
      {"results that are never written", "two-pass", R"(store_words(\w*)\(y_row \+ j_first)",
       "if (j_first != 8) store_words$1(y_row + j_first", values},
      {"a read past the end", "two-pass", "j_first < 6000", "j_first < 6004", "random|exact|outlier|out-of-bounds"},
      {"a missing barrier", "two-pass", R"(__syncthreads\(\);)", "", races},
      {"a missing second barrier", "two-pass", R"((__syncthreads\(\);[^]*?)__syncthreads\(\);)", "$1", races},
      {"a warp's part that nobody stores", "blocks-logsumexp", R"(if \(is\) \{)", "if (is && threadIdx.x > 32) {",
       races},
      {"a part that the merge skips", "blocks-logsumexp", R"((int w = 1;[^]*?)int w = 1;)", "$1int w = 2;", values},
      {"a part that is merged twice", "blocks-logsumexp", R"((float l_row = |float y_1_row = )(\w+)\[0\];)",
       "$1$2[0] + $2[0];", values},
      // a cluster a row
      {"a barrier of a block where parts of peers are awaited", "cluster", R"(cluster_barrier_wait\(&m_met[^;]*;)",
       "__syncthreads();", races},
      {"parts that are not awaited", "cluster",
       R"((cluster_barrier_wait\(&m_met[^;]*;[^]*?)cluster_barrier_wait\([^;]*;)", "$1", races},
      {"peers that have not started are written to", "cluster", R"(cluster_wait\(\);)", "",
       "shared-race|mbarrier|cluster-start"},
      {"a barrier that awaits too few bytes", "cluster", R"(barrier_expect\(&m_met\[0\], 32\))",
       "barrier_expect(&m_met[0], 16)", "shared-race|uninitialised-shared|mbarrier|deadlock|step-limit"},
      {"a barrier that awaits more bytes than come", "cluster", R"(barrier_expect\(&m_met\[0\], 32\))",
       "barrier_expect(&m_met[0], 36)", never_ends},
      {"a part that one peer does not get", "cluster", "hands_on = lane_of_warp < 2", "hands_on = lane_of_warp < 1",
       never_ends},
      {"a part that goes to one peer twice", "cluster", R"(\* 4 \+ (\w+), lane_of_warp, m_warp)", "* 4 + $1, 0, m_warp",
       races},
      {"a rank beyond the cluster", "cluster", R"(\* 4 \+ (\w+), lane_of_warp, m_warp)",
       "* 4 + $1, lane_of_warp + 1, m_warp", "cluster-rank|out-of-bounds|shared-race|uninitialised-shared"},
      {"parts of two ranks in one place", "cluster", R"(rank \* 4 \+)", "rank * 0 +", races},
      {"both ranks take the first half of a row", "cluster", R"(rank \* 128 \+)", "0 * 128 +", values},
      {"a rank off by one", "cluster", R"(rank \* 128 \+)", "(rank + 1) * 128 +", "random|out-of-bounds"},
      // a row in shared memory
      {"a neighbour's element of shared memory", "shared", R"(= load_words<4>\(x_row \+ j_first\);)",
       "= load_words<4>(x_row + (j_first ^ 4));", races},
      {"a tile that is never staged", "shared", R"((j_first < 1500)(\) \{\s*store_words\(x_row))", "$1 && v != 1$2",
       races},
      {"a staged row that is one vector off", "shared", R"(load_words<4>\(x_row_2 \+ j_first\))",
       "load_words<4>(x_row_2 + (j_first ^ 4))", "random|exact|outlier|out-of-bounds"},
      // packed halves, rounding
      {"the parity of packed bf16 is swapped", "resident-online", R"(e % 2 == 0 \? words)", "e % 2 == 1 ? words",
       values},
      {"bf16 results are truncated", "resident-online", R"(cvt\.rn\.bf16x2\.f32)", "cvt.rz.bf16x2.f32", values},
      {"packed bf16 results change places", "resident-online", R"lit("f"\(high\), "f"\(low\))lit",
       R"lit("f"(low), "f"(high))lit", values},
      {"a state before its merge", "resident-online", R"(l_warp_other;\s*bf16\* const|1\.0f / l_warp\w*;)", "1.0f / l;",
       values},
      {"the parity of packed f16 is swapped", "f16", R"(16 \* \(e % 2\))", "16 * (1 - e % 2)", values},
      {"a kept value of the neighbour", "f16", R"(kept\[v\]\[e\] \*)", "kept[v][e ^ 1] *", values},
      {"accumulation in f32 where f64 is claimed", "f64", R"(l = l \+ t;)", "l = static_cast<float>(l + t);", values},
      {"an exponential in f32 where f64 is claimed", "f64", R"(= exp\()", "= expf(", values},
      {"bf16 results of columns are truncated", "columns", R"(cvt\.rn\.bf16\.f32)", "cvt.rz.bf16.f32", values},
      // a thread a row
      {"a lost element of a thread's row", "thread", R"(i \+ v < 67)", "i + v < 66", values},
      {"elements in two tiles", "thread", R"(tile \* 16)", "tile * 15", values},
      {"an unguarded -inf of a chunk", "thread", R"(chunk_m == -__int_as_float\(0x7f800000\) \? 0\.0f : )", "",
       "random|exact|special"},
      {"a result in another thread's place", "thread", R"(y \+ row;)", "y + (row ^ 1);", values},
      {"a result before its last term", "thread", R"(logf\(y_1\) \+ m)", "logf(y_1)", values},
      // columns
      {"a wrong stride of columns", "columns", R"(n_first\) \* C)", "n_first) * (C + 1)", "random|out-of-bounds"},
      {"a column beside", "columns", R"(x \+ row;)", "x + (row ^ 1);", values},
      {"a stale maximum in the last sweep", "columns", R"((to_bf16\(\w+\(\(?from_bf16\([^)]*\)) - m\b)",
       "$1 - 0.75f * m", values},
      {"a slice that is merged twice", "slices", "int s = 1; s <", "int s = 0; s <", values},
      {"a slice that is lost", "slices", "int s = 1; s < 32", "int s = 1; s < 31", values},
      {"a dropped rescale between slices", "slices", R"(l_column \* expf\([^)]*\))", "l_column", values},
      {"swapped operands between slices", "slices", R"(l_column \* expf\((\w+) - (\w+)\))", "l_column * expf($2 - $1)",
       values},
      {"a missing barrier before slices merge", "slices", R"(__syncthreads\(\);)", "", races},
      {"a missing barrier after slices merge", "slices", R"((__syncthreads\(\);[^]*?)__syncthreads\(\);)", "$1", races},
      {"a row of the neighbouring lane", "slices", R"(m\[e\] = m_of_slice\[(\w+)\];)", "m[e] = m_of_slice[$1 ^ 1];",
       values},
      {"slices of two ranks overlap", "column-cluster", R"(rank \* 16;)", "rank * 15;", values},
      {"a peer's maximum is ignored", "column-cluster", "int peer = 1; peer < 2", "int peer = 1; peer < 1", "special"},
      {"a peer's sum is ignored", "column-cluster", R"((int peer = 1; peer < 2[^]*?)int peer = 1; peer < 2)",
       "$1int peer = 1; peer < 1", values},
      {"the own part is counted twice", "column-cluster", R"((int peer = 1; peer < 2[^]*?)int peer = 1; peer < 2)",
       "$1int peer = 0; peer < 2", values},
      {"a peer is read before it has written", "column-cluster", R"((store_peer\([^}]*(?:\}\s*)+)cluster_sync\(\);)",
       "$1__syncthreads();", races},
      // reductions alone
      {"a wrong identity of a maximum", "maximum", R"(-__int_as_float\(0x7f800000\))", "0.0f",
       "random|exact|outlier|special"},
      {"a maximum that drops NaN", "maximum", R"(max\.NaN\.f32)", "max.f32", "special"},
      {"a wrong identity of a sum", "sum", R"(= 0\.0f;)", "= 1.0f;", values},
      {"accumulation in bf16", "sum", R"((\w+) = \1 \+ (f32_in\([^;]*\));)",
       "$1 = __uint_as_float(__float_as_uint($1 + $2) & 0xffff0000u);", values},
      {"a wrong identity of a product", "product", R"(= 1\.0f;)", "= 0.0f;", values},
      // statistics
      {"N for n in a chunk's mean", "variance", R"(/ chunk_n;)", "/ 100.0f;", values},
      {"an empty part that is not guarded", "variance", R"(n_warp_other == 0\.0f \? y_1_warp : )", "", values},
      {"a count that does not grow", "variance", R"(n_warp = (t\w*);)", "n_warp = n_warp_value;", values},
      {"a merge without the shift of the means", "variance", R"((y_1_warp_other) \+ t\w* \* t\w* \* \([^;)]*\))", "$1",
       values},
      {"N - 1 for N", "variance", R"(/ 100\.0f)", "/ 99.0f", values},
      {"swapped operands of a merge of third moments", "kurtosis",
       R"((\w+) = (mu_1_warp_other / n_warp_other) - (mu_1_warp_value / n_warp);)", "$1 = $3 - $2;", values},
      {"a wrong binomial coefficient", "kurtosis", R"((\+ m2_1_warp_value \* \([^)]*\)) \* 6\.0f)", "$1 * 4.0f",
       values},
      {"a count that one warp does not store", "moments", R"((n_of_warp\[\w+\]) = n_warp;)",
       "if (lane == 0) $1 = n_warp;", races},
      {"a part stored by the wrong lane", "moments", R"(lane % 32 == 0)", "lane % 32 == 1", values},
      {"two results change places", "moments", R"(= mean \+ row;([^]*)= var \+ row;)", "= var + row;$1= mean + row;",
       values},
      // weights, scalars, several results
      {"gamma and beta are swapped", "layernorm", R"((gamma_group = load_words<\w+>\()gamma_row)", "$1beta_row",
       values},
      {"eps is missing", "layernorm", R"(eps \+ )", "", "random|special"},
      {"weights of the first elements everywhere", "layernorm", R"(gamma_row \+ j_first)", "gamma_row + lane_start",
       values},
      {"a level before its barrier", "layernorm", R"((__syncthreads\(\);[^]*?)__syncthreads\(\);)", "$1", races},
      {"a mean that is one short", "layernorm", R"(mu_1_row / 1000\.0f)", "mu_1_row / 900.0f", values},
      {"counts of the cluster's parts are dropped", "layernorm-cluster", R"(, lane_of_warp, n_warp_other,)",
       ", lane_of_warp, 1.0f,", values},
      {"stale weights", "layernorm-cluster", R"(gamma_row \+ j_first)", "gamma_row + (j_first ^ 4)", values},
      {"the residual is forgotten in one result", "add-rmsnorm", R"(s_group\[e\] = \w+;)",
       "s_group[e] = bf16_in(x_tile[v].w, e);", values},
      {"one result is written into the other", "add-rmsnorm", R"(pack_bf16x8\(s_group\))", "pack_bf16x8(y_group)",
       values},
      // masks
      {"a mask that a sum ignores", "masked", R"(mask_tile\[v\]\[e\] != 0 \? exp2)", "true ? exp2", values},
      {"a mask that the result ignores", "masked", R"(mask_tile_2\[v\]\[e\] != 0 \?)", "true ?", values},
      {"a mask of the neighbour", "masked", R"(mask_row\[j_first \+ e\])", "mask_row[j_first]", values},
      {"a wrong row of the mask", "masked", R"(mask \+ row_start)", "mask + (row ^ 1) * 100LL", values},
      {"a causal mask one off", "causal", R"(<= row \?)", "< row ?", values},
      {"a causal sum one off", "causal", R"((< i\)[^]*?)< i\))", "$1<= i)", values},
      // argmax
      {"a tie takes the last index of a lane", "argmax", R"(&& (\w+) < y_at\))", "&& $1 > y_at)", "exact|special"},
      {"a tie between lanes takes the last index", "argmax", R"(y_at_warp_other < y_at_warp\))",
       "y_at_warp_other > y_at_warp)", "exact|special"},
      {"NaN is dropped by argmax", "argmax", R"(\((\w+) && !(\w+)\) \|\| \()", "(", "special"},
      {"an index one off", "argmax", R"(j_first \+ e\))", "j_first + e + 1)", values},
      // gathers
      {"an id of the neighbour", "cross-entropy", R"(x \+ target_value)", "x + (target_value ^ 1)", values},
      {"a gather in the first row", "cross-entropy", R"(target_value \+ row_start)", "target_value", values},
      {"an id that is not checked", "cross-entropy", R"(if \(!is\) __trap\(\);)", "", "ids"},
      {"a result by the lane that has a part only", "cross-entropy", R"(lane % 32 == 0)", "lane % 32 == 3", values},
      {"a check of ids one off", "embedding", R"(ids_value < V)", "ids_value <= V", "ids"},
      {"negative ids pass", "embedding", R"(0LL <= ids_value && )", "", "ids"},
      {"the first id everywhere", "embedding", R"(ids \+ row)", "ids + 0", values},
      {"a wrong stride of the table", "embedding", R"(ids_value \* 64LL)", "ids_value * 63LL", values},
      // maps
      {"a bias of the first elements", "gelu", R"(bias_row \+ (lane_start|j_first))", "bias_row", values},
      {"a constant off by a part in 500", "gelu", R"(\* 0\.5f)", "* 0.501f", values},
      {"a missing saturation", "clamp", R"(i < -128 \? -128 : i > 127 \? 127 : i)", "i", values},
      {"rounding towards zero to i8", "clamp", R"(__float2int_rn)", "__float2int_rz", values},
      {"a result that no lane stores", "affine", R"(if \(lane == 0\))", "if (lane == 40)", values},
      {"floor where half to even is due", "affine", R"(rintf\(-128)", "floorf(-128", values},
      {"an f16 result is truncated", "affine", R"(cvt\.rn\.f16\.f32)", "cvt.rz.f16.f32", values},
  };
  return all;
}

bool among(const std::string& word, const std::string& alternatives) {
  return ("|" + alternatives + "|").find("|" + word + "|") != std::string::npos;
}

std::string first_failure(const Validation& v) {
  for (const Check& c : v.checks)
    if (!c.passed) return c.id == "memory" && !v.faults.empty() ? v.faults.front().kind : c.id;
  return "nothing";
}

} // namespace

class TestPlantedFaults : public QObject {
  Q_OBJECT

  struct Built {
    StructureProfile structure;
    Problem problem;
    Variant variant;
  };
  std::unique_ptr<Backend> emulator_ = std::move(*make_backend("emulator"));
  std::map<std::string, Built> built_;
  std::string why_;

  const Built* nothing(std::string why) {
    why_ = std::move(why);
    return nullptr;
  }

  /// nullptr: it could not be built, and `why_` says why.
  const Built* built(const std::string& id) {
    if (auto known = built_.find(id); known != built_.end()) return &known->second;
    auto at = std::find_if(subjects().begin(), subjects().end(), [&](const Subject& s) { return id == s.id; });
    if (at == subjects().end()) throw std::runtime_error("no subject " + id);
    bool text = std::string(at->op).starts_with("op ");
    auto d =
        text ? parse_definition(at->op, id, std::nullopt) : load_definition(source_path("atlas/ops/") + at->op + ".op");
    if (!d) return nothing("no operator " + id);
    Built b{analyze(canonicalize(std::make_shared<const Definition>(std::move(*d)))),
            {at->dims, {}, at->type, "sm_90"},
            {}};
    CompilerProfile rules;
    PlanSpace space = plan(b.structure, judge(b.structure, rules), rules, b.problem);
    if (!restrict_to(space, at->choices).empty() || space.plans.empty()) return nothing("no plan for " + id);
    auto variant = build_variant(b.structure, space.plans.front(), b.problem);
    if (!variant) return nothing(id + " does not compile");
    b.variant = std::move(*variant);
    return &built_.emplace(id, std::move(b)).first->second;
  }

  Validation judged(const Built& b, const Variant& variant) {
    ValidationOptions options;
    options.edge_shapes = options.counters = false;
    auto rebuild = [&](const Plan& p, const Problem& other) -> Result<Variant> {
      if (&variant != &b.variant)
        return error("test.fault", "the fault was planted in the kernel of these sizes alone");
      return build_variant(b.structure, p, other);
    };
    auto v = validate(b.structure, {}, variant, b.problem, *emulator_, rebuild, options);
    return v ? *v : Validation{};
  }

 private slots:
  void initTestCase() {
    if (!nvrtc_info()) QSKIP("SKIPPED: no NVRTC");
  }

  void there_are_at_least_sixty() {
    std::set<std::string> names;
    for (const PlantedFault& f : planted()) names.insert(f.name);
    QCOMPARE(names.size(), planted().size());
    QVERIFY(names.size() >= 60);
  }

  void clean_data() {
    QTest::addColumn<QString>("subject");
    for (const Subject& s : subjects()) QTest::newRow(s.id) << s.id;
  }
  void clean() {
    QFETCH(QString, subject);
    const Built* b = built(subject.toStdString());
    QVERIFY2(b != nullptr, why_.c_str());
    Validation verdict = judged(*b, b->variant);
    for (const Check& c : verdict.checks)
      if (!c.passed) qInfo("%s: %s", c.id.c_str(), c.detail.c_str());
    QVERIFY(verdict.passed);
  }

  void faults_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < planted().size(); ++i) QTest::newRow(planted()[i].name) << static_cast<int>(i);
  }
  void faults() {
    QFETCH(int, row);
    const PlantedFault& fault = planted()[static_cast<std::size_t>(row)];
    const Built* b = built(fault.subject);
    QVERIFY2(b != nullptr, why_.c_str());
    Variant variant = b->variant;
    KernelModule& module = variant.modules.front();
    std::string changed = std::regex_replace(module.cuda_source, std::regex(fault.pattern), fault.replacement,
                                             std::regex_constants::format_first_only);
    if (changed == module.cuda_source) qInfo("%s", changed.c_str());
    QVERIFY2(changed != module.cuda_source, "the pattern is not in this kernel any more: plant the fault where it is");
    module.cuda_source = changed;
    auto compiled = compile(module);
    QVERIFY2(compiled, compiled.diagnostics.empty() ? "" : format(compiled.diagnostics.front()).c_str());
    variant.compiled.front() = *compiled;
    std::string found = first_failure(judged(*b, variant));
    QVERIFY2(among(found, fault.caught_by),
             qPrintable(QString("caught by %1, not by %2").arg(found.c_str(), fault.caught_by)));
  }
};

QTEST_GUILESS_MAIN(TestPlantedFaults)
#include "test_planted_faults.moc"
