#include "core/kernel/cuda_preamble.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace aicf::ir {
namespace {

struct Piece {
  const char *name, *text;
  std::array<const char*, 3> uses;
};

#define AICF_DEVICE "__device__ __forceinline__ "
// Pieces of one text.
#define AICF_EXTREME(op, type)                                                                                         \
  {                                                                                                                    \
    op "_of_" type,                                                                                                    \
        "template <int n> " AICF_DEVICE "float " op "_of_" type                                                        \
        "(const Words<n>& v) { // two elements at a time; NaN wins\n"                                                  \
        "  unsigned m = v.w[0];\n"                                                                                     \
        "#pragma unroll\n"                                                                                             \
        "  for (int i = 1; i < n; ++i) asm(\"" op ".NaN." type                                                         \
        "x2 %0, %1, %2;\" : \"=r\"(m) : \"r\"(m), \"r\"(v.w[i]));\n"                                                   \
        "  return " op "_nan(" type "_in(&m, 0), " type "_in(&m, 1));\n"                                               \
        "}\n",                                                                                                         \
    {                                                                                                                  \
      "words", op "_nan", type "_in"                                                                                   \
    }                                                                                                                  \
  }
#define AICF_STORE(type, ptx, constraint)                                                                              \
  AICF_DEVICE "void store_peer(" type "* to, int rank, " type " v) {\n"                                                \
              "  asm volatile(\"st.shared::cluster." ptx " [%0], %1;\" ::\"r\"(peer_address(to, rank)), \"" constraint \
              "\"(v) : \"memory\");\n"                                                                                 \
              "}\n"
#define AICF_SEND(type, ptx, constraint, comment)                                                                      \
  AICF_DEVICE "void send_peer(" type "* to, int rank, " type " v, const unsigned long long* barrier) {" comment "\n"   \
              "  asm volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes." ptx                            \
              " [%0], %1, [%2];\" ::\"r\"(\n"                                                                          \
              "                   peer_address(to, rank)), \"" constraint                                              \
              "\"(v), \"r\"(peer_address(barrier, rank)) : \"memory\");\n"                                             \
              "}\n"
#define AICF_WAIT(name, order, comment)                                                                                \
  {                                                                                                                    \
    name,                                                                                                              \
        AICF_DEVICE "void " name "(unsigned long long* barrier, unsigned parity) { // " comment "\n"                   \
                    "  asm volatile(\n"                                                                                \
                    "      \"{\\n.reg .pred done;\\nPOLL:\\nmbarrier.try_wait.parity" order                            \
                    ".shared::cta.b64 done, [%0], \"\n"                                                                \
                    "      \"%1;\\n@done bra DONE;\\nbra POLL;\\nDONE:\\n}\" ::\"r\"(shared_address(barrier)), "       \
                    "\"r\"(parity)\n"                                                                                  \
                    "      : \"memory\");\n"                                                                           \
                    "}\n",                                                                                             \
    {                                                                                                                  \
      "shared_address"                                                                                                 \
    }                                                                                                                  \
  }

const Piece pieces[] = {
    {"bf16", "using bf16 = unsigned short; // the upper half of an f32\n", {}},
    {"f16", "using f16 = unsigned short; // the bits of an IEEE half\n", {}},
    {"from_bf16",
     AICF_DEVICE "float from_bf16(bf16 bits) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }\n",
     {"bf16"}},
    {"to_bf16",
     AICF_DEVICE "bf16 to_bf16(float v) { // round half to even\n"
                 "  bf16 bits;\n"
                 "  asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(v));\n"
                 "  return bits;\n"
                 "}\n",
     {"bf16"}},
    {"pack_bf16",
     AICF_DEVICE "unsigned pack_bf16(float low, float high) { // two roundings half to even\n"
                 "  unsigned bits;\n"
                 "  asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(bits) : \"f\"(high), \"f\"(low));\n"
                 "  return bits;\n"
                 "}\n",
     {}},
    {"from_f16",
     AICF_DEVICE "float from_f16(f16 bits) {\n"
                 "  float v;\n"
                 "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(v) : \"h\"(bits));\n"
                 "  return v;\n"
                 "}\n",
     {"f16"}},
    {"to_f16",
     AICF_DEVICE "f16 to_f16(float v) { // round half to even\n"
                 "  f16 bits;\n"
                 "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(v));\n"
                 "  return bits;\n"
                 "}\n",
     {"f16"}},
    {"pack_f16",
     AICF_DEVICE "unsigned pack_f16(float low, float high) { // two roundings half to even\n"
                 "  unsigned bits;\n"
                 "  asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(bits) : \"f\"(high), \"f\"(low));\n"
                 "  return bits;\n"
                 "}\n",
     {}},
    {"sticky_f32",
     AICF_DEVICE "float sticky_f32(double v) { // cut off, the last bit says so: rounding this again rounds v once\n"
                 "  unsigned bits = __float_as_uint(__double2float_rz(v));\n"
                 "  return __uint_as_float(static_cast<double>(__uint_as_float(bits)) != v ? bits | 1u : bits);\n"
                 "}\n",
     {}},
    {"to_i8",
     AICF_DEVICE "signed char to_i8(float v) { // round half to even, saturate, NaN is 0\n"
                 "  int i = __float2int_rn(v);\n"
                 "  return static_cast<signed char>(i < -128 ? -128 : i > 127 ? 127 : i);\n"
                 "}\n" AICF_DEVICE "signed char to_i8(double v) {\n"
                 "  int i = v == v ? __double2int_rn(v) : 0;\n"
                 "  return static_cast<signed char>(i < -128 ? -128 : i > 127 ? 127 : i);\n"
                 "}\n" AICF_DEVICE "signed char to_i8(int i) {\n"
                 "  return static_cast<signed char>(i < -128 ? -128 : i > 127 ? 127 : i);\n"
                 "}\n" AICF_DEVICE "signed char to_i8(long long i) {\n"
                 "  return static_cast<signed char>(i < -128 ? -128 : i > 127 ? 127 : i);\n"
                 "}\n",
     {}},
    {"to_i32",
     AICF_DEVICE "int to_i32(float v) { return __float2int_rn(v); } // half to even, saturates, NaN is 0\n" AICF_DEVICE
                 "int to_i32(double v) { return v == v ? __double2int_rn(v) : 0; }\n" AICF_DEVICE
                 "int to_i32(long long v) { // saturates\n"
                 "  return static_cast<int>(v < -2147483648LL ? -2147483648LL : v > 2147483647LL ? 2147483647LL : v);\n"
                 "}\n",
     {}},
    {"to_i64",
     AICF_DEVICE
     "long long to_i64(float v) { return v == v ? __float2ll_rn(v) : 0; } // half to even, saturates\n" AICF_DEVICE
     "long long to_i64(double v) { return v == v ? __double2ll_rn(v) : 0; }\n",
     {}},
    {"max_nan",
     AICF_DEVICE "float max_nan(float a, float b) { // NaN wins\n"
                 "  float m;\n"
                 "  asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(m) : \"f\"(a), \"f\"(b));\n"
                 "  return m;\n"
                 "}\n" AICF_DEVICE "double max_nan(double a, double b) { return a > b || a != a ? a : b; }\n",
     {}},
    {"min_nan",
     AICF_DEVICE "float min_nan(float a, float b) { // NaN wins\n"
                 "  float m;\n"
                 "  asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(m) : \"f\"(a), \"f\"(b));\n"
                 "  return m;\n"
                 "}\n" AICF_DEVICE "double min_nan(double a, double b) { return a < b || a != a ? a : b; }\n",
     {}},
    {"read_again",
     "template <class T> " AICF_DEVICE
     "const T* read_again(const T* from) { // a sweep of its own: the compiler does not keep what an earlier one read\n"
     "  asm volatile(\"\" : \"+l\"(from));\n"
     "  return from;\n"
     "}\n",
     {}},
    {"renew",
     "template <int n> " AICF_DEVICE
     "void renew(Words<n>& words) { // the compiler does not keep what an earlier sweep made of them\n"
     "#pragma unroll\n"
     "  for (int i = 0; i < n; ++i) asm volatile(\"\" : \"+r\"(words.w[i]));\n"
     "}\n",
     {"words"}},
    {"exp2_fast",
     AICF_DEVICE "float exp2_fast(float v) { // 2 ulp; below 2^-126 it is 0\n"
                 "  float e;\n"
                 "  asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(e) : \"f\"(v));\n"
                 "  return e;\n"
                 "}\n",
     {}},
    {"log2_fast",
     AICF_DEVICE "float log2_fast(float v) {\n"
                 "  float l;\n"
                 "  asm(\"lg2.approx.f32 %0, %1;\" : \"=f\"(l) : \"f\"(v));\n"
                 "  return l;\n"
                 "}\n",
     {}},
    {"reciprocal_fast",
     AICF_DEVICE "float reciprocal_fast(float v) { // 1 ulp\n"
                 "  float r;\n"
                 "  asm(\"rcp.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(v));\n"
                 "  return r;\n"
                 "}\n",
     {}},
    {"erf_fast",
     AICF_DEVICE "float erf_fast(float v) { // erfc(|v|) = 2^-p(|v|), p fitted with weight erfc; error 2^-22 of 1\n"
                 "  float x = fabsf(v), p = 4.5359091e-05f;\n"
                 "  p = fmaf(p, x, -4.4551093e-04f);\n"
                 "  p = fmaf(p, x, 1.48944964e-03f);\n"
                 "  p = fmaf(p, x, 7.7462103e-04f);\n"
                 "  p = fmaf(p, x, -2.82536764e-02f);\n"
                 "  p = fmaf(p, x, 1.48481607e-01f);\n"
                 "  p = fmaf(p, x, 9.1841638e-01f);\n"
                 "  p = fmaf(p, x, 1.62790859f);\n"
                 "  return copysignf(1.0f - exp2_fast(-p * x), v);\n"
                 "}\n",
     {"exp2_fast"}},
    {"tanh_fast",
     AICF_DEVICE "float tanh_fast(float v) { // 1 - 2 / (1 + e^2v); error 2^-20 of 1\n"
                 "  return 1.0f - 2.0f * reciprocal_fast(1.0f + exp2_fast(v * 2.88539008f));\n"
                 "}\n",
     {"exp2_fast", "reciprocal_fast"}},
    {"sign_of",
     "template <class T> " AICF_DEVICE
     "T sign_of(T v) { return v > 0 ? T(1) : v < 0 ? T(-1) : v; } // 0 and NaN stay\n",
     {}},
    {"floor_div",
     "template <class T> " AICF_DEVICE
     "T floor_div(T a, T b) { return a / b - ((a % b != 0) & ((a < 0) != (b < 0))); }\n",
     {}},
    {"floor_mod",
     "template <class T> " AICF_DEVICE "T floor_mod(T a, T b) { // the sign of the divisor\n"
     "  T r = a % b;\n"
     "  return r + (((r != 0) & ((r < 0) != (b < 0))) ? b : 0);\n"
     "}\n",
     {}},
    {"floor_mod_real",
     AICF_DEVICE "float floor_mod_real(float a, float b) { // the sign of the divisor\n"
                 "  float r = fmodf(a, b);\n"
                 "  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
                 "}\n" AICF_DEVICE "double floor_mod_real(double a, double b) {\n"
                 "  double r = fmod(a, b);\n"
                 "  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
                 "}\n",
     {}},
    {"words",
     "template <int n> struct alignas(n < 4 ? 4 * n : 16) Words { unsigned w[n]; }; // what one packed access moves\n",
     {}},
    {"load_words",
     "template <int n> " AICF_DEVICE
     "Words<n> load_words(const void* from) { return *static_cast<const Words<n>*>(from); }\n",
     {"words"}},
    {"store_words",
     "template <int n> " AICF_DEVICE "void store_words(void* to, const Words<n>& words) {\n"
     "  *static_cast<Words<n>*>(to) = words;\n"
     "}\n",
     {"words"}},
    {"load_words_streaming",
     "template <int n> " AICF_DEVICE "Words<n> load_words_streaming(const void* from) { // evict first: read once\n"
     "  Words<n> v;\n"
     "  const unsigned* p = static_cast<const unsigned*>(from);\n"
     "  if constexpr (n == 1) asm(\"ld.global.cs.u32 %0, [%1];\" : \"=r\"(v.w[0]) : \"l\"(p));\n"
     "  if constexpr (n == 2) asm(\"ld.global.cs.v2.u32 {%0, %1}, [%2];\" : \"=r\"(v.w[0]), \"=r\"(v.w[1]) : "
     "\"l\"(p));\n"
     "  if constexpr (n >= 4) {\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < n; i += 4)\n"
     "      asm(\"ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
     "          : \"=r\"(v.w[i]), \"=r\"(v.w[i + 1]), \"=r\"(v.w[i + 2]), \"=r\"(v.w[i + 3])\n"
     "          : \"l\"(p + i));\n"
     "  }\n"
     "  return v;\n"
     "}\n",
     {"words"}},
    {"store_words_streaming",
     "template <int n> " AICF_DEVICE "void store_words_streaming(void* to, const Words<n>& v) { // evict first\n"
     "  unsigned* p = static_cast<unsigned*>(to);\n"
     "  if constexpr (n == 1) asm volatile(\"st.global.cs.u32 [%0], %1;\" ::\"l\"(p), \"r\"(v.w[0]) : \"memory\");\n"
     "  if constexpr (n == 2)\n"
     "    asm volatile(\"st.global.cs.v2.u32 [%0], {%1, %2};\" ::\"l\"(p), \"r\"(v.w[0]), \"r\"(v.w[1]) : "
     "\"memory\");\n"
     "  if constexpr (n >= 4) {\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < n; i += 4)\n"
     "      asm volatile(\"st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};\" ::\"l\"(p + i), \"r\"(v.w[i]), \"r\"(v.w[i + "
     "1]),\n"
     "                   \"r\"(v.w[i + 2]), \"r\"(v.w[i + 3])\n"
     "                   : \"memory\");\n"
     "  }\n"
     "}\n",
     {"words"}},
    {"f32_in", AICF_DEVICE "float f32_in(const unsigned* words, int e) { return __uint_as_float(words[e]); }\n", {}},
    {"i32_in", AICF_DEVICE "int i32_in(const unsigned* words, int e) { return static_cast<int>(words[e]); }\n", {}},
    {"bf16_in",
     AICF_DEVICE "float bf16_in(const unsigned* words, int e) { // the even one of a word is its lower half\n"
                 "  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xffff0000u);\n"
                 "}\n",
     {}},
    {"f16_in",
     AICF_DEVICE "float f16_in(const unsigned* words, int e) {\n"
                 "  return from_f16(static_cast<f16>(words[e / 2] >> 16 * (e % 2)));\n"
                 "}\n",
     {"from_f16"}},
    AICF_EXTREME("max", "bf16"),
    AICF_EXTREME("max", "f16"),
    AICF_EXTREME("min", "bf16"),
    AICF_EXTREME("min", "f16"),
    {"i8_in",
     AICF_DEVICE "int i8_in(const unsigned* words, int e) {\n"
                 "  return static_cast<signed char>(words[e / 4] >> 8 * (e % 4) & 0xffu);\n"
                 "}\n",
     {}},
    {"bool_in",
     AICF_DEVICE "bool bool_in(const unsigned* words, int e) { return (words[e / 4] >> 8 * (e % 4) & 0xffu) != 0; }\n",
     {}},
    {"i64_in",
     AICF_DEVICE
     "long long i64_in(const unsigned* words, int e) {\n"
     "  return static_cast<long long>(static_cast<unsigned long long>(words[2 * e + 1]) << 32 | words[2 * e]);\n"
     "}\n",
     {}},
    {"f64_in",
     AICF_DEVICE "double f64_in(const unsigned* words, int e) { return __longlong_as_double(i64_in(words, e)); }\n",
     {"i64_in"}},
    {"put_element",
     "template <class T> " AICF_DEVICE
     "void put_element(unsigned* words, int e, T bits) { // one element of packed words\n"
     "  constexpr int in_word = 4 / static_cast<int>(sizeof(T));\n"
     "  const unsigned mask = (1u << 8 * sizeof(T)) - 1u, shift = 8 * sizeof(T) * (e % in_word);\n"
     "  words[e / in_word] = (words[e / in_word] & ~(mask << shift)) | (static_cast<unsigned>(bits) & mask) << shift;\n"
     "}\n" AICF_DEVICE
     "void put_element(unsigned* words, int e, float v) { words[e] = __float_as_uint(v); }\n" AICF_DEVICE
     "void put_element(unsigned* words, int e, int v) { words[e] = static_cast<unsigned>(v); }\n" AICF_DEVICE
     "void put_element(unsigned* words, int e, long long v) {\n"
     "  words[2 * e] = static_cast<unsigned>(v);\n"
     "  words[2 * e + 1] = static_cast<unsigned>(static_cast<unsigned long long>(v) >> 32);\n"
     "}\n" AICF_DEVICE
     "void put_element(unsigned* words, int e, double v) { put_element(words, e, __double_as_longlong(v)); }\n",
     {}},
    {"cluster_rank",
     AICF_DEVICE "unsigned cluster_rank() { // of this block in its cluster\n"
                 "  unsigned rank;\n"
                 "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
                 "  return rank;\n"
                 "}\n",
     {}},
    {"cluster_sync",
     AICF_DEVICE "void cluster_sync() { // all threads of all blocks of the cluster; what they wrote is seen\n"
                 "  asm volatile(\"barrier.cluster.arrive.release.aligned;\" ::: \"memory\");\n"
                 "  asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");\n"
                 "}\n",
     {}},
    {"cluster_arrive",
     AICF_DEVICE "void cluster_arrive() { // this block has started\n"
                 "  asm volatile(\"barrier.cluster.arrive.release.aligned;\" ::: \"memory\");\n"
                 "}\n",
     {}},
    {"cluster_wait",
     AICF_DEVICE "void cluster_wait() { // for all threads of the cluster to have arrived\n"
                 "  asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");\n"
                 "}\n",
     {}},
    {"peer_address",
     AICF_DEVICE "unsigned peer_address(const void* p, int rank) { // the same place in the block of that rank\n"
                 "  unsigned there;\n"
                 "  asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(shared_address(p)), "
                 "\"r\"(rank));\n"
                 "  return there;\n"
                 "}\n",
     {"shared_address"}},
    {"store_peer",
     AICF_STORE("float", "f32", "f") AICF_STORE("double", "f64", "d") AICF_STORE("int", "s32", "r")
         AICF_STORE("long long", "s64", "l"),
     {"peer_address"}},
    {"send_peer",
     AICF_SEND("float", "f32", "f", " // which counts its bytes there") AICF_SEND("double", "f64", "d", "")
         AICF_SEND("int", "s32", "r", "") AICF_SEND("long long", "s64", "l", ""),
     {"peer_address"}},
    {"shared_address",
     AICF_DEVICE
     "unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }\n",
     {}},
    {"copy_async",
     "template <int bytes> " AICF_DEVICE
     "void copy_async(void* to, const void* from) { // 16 bytes at a time, or 8, or 4\n"
     "  constexpr int step = bytes < 16 ? bytes : 16;\n"
     "#pragma unroll\n"
     "  for (int i = 0; i < bytes; i += step)\n"
     "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2;\" ::\"r\"(shared_address(to) + i),\n"
     "                 \"l\"(static_cast<const char*>(from) + i), \"n\"(step)\n"
     "                 : \"memory\");\n"
     "}\n",
     {"shared_address"}},
    {"copy_bulk",
     AICF_DEVICE "void copy_bulk(void* to, const void* from, unsigned bytes, const unsigned long long* barrier) {\n"
                 "  asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                 "[%3];\" ::\"r\"(\n"
                 "                   shared_address(to)),\n"
                 "               \"l\"(from), \"r\"(bytes), \"r\"(shared_address(barrier))\n"
                 "               : \"memory\");\n"
                 "}\n",
     {"shared_address"}},
    {"barrier_init",
     AICF_DEVICE "void barrier_init(unsigned long long* barrier, unsigned arrivals) {\n"
                 "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(shared_address(barrier)), "
                 "\"r\"(arrivals) : \"memory\");\n"
                 "}\n",
     {"shared_address"}},
    {"barrier_arrive",
     AICF_DEVICE
     "void barrier_arrive(unsigned long long* barrier) {\n"
     "  asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(shared_address(barrier)) : \"memory\");\n"
     "}\n",
     {"shared_address"}},
    {"barrier_expect",
     AICF_DEVICE
     "void barrier_expect(unsigned long long* barrier, unsigned bytes) { // arrives, and awaits so many bytes\n"
     "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(shared_address(barrier)),\n"
     "               \"r\"(bytes)\n"
     "               : \"memory\");\n"
     "}\n",
     {"shared_address"}},
    AICF_WAIT("barrier_wait", "", "until that phase is complete"),
    AICF_WAIT("cluster_barrier_wait", ".acquire.cluster", "and for what peers sent"),
    {"mma_bf16",
     AICF_DEVICE "void mma_bf16(float (&d)[4], const bf16 (&a)[8], const bf16 (&b)[4]) { // m16n8k16, d += a * b\n"
                 "  auto pair = [](bf16 low, bf16 high) { return static_cast<unsigned>(low) | "
                 "static_cast<unsigned>(high) << 16; };\n"
                 "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, {%8, %9}, \"\n"
                 "               \"{%0, %1, %2, %3};\"\n"
                 "               : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
                 "               : \"r\"(pair(a[0], a[1])), \"r\"(pair(a[2], a[3])), \"r\"(pair(a[4], a[5])), "
                 "\"r\"(pair(a[6], a[7])),\n"
                 "                 \"r\"(pair(b[0], b[1])), \"r\"(pair(b[2], b[3])));\n"
                 "}\n",
     {"bf16"}},
};

#undef AICF_WAIT
#undef AICF_SEND
#undef AICF_STORE
#undef AICF_EXTREME
#undef AICF_DEVICE

const Piece* find(const std::string& name) {
  auto found = std::find_if(std::begin(pieces), std::end(pieces), [&](const Piece& p) { return name == p.name; });
  return found == std::end(pieces) ? nullptr : found;
}

} // namespace

std::string storage_type(DType dtype) {
  switch (dtype) {
  case DType::f32: return "float";
  case DType::f16: return "f16";
  case DType::bf16: return "bf16";
  case DType::f64: return "double";
  case DType::i8: return "signed char";
  case DType::i32: return "int";
  case DType::i64: return "long long";
  case DType::boolean: return "unsigned char";
  }
  throw std::logic_error("an element type without storage");
}

const std::string& CudaPreamble::need(const std::string& piece) {
  auto known = used_.find(piece);
  if (known != used_.end()) return *known;
  const Piece* p = find(piece);
  if (p == nullptr) throw std::logic_error("no device function " + piece);
  for (const char* use : p->uses)
    if (use != nullptr) need(use);
  order_.push_back(piece);
  return *used_.insert(piece).first;
}

std::string CudaPreamble::words(std::uint32_t count) {
  need("words");
  return "Words<" + std::to_string(count) + ">";
}

std::string CudaPreamble::pack(DType to, const std::string& from, std::uint32_t count) {
  std::string n = std::to_string(count), name = "pack_" + std::string(name_of(to)) + "x" + n;
  if (used_.contains(name)) return name;
  std::string type = words(count * static_cast<std::uint32_t>(size_of(to)) / 4);
  std::string head = "__device__ __forceinline__ " + type + " " + name + "(const " + from + " (&v)[" + n + "]) {\n  " +
                     type + " out{};\n#pragma unroll\n";
  std::string body;
  if (to == DType::bf16 || to == DType::f16) {
    auto at = [&](const char* i) {
      std::string v = std::string("v[") + i + "]";
      return from == "float" ? v : need("sticky_f32") + "(" + v + ")"; // integers, too, are doubles first
    };
    body = "  for (int i = 0; i < " + n + "; i += 2) out.w[i / 2] = " + need("pack_" + std::string(name_of(to))) + "(" +
           at("i") + ", " + at("i + 1") + ");\n";
  } else {
    std::string value = "static_cast<" + storage_type(to) + ">(v[i])";
    if (to == DType::i8) value = need("to_i8") + "(v[i])";
    body = "  for (int i = 0; i < " + n + "; ++i) " + need("put_element") + "(out.w, i, " + value + ");\n";
  }
  order_.push_back(name);
  used_.insert(name);
  made_.emplace_back(name, head + body + "  return out;\n}\n");
  return name;
}

std::string CudaPreamble::text() const {
  std::string out;
  for (const std::string& name : order_) {
    if (const Piece* p = find(name)) {
      out += p->text;
      continue;
    }
    for (const auto& [made, text] : made_)
      if (made == name) out += text;
  }
  return out;
}

} // namespace aicf::ir
