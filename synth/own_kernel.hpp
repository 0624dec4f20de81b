// A kernel that a person wrote, joined to the operator that it claims to compute: which parameter is which input,
// result or size, and how it is launched. From then on it is a variant like any generated one.
#pragma once
#include "core/validate/validate.hpp"
#include "synth/kernel_signature.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aicf {

struct OwnKernelRequest {
  std::string file, source, entry; ///< file: as errors name it
  std::shared_ptr<const StructureProfile> structure;
  Problem problem;
  /// By position: the name of an input, result, size or scalar; an expression over sizes, for an integer; or
  /// `workspace(ELEMENTS)`. Empty: found by name, then by type.
  std::vector<std::string> arguments;
  std::string grid = "1", block = "1", cluster = "1", shared = "0"; ///< one to three expressions; bytes
  std::map<std::string, std::int64_t> multiples;  ///< the kernel takes only multiples of so much as that size
  std::vector<std::string> zeroed;                ///< results that its caller fills with zero before
  std::vector<std::string> options;               ///< of NVRTC
  std::map<std::string, std::string> approximate; ///< "exp" -> "fast": functions that it approximates
};

/// What one parameter stands for.
struct MappedParameter {
  KernelParameter parameter;
  std::string stands_for; ///< "x", "M", "M*N", "workspace(M*4)"
  std::string how;        ///< "name", "type", "--args"
  Arg::Role role = Arg::Role::input;
};

class OwnKernel {
 public:
  /// Compiles as well. Errors are placed in the file, in the launch expressions (files "--grid", "--block",
  /// "--cluster",
  /// "--shared") or at a parameter that stands for nothing. Warnings of the compiler accompany the value.
  [[nodiscard]] static Result<OwnKernel> bring(const OwnKernelRequest& request);

  [[nodiscard]] const std::vector<MappedParameter>& parameters() const { return mapped; }
  [[nodiscard]] const Compiled& compiled() const { return made; }
  /// Sizes that neither a parameter nor the launch depends on: the kernel holds them as constants.
  [[nodiscard]] const std::vector<std::string>& fixed_sizes() const { return fixed; }
  /// The kernel (and the fills before it) for these sizes. A size that its launch does not allow is a diagnostic
  /// "check.size".
  [[nodiscard]] Result<Variant> at(const Problem& problem) const;

 private:
  OwnKernelRequest request;
  std::vector<MappedParameter> mapped;
  std::vector<std::string> fixed;
  std::string compiled_source;
  Compiled made;
  std::map<std::string, Compiled> fills; ///< by result

  Result<std::map<std::string, std::int64_t>> names_of(const Problem& problem) const;
  Result<Launch> launch_at(const Problem& problem) const;
  std::vector<Diagnostic> map_parameters(const KernelSignature& signature);
  Result<Variant> assembled(const Problem& problem, const Launch& launch) const;
};

} // namespace aicf
