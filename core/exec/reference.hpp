// The judge: a definition evaluated as it is written, in f64 or in extended precision (MPFR), NaN and infinities
// included. Named functions round as the C library (f64) or MPFR does; inputs are taken exactly, explicit rounding
// points round.
#pragma once
#include "core/base/tensor.hpp"
#include "core/expr/definition.hpp"

#include <map>
#include <stop_token>
#include <string>

namespace aicf {

struct Bindings {
  std::map<std::string, HostTensor> inputs; ///< by name; extents bind the dims
  std::map<std::string, double> scalars;    ///< overrides of the defaults
};

struct ReferenceOptions {
  int precision = 53; ///< bits: 53 is f64, more is MPFR
  std::stop_token stop{};
};

/// The dims bound by the shapes of the inputs; mismatches, missing and unknown inputs are diagnostics.
[[nodiscard]] Result<std::map<std::string, std::int64_t>>
bind_dims(const Definition& definition, const std::map<std::string, std::vector<std::int64_t>>& shapes,
          const std::map<std::string, double>& scalars = {});

/// Shape of every result (and input) once dims and scalars are bound.
[[nodiscard]] Result<std::map<std::string, std::vector<std::int64_t>>>
shapes_for(const Definition& definition, const std::map<std::string, std::int64_t>& dims,
           const std::map<std::string, double>& scalars = {});

/// Results by name as f64 tensors (unrounded; i64/bool results as numbers). Run-time errors (an id out of range, an
/// index outside a tensor, argmax of nothing) are diagnostics with the statement's place.
[[nodiscard]] Result<std::map<std::string, HostTensor>> evaluate(const Definition& definition, const Bindings& bindings,
                                                                 const ReferenceOptions& options = {});

} // namespace aicf
