// The memory limit of a worker's job, and what is said where a library ends the process for want of memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace aicf::cli {

/// Of what is allocated from now on together with what is, in MiB; 0: no limit of ours.
void limit_memory(std::int64_t megabytes);

/// Until it is called again: where something aborts, or reads what it was not given, while the limit is all but reached
/// (NVRTC's LLVM does), `line` goes to standard output and the process ends. It waits for `busy`, a little: somebody is
/// in the middle of a line. Empty: no more.
void leave_last_words(std::string line, const std::atomic<bool>& busy);

} // namespace aicf::cli
