#include "supple/base/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
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

/// One loop in flight. Every thread begins with a share of its own, the same one in the next loop of as many chunks:
/// what it read and wrote is still in its cache when the next frame asks for it again. Then it helps the others.
struct Loop {
  static constexpr std::size_t most_shares = 64;
  struct alignas(64) Share {  // a cache line each
    std::atomic<std::size_t> next;
    std::size_t end;
    Share() {}
  };
  std::size_t count, chunk;
  void* context;
  ChunkFunction function;
  std::size_t shares;
  std::array<Share, most_shares> share;  // as many as there are threads are made
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};  // the first one, written by whoever set `failed`

  Loop(std::size_t count, std::size_t chunk, std::size_t chunks, void* context, ChunkFunction function,
       std::size_t threads)
      : count(count),
        chunk(chunk),
        context(context),
        function(function),
        shares(std::min({threads, chunks, most_shares})) {
    for (std::size_t s = 0; s < shares; ++s) {
      share[s].next.store(s * chunks / shares, std::memory_order_relaxed);
      share[s].end = (s + 1) * chunks / shares;
    }
  }

  /// By thread number `thread`, of any.
  void work(std::size_t thread) {
    inside_loop = true;
    try {
      for (std::size_t s = 0; s < shares; ++s) {
        Share& own = share[(thread + s) % shares];
        while (own.next.load(std::memory_order_relaxed) < own.end) {  // what is empty is not written to
          const std::size_t i = own.next.fetch_add(1, std::memory_order_relaxed);
          if (i < own.end) function(context, i * chunk, std::min(count, (i + 1) * chunk));
        }
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
      for (std::size_t s = 0; s < shares; ++s)  // what is not begun is left
        share[s].next.store(share[s].end, std::memory_order_relaxed);
    }
    inside_loop = false;
  }
};

#if SUPPLE_THREADS
/// Workers that sleep between loops. A frame's worth of skinning takes about 100 us, so waking must cost a few: workers
/// spin briefly for the next loop before they sleep. What they look at then is one cache line.
class Pool {
 public:
  ~Pool() {
    stop_ = true;
    announce(0);
    for (std::thread& t : workers_) t.join();
  }

  void run(Loop& loop, unsigned threads) {
    std::lock_guard one_loop_at_a_time(run_mutex_);
    const unsigned helpers = grow(threads - 1);
    loop_ = &loop;
    announce(helpers);  // publishes loop_, for late risers too
    loop.work(0);
    // A worker that has not sat down by now finds no seat; those that have are waited for.
    const unsigned unused = seats(state_.fetch_and(~seat_mask, std::memory_order_acq_rel));
    while (finished_.load(std::memory_order_acquire) != helpers - unused) pause();
    finished_.store(0, std::memory_order_relaxed);
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

 private:
  // The number of the loop, and how many workers may still join it: nobody takes a seat of another loop than he saw.
  static constexpr std::uint64_t seat_mask = 0xffffffff;
  static unsigned seats(std::uint64_t state) { return static_cast<unsigned>(state & seat_mask); }
  static std::uint64_t generation(std::uint64_t state) { return state >> 32; }

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
      while (workers_.size() < helpers)
        workers_.emplace_back(
            [this, seen = generation(state_.load()), number = workers_.size() + 1] { worker(seen, number); });
    } catch (const std::exception&) {  // no more threads: fewer will do
    }
    return std::min(helpers, static_cast<unsigned>(workers_.size()));
  }

  void announce(unsigned helpers) {
    const std::uint64_t next = generation(state_.load(std::memory_order_relaxed)) + 1;
    state_.store(next << 32 | helpers, std::memory_order_seq_cst);
    // A worker says that it sleeps before it looks at the state for the last time: one of the two sees the other.
    if (sleeping_.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard lock(mutex_);  // it waits by now
      wake_.notify_all();
    }
  }

  void worker(std::uint64_t seen, std::size_t number) {
    const auto is_new = [&] { return generation(state_.load(std::memory_order_seq_cst)) != seen; };
    while (true) {
      for (int spin = 0; spin < 2000 && !is_new(); ++spin) pause();
      if (!is_new()) {
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        wake_.wait(lock, is_new);
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      }
      std::uint64_t state = state_.load(std::memory_order_acquire);
      seen = generation(state);
      if (stop_) return;
      while (seats(state) > 0 && generation(state) == seen) {
        if (!state_.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel)) continue;
        loop_->work(number);
        finished_.fetch_add(1, std::memory_order_release);
        break;
      }
    }
  }

  std::mutex run_mutex_, mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
  alignas(64) std::atomic<std::uint64_t> state_{0};
  Loop* loop_ = nullptr;
  std::atomic<unsigned> sleeping_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<unsigned> finished_{0};
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
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, chunks));
    Loop loop(count, chunk, chunks, context, function, threads);
    pool().run(loop, threads);
    return;
  }
#endif
  for (std::size_t i = 0; i < chunks; ++i) function(context, i * chunk, std::min(count, (i + 1) * chunk));
}

}  // namespace detail
}  // namespace supple
