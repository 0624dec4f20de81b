// What CUDA's device runtime does for a kernel: printf, assert, malloc and free.
#include "core/exec/emulator/machine.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

namespace aicf::emulator {
namespace {

constexpr std::size_t max_printed = std::size_t{1} << 20, max_text = 4096; ///< bytes

} // namespace

/// The characters at a generic address up to the zero byte.
std::string Worker::text_at(u64 address) const {
  std::string text;
  for (; text.size() < max_text; ++address) {
    const std::byte* host = launch.memory->find(address, 1);
    if (host == nullptr || *host == std::byte{0}) break;
    text += static_cast<char>(*host);
  }
  return text;
}

/// vprintf: each conversion takes its value from the arguments, at a multiple of its size.
void Worker::print(Warp& w, const Wide& op, u32 pc, u32 exec) {
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (((exec >> lane) & 1) == 0) continue;
    const std::string format = text_at(value64(w, op.in[0], lane));
    u64 at = value64(w, op.in[1], lane);
    std::string line;
    u32 conversions = 0;
    for (std::size_t i = 0; i < format.size();) {
      if (format[i] != '%') {
        line += format[i++];
        continue;
      }
      std::size_t end = i + 1;
      while (end < format.size() && std::strchr("-+ #0123456789.", format[end]) != nullptr) ++end;
      std::string flags = format.substr(i, end - i);
      bool wide = false;
      while (end < format.size() && std::strchr("hljztL", format[end]) != nullptr) {
        wide = wide || format[end] != 'h';
        ++end;
      }
      const char kind = end < format.size() ? format[end] : '%';
      i = std::min(end + 1, format.size());
      if (kind == '%') {
        line += '%';
        continue;
      }
      const bool real = std::strchr("eEfFgGaA", kind) != nullptr;
      const u32 bytes = real || wide || kind == 's' || kind == 'p' ? 8 : 4;
      at = (at + bytes - 1) / bytes * bytes;
      Place place;
      if (!resolve(w, pc, lane, ptx::Space::generic, at, bytes, "printf argument", false, place)) return;
      at += bytes;
      u64 v = 0;
      std::memcpy(&v, place.host, bytes);
      ++conversions;
      std::array<char, 512> out{};
      if (flags.size() > 20) flags = "%"; // no width of thousands
      if (kind == 's') {
        line += text_at(v);
        continue;
      }
      if (real)
        std::snprintf(out.data(), out.size(), (flags + kind).c_str(), as_f64(v));
      else if (kind == 'c')
        std::snprintf(out.data(), out.size(), (flags + 'c').c_str(), static_cast<int>(v & 0xff));
      else if (kind == 'p')
        std::snprintf(out.data(), out.size(), "0x%llx", static_cast<unsigned long long>(v));
      else if (kind == 'd' || kind == 'i')
        std::snprintf(out.data(), out.size(), (flags + "lld").c_str(),
                      bytes == 8 ? static_cast<long long>(v) : static_cast<long long>(static_cast<s32>(v)));
      else if (std::strchr("uxXo", kind) != nullptr)
        std::snprintf(out.data(), out.size(), (flags + "ll" + kind).c_str(), static_cast<unsigned long long>(v));
      line += out.data();
    }
    set32(w, op.out[0], lane, conversions);
    const std::scoped_lock lock(launch.fault_mutex);
    if (launch.printed.size() + line.size() <= max_printed) launch.printed += line;
  }
}

void Worker::assertion(Warp& w, const Wide& op, u32 pc, u32 exec) {
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (((exec >> lane) & 1) == 0) continue;
    fault(w, pc, lane, "assert",
          text_at(value64(w, op.in[1], lane)) + ":" + std::to_string(value32(w, op.in[2], lane)) + ": " +
              text_at(value64(w, op.in[3], lane)) + ": assertion '" + text_at(value64(w, op.in[0], lane)) + "' failed");
  }
  launch.abort = true;
}

void Worker::heap(Warp& w, const Wide& op, u32 pc, u32 exec) {
  for (u32 lane = 0; lane < lanes; ++lane) {
    if (((exec >> lane) & 1) == 0) continue;
    const u64 operand = value64(w, op.in[0], lane);
    if (op.kind == WideKind::allocate) {
      set64(w, op.out[0], lane, launch.heap.allocate(operand));
      continue;
    }
    if (operand == 0) continue;
    const Heap::State was = launch.heap.release(operand);
    if (was == Heap::State::live) continue;
    fault(w, pc, lane, "use-after-free",
          was == Heap::State::freed ? "free of memory that was freed before" : "free of what malloc did not give",
          operand);
  }
}

} // namespace aicf::emulator
