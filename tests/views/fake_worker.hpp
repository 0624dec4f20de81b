// Workers for tests of the window: a shell script that behaves as it is told, or none at all.
#pragma once
#include "tests/support/paths.hpp"
#include "views/engine/jobs.hpp"

namespace aicf::views {

/// mode: of tests/views/fake_worker.sh.
inline JobTargets fakeTargets(const char* mode, int workers = 1) {
  WorkerTarget target;
  target.program = "/bin/sh";
  target.arguments = {test::source_path("tests/views/fake_worker.sh"), mode};
  target.workers = workers;
  return {{target}, {}, {}};
}

/// Whatever is asked is lost.
inline JobTargets noTargets() {
  WorkerTarget target;
  target.program = "/bin/false";
  return {{target}, {}, {}};
}

} // namespace aicf::views
