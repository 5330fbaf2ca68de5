#include "supple/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define SUPPLE_THREADS 0
#else
#define SUPPLE_THREADS 1
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace supple {
namespace {

std::atomic<unsigned> requested_threads{0};
thread_local bool inside_loop = false;

}  // namespace

unsigned thread_count() {
#if SUPPLE_THREADS
  const unsigned requested = requested_threads.load(std::memory_order_relaxed);
  return requested != 0 ? requested : std::max(1u, std::thread::hardware_concurrency());
#else
  return 1;
#endif
}

void set_thread_count(unsigned count) { requested_threads.store(count, std::memory_order_relaxed); }

SerialLoops::SerialLoops() : before_(inside_loop) { inside_loop = true; }
SerialLoops::~SerialLoops() { inside_loop = before_; }

namespace detail {
namespace {

/// One loop in flight: workers take chunk numbers until none is left.
struct Loop {
  std::size_t count, chunk, chunks;
  void* context;
  ChunkFunction function;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};  // the first one, written by whoever set `failed`

  void work() {
    inside_loop = true;
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
        function(context, i * chunk, std::min(count, (i + 1) * chunk));
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
      next.store(chunks, std::memory_order_relaxed);  // what is not begun is left
    }
    inside_loop = false;
  }
};

#if SUPPLE_THREADS
/// Workers that sleep between loops. A frame's worth of skinning takes about 100 us, so waking must cost a few: workers
/// spin briefly for the next loop before they sleep.
class Pool {
 public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }

  void run(Loop& loop, unsigned threads) {
    std::lock_guard one_loop_at_a_time(run_mutex_);
    const unsigned helpers = grow(static_cast<unsigned>(std::min<std::size_t>(threads, loop.chunks)) - 1);
    {
      std::lock_guard lock(mutex_);
      loop_ = &loop;
      seats_.store(helpers, std::memory_order_release);  // publishes loop_, for late risers too
      generation_.fetch_add(1, std::memory_order_release);
    }
    if (sleeping_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
    loop.work();
    // A worker that has not sat down by now finds no seat; those that have are waited for.
    const unsigned unused = seats_.exchange(0, std::memory_order_acq_rel);
    while (finished_.load(std::memory_order_acquire) != helpers - unused) pause();
    finished_.store(0, std::memory_order_relaxed);
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

 private:
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  /// As many of the wanted workers as the system lets us have.
  unsigned grow(unsigned helpers) {
    try {
      while (workers_.size() < helpers) workers_.emplace_back([this, seen = generation_.load()] { worker(seen); });
    } catch (const std::exception&) {  // no more threads: fewer will do
    }
    return std::min(helpers, static_cast<unsigned>(workers_.size()));
  }

  bool take_seat() {
    unsigned seats = seats_.load(std::memory_order_acquire);
    while (seats > 0) {
      if (seats_.compare_exchange_weak(seats, seats - 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void worker(unsigned seen) {
    while (true) {
      for (int spin = 0; spin < 2000 && generation_.load(std::memory_order_acquire) == seen; ++spin) pause();
      if (generation_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        wake_.wait(lock, [&] { return generation_.load(std::memory_order_acquire) != seen; });
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      }
      seen = generation_.load(std::memory_order_acquire);
      if (stop_) return;
      if (take_seat()) {
        loop_->work();
        finished_.fetch_add(1, std::memory_order_release);
      }
    }
  }

  std::mutex run_mutex_, mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
  Loop* loop_ = nullptr;
  std::atomic<unsigned> generation_{0}, seats_{0}, finished_{0}, sleeping_{0};
  std::atomic<bool> stop_{false};
};

Pool& pool() {
  static Pool instance;
  return instance;
}
#endif

}  // namespace

void run_chunks(std::size_t count, std::size_t chunk, unsigned threads, void* context, ChunkFunction function) {
  if (count == 0) return;
  chunk = std::max<std::size_t>(chunk, 1);
  if (threads == 0) threads = thread_count();
  const std::size_t chunks = (count + chunk - 1) / chunk;
#if SUPPLE_THREADS
  if (threads > 1 && chunks > 1 && !inside_loop) {
    Loop loop{count, chunk, chunks, context, function};
    pool().run(loop, threads);
    return;
  }
#endif
  for (std::size_t i = 0; i < chunks; ++i) function(context, i * chunk, std::min(count, (i + 1) * chunk));
}

}  // namespace detail
}  // namespace supple
