#include "core/base/hash.hpp"

#include <bit>
#include <cstring>

namespace aicf {
namespace {

/// The first 32 fractional bits of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2), computed exactly:
/// the largest n with n^3 <= p * 2^96 by integer bisection, low 32 bits.
using U128 = unsigned __int128;

struct Constants {
  std::array<std::uint32_t, 64> k{};
  std::array<std::uint32_t, 8> h{};
  constexpr Constants() {
    std::array<std::uint64_t, 64> primes{};
    std::size_t count = 0;
    for (std::uint64_t n = 2; count < primes.size(); ++n) {
      bool prime = true;
      for (std::size_t i = 0; i < count && prime; ++i) prime = n % primes[i] != 0;
      if (prime) primes[count++] = n;
    }
    for (std::size_t i = 0; i < 64; ++i) k[i] = root_fraction(primes[i], true);
    for (std::size_t i = 0; i < 8; ++i) h[i] = root_fraction(primes[i], false);
  }
  static constexpr std::uint32_t root_fraction(std::uint64_t p, bool cube) {
    std::uint64_t lo = 0, hi = std::uint64_t{1} << 37; // sqrt(311) < 2^5
    while (hi - lo > 1) {
      std::uint64_t mid = lo + (hi - lo) / 2;
      bool fits = cube ? at_most_cube(mid, p) : U128{mid} * mid <= U128{p} << 64;
      (fits ? lo : hi) = mid;
    }
    return static_cast<std::uint32_t>(lo);
  }
  /// mid^3 <= p * 2^96 with mid < 2^37, in two limbs.
  static constexpr bool at_most_cube(std::uint64_t mid, std::uint64_t p) {
    U128 square = U128{mid} * mid; // < 2^74
    U128 high = (square >> 64) * mid, low = U128{static_cast<std::uint64_t>(square)} * mid;
    high += low >> 64;
    std::uint64_t rest = static_cast<std::uint64_t>(low);
    U128 right = U128{p} << 32; // p * 2^96 = right * 2^64
    return high < right || (high == right && rest == 0);
  }
};
constexpr Constants constants;

void compress(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t* b = block + 4 * i;
    w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants.k[i] + w[i];
    std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  std::array<std::uint32_t, 8> next{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += next[i];
}

} // namespace

Hash sha256(std::string_view bytes) {
  std::array<std::uint32_t, 8> state = constants.h;
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t i = 0; i < whole; i += 64) compress(state, data + i);
  std::array<std::uint8_t, 128> tail{};
  std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  std::size_t size = rest < 56 ? 64 : 128;
  std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) tail[size - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  for (std::size_t i = 0; i < size; i += 64) compress(state, tail.data() + i);
  Hash out{};
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

std::string to_hex(const Hash& hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::uint8_t b : hash) out += {digits[b >> 4U], digits[b & 15U]};
  return out;
}

std::string short_hex(const Hash& hash) { return to_hex(hash).substr(0, 12); }

bool from_hex(std::string_view text, Hash& out) {
  if (text.size() != 64) return false;
  auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  for (std::size_t i = 0; i < 32; ++i) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

} // namespace aicf
