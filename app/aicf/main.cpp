// aicf: the engine on the command line, and the worker that the window talks to. Links no Qt.
#include "app/aicf/command.hpp"
#include "app/aicf/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <thread>

namespace {

/// Ctrl-C asks the work to stop cleanly. A second one ends the program at once; where there is nothing to keep, 50
/// milliseconds do.
class Interrupts {
 public:
  explicit Interrupts(std::stop_source source) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, s);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr); // inherited by every later thread
    std::signal(SIGPIPE, SIG_IGN);
    std::thread([source = std::move(source), signals]() mutable {
      int signal = 0;
      if (sigwait(&signals, &signal) != 0) return;
      source.request_stop();
      constexpr timespec patience{0, 50'000'000};
      if (!aicf::cli::ends_at_once()) {
        if (sigwait(&signals, &signal) == 0) _exit(128 + signal);
        return;
      }
      signal = sigtimedwait(&signals, nullptr, &patience);
      if (signal > 0) _exit(128 + signal);
      _exit(aicf::cli::stopped());
    }).detach();
  }
};

} // namespace

int main(int argc, char** argv) {
  std::stop_source stop;
  Interrupts interrupts(stop);
  CLI::App app{"AICF Workbench: the structure of GPU operators, what preserves it, and kernels that realize it",
               "aicf"};
  app.require_subcommand(1);
  app.set_version_flag("--version", AICF_VERSION);
  std::function<int(std::stop_token)> chosen;
  for (const aicf::cli::Command& command : aicf::cli::commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.about);
    auto run = command.setup(*sub);
    sub->callback([&chosen, run] { chosen = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) { // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    return aicf::cli::complain(wrong.what() + std::string(" (see aicf --help)"));
  }
  try {
    int status = chosen(stop.get_token());
    std::cout.flush();
    if (!std::cout) return aicf::cli::complain("standard output could not be written");
    return status;
  } catch (const std::bad_alloc&) {
    std::cerr << "aicf: out of memory\n";
    return aicf::cli::lacking;
  } catch (const std::exception& broken) {
    std::cerr << "aicf: internal error: " << broken.what() << "\n";
    return 70; // EX_SOFTWARE
  }
}
