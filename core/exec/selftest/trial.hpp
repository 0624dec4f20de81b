// A PTX text with its buffers, to be run more than once on the same data.
#pragma once
#include "core/exec/backend.hpp"

#include <cstring>

namespace aicf::selftest {

struct Trial {
  Call call;
  std::vector<std::vector<std::byte>> buffers;

  Trial(std::string ptx, unsigned grid, unsigned block);
  Trial(Call prepared, std::vector<std::vector<std::byte>> data)
      : call(std::move(prepared)), buffers(std::move(data)) {}
  void buffer(Arg::Role role, const void* data, std::size_t bytes); ///< zeros where `data` is null
  /// The last buffer afterwards; `problem` says why there is none.
  [[nodiscard]] std::vector<std::byte> run(Backend& backend, std::string& problem) const;
};

template <class T> T at(const std::vector<std::byte>& bytes, std::size_t i) {
  T v;
  std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
  return v;
}

[[nodiscard]] std::string hexadecimal(std::uint64_t v);

} // namespace aicf::selftest
