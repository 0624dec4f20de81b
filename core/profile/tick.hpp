// A tick: one change of a profile in words, as refusals name them and people click them.
#pragma once
#include "core/profile/profile.hpp"

namespace aicf {

/// "strictness.arithmetic=rescaled" sets a setting (in the text form's values); "transformations.forbid-=fast_exp" and
/// "+=" take an element out of a list or put it in. A setting or a value that there is not is a diagnostic.
[[nodiscard]] Result<CompilerProfile> with_tick(const CompilerProfile& profile, std::string_view tick);

} // namespace aicf
