// A synthesis job from a JSON body, as `aicf worker` takes it and `aicf synth` makes it from its options.
#pragma once
#include "synth/synthesis.hpp"

#include <nlohmann/json_fwd.hpp>

namespace aicf {

/// Body: text or op (a file or an atlas name), op_name, profile (object or text), dims, scalars, dtype, target,
/// backend, budget, seed, row_limit, counters, resume, choices (texts of values by parameter). Every wrong field is a
/// diagnostic. The structure is analysed.
[[nodiscard]] Result<SynthesisRequest> request_from(const nlohmann::json& body, std::stop_token stop = {});

} // namespace aicf
