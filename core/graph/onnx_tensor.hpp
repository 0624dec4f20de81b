// ONNX TensorProto (the .pb files of ONNX test data, the initializers of models) into a packed row-major tensor.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/tensor.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace onnx {
class TensorProto;
}

namespace aicf {

struct OnnxTensor {
  std::string name; ///< as in the file; may be empty
  HostTensor tensor;
  int widened_bits = 0; ///< of an integer type of ONNX that we lack, whose values are in an i64 tensor; 0: none was
  bool widened_unsigned = false;
};

/// f32 f16 bf16 f64 i8 i32 i64 bool, as raw data or in the typed fields. Another element type, data in other files, a
/// count that does not fit the shape, and what is no TensorProto are diagnostics ("onnx.…", with the file).
[[nodiscard]] Result<OnnxTensor> read_onnx_tensor(const std::filesystem::path& file);
/// Also u8 u16 u32 u64 i16, as i64. A value above 2^63 - 1 is a diagnostic.
[[nodiscard]] Result<OnnxTensor> read_widened_onnx_tensor(const std::filesystem::path& file);
[[nodiscard]] Result<OnnxTensor> parse_onnx_tensor(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<HostTensor> tensor_of(const onnx::TensorProto& proto, const std::string& file);

/// As raw_data. Errors say why the file could not be written.
[[nodiscard]] std::vector<Diagnostic> write_onnx_tensor(const std::filesystem::path& file, const std::string& name,
                                                        const HostTensor& tensor);

} // namespace aicf
