// Work off the window's thread of which only the newest matters: while one task runs, at most one waits, and a result
// that was overtaken is dropped. Results arrive on the thread of the context. Tasks should poll their stop token.
#pragma once
#include <QCoreApplication>
#include <QMetaObject>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace aicf::views {

template <class T> class Latest {
 public:
  using Task = std::function<T(std::stop_token)>;
  using Sink = std::function<void(T)>;

  explicit Latest(QObject* context) : state_(std::make_shared<State>()) { state_->context = context; }
  Latest(const Latest&) = delete;
  Latest& operator=(const Latest&) = delete;
  ~Latest() { cancel(); }

  void request(Task task, Sink sink) {
    state_->stop.request_stop();
    state_->waiting = Job{std::move(task), std::move(sink)};
    startNext(state_);
  }
  void cancel() {
    state_->stop.request_stop();
    state_->waiting.reset();
    ++state_->generation;
  }
  [[nodiscard]] bool busy() const { return state_->running; }

 private:
  struct Job {
    Task task;
    Sink sink;
  };
  struct State {
    QPointer<QObject> context;
    std::stop_source stop;
    std::optional<Job> waiting;
    std::uint64_t generation = 0;
    bool running = false;
  };

  static void startNext(const std::shared_ptr<State>& state) {
    if (state->running || !state->waiting || !state->context) return;
    Job job = std::move(*state->waiting);
    state->waiting.reset();
    state->running = true;
    state->stop = std::stop_source();
    const std::uint64_t generation = ++state->generation;
    QThreadPool::globalInstance()->start(
        [state, generation, job = std::move(job), token = state->stop.get_token()]() mutable {
          auto result = std::make_shared<T>(job.task(token));
          // The application object outlives every pool thread; the context may be gone by then, and is checked there.
          QMetaObject::invokeMethod(
              qApp,
              [state, generation, result, sink = std::move(job.sink)] {
                state->running = false;
                const bool fresh = generation == state->generation && !state->waiting && state->context;
                if (fresh) sink(std::move(*result));
                startNext(state);
              },
              Qt::QueuedConnection);
        });
  }

  std::shared_ptr<State> state_;
};

} // namespace aicf::views
