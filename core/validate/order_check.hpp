// Order verdicts put to the test: a kernel is run with its blocks in other orders, and in batches of other sizes, and
// must give the same bits. What agrees in all of these is not proven to keep an order; what differs has lost it.
#pragma once
#include "core/validate/validate.hpp"

namespace aicf {

/// The dims that are a batch: an axis of every result, no element's value speaks of them, and along them an element
/// reads its own place alone. What such a dim counts may be cut short, and the results before the cut stay the same
/// numbers.
[[nodiscard]] std::vector<std::string> batch_dims(const StructureProfile& structure);

struct OrderTrial {
  int orders = 4;     ///< other orders of the blocks
  bool beyond = true; ///< against a batch of twice its own and more; else its own is the largest
  std::uint64_t seed = 1;
  const std::map<std::string, HostTensor>* whole = nullptr; ///< results of the largest batch, where they are known
};

/// What runs at these sizes; a kernel that chooses its parts by the batch is another one for another batch.
using Build = std::function<Result<Variant>(const Problem&)>;

/// Random inputs of the largest batch; other orders of the blocks, and of each batch dim the sizes 1, half and, beyond
/// its own, one less and its own. A batch that `build` or its kernel does not serve is not tried; without a batch dim,
/// or where it is 1, only the order of blocks is.
[[nodiscard]] Result<OrderConfirmation> confirm_order(const StructureProfile& structure, const Problem& problem,
                                                      Backend& backend, const Build& build, const OrderTrial& how = {},
                                                      std::stop_token stop = {});

} // namespace aicf
