// NumPy's .npy files, versions 1 to 3 (format: numpy.lib.format, NEP 1).
//
// Read: f2 f4 f8 i1 i4 i8 b1 of either byte order, C or Fortran order, into a packed row-major tensor; another element
// type, a structured one, a size that does not fit the header and anything that is no .npy are diagnostics ("npy.…",
// with the file). Written: version 1, little-endian, C order; bf16, which .npy does not
// have, goes out as f32, exactly.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/tensor.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace aicf {

[[nodiscard]] Result<HostTensor> read_npy(const std::filesystem::path& file);
/// `name` stands in the diagnostics.
[[nodiscard]] Result<HostTensor> parse_npy(std::span<const std::byte> bytes, const std::string& name);

[[nodiscard]] std::vector<std::byte> npy_bytes(const HostTensor& tensor);
/// Empty when the file was written.
[[nodiscard]] std::vector<Diagnostic> write_npy(const std::filesystem::path& file, const HostTensor& tensor);

/// The whole of a file; "io.read" with the system's reason otherwise.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& file);

} // namespace aicf
