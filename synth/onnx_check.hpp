// An ONNX model of one operator against its data set: the definition in the reference, and generated kernels on a
// backend, against the outputs that come with the model.
#pragma once
#include "core/graph/onnx_operator.hpp"
#include "core/structure/structure.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

struct OnnxComparison {
  std::string of;  ///< "reference", or the id of a variant
  std::string how; ///< the variant's family and state form
  bool passed = false;
  double max_rel_err = 0; ///< over the elements that are finite and not zero
  std::string detail;     ///< the first element that differs, or why nothing ran
};

struct OnnxCheck {
  OnnxOperator op;
  std::shared_ptr<const StructureProfile> structure;
  std::vector<OnnxComparison> comparisons;
  [[nodiscard]] bool passed() const;
};

struct OnnxCheckOptions {
  std::string backend = "emulator"; ///< "reference": no kernels
  std::size_t variants = 2;         ///< at most; each of another form
};

/// `folder` holds input_0.pb …, output_0.pb …; empty: the text and its structure alone. The tolerance is that of ONNX's
/// own backend tests, |actual - expected| <= 1e-7 + 1e-3 |expected| (or one unit in the last place of a bf16 or f16
/// result: older data sets truncate), and nothing for integers and truth values.
[[nodiscard]] Result<OnnxCheck> check_onnx(const std::filesystem::path& model, const std::filesystem::path& folder,
                                           const OnnxCheckOptions& options = {}, std::stop_token stop = {});

[[nodiscard]] nlohmann::json to_json(const OnnxCheck& check);

} // namespace aicf
