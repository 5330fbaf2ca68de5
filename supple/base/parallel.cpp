#include "supple/base/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define SUPPLE_THREADS 0
#else
#define SUPPLE_THREADS 1
#include <condition_variable>
#include <mutex>
#include <thread>
#endif
#if SUPPLE_THREADS && !defined(__EMSCRIPTEN__) && (defined(__unix__) || defined(__APPLE__))
#define SUPPLE_FORKS 1
#include <pthread.h>
#else
#define SUPPLE_FORKS 0
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

#if SUPPLE_THREADS
/// Consecutive chunks of a loop.
struct Chunks {
  std::uint32_t first = 0, count = 0;
};

/// The share of one thread in a loop: consecutive chunks, the same ones in the next loop of as many, since what it read
/// and wrote is still in its cache when the next frame asks for it again. All it takes to begin is one cache line,
/// which the thread looks at while it waits.
struct alignas(64) Share {
  // The number of the loop, and the next chunk: nobody takes a chunk of another loop than he saw.
  std::atomic<std::uint64_t> state{0};
  std::atomic<std::uint32_t> end{0};     // chunks before this one are the share's
  std::atomic<std::uint32_t> shares{0};  // of the loop; 0: there are no more loops
  std::atomic<std::uint32_t> most{1};    // chunks that are taken at once, and of many no more than three quarters
  std::atomic<void*> context{nullptr};
  // Read only by who has taken a chunk, and written only when all that were taken are done.
  ChunkFunction function = nullptr;
  std::size_t count = 0, chunk = 0;
  std::atomic<std::uint32_t> undone{0};  // chunks that are not done, taken or not

  static constexpr std::uint32_t closed = ~0u;  // no chunk comes before this one

  static std::uint32_t loop(std::uint64_t state) { return static_cast<std::uint32_t>(state >> 32); }
  static std::uint32_t next(std::uint64_t state) { return static_cast<std::uint32_t>(state); }
  static std::uint64_t pack(std::uint32_t loop, std::uint32_t next) { return std::uint64_t{loop} << 32 | next; }

  static std::uint32_t part_of(std::uint32_t left, std::uint32_t most) { return std::min(most, left - left / 4); }

  /// Takes the next chunks of that loop, or all that are left.
  Chunks take(std::uint32_t of_loop, bool all = false) {
    std::uint64_t seen = state.load(std::memory_order_acquire);
    while (loop(seen) == of_loop) {
      // Are these of the next loop? Then the exchange fails.
      const std::uint32_t last = end.load(std::memory_order_acquire), limit = most.load(std::memory_order_relaxed);
      if (next(seen) >= last) break;
      const std::uint32_t left = last - next(seen), taken = all ? left : part_of(left, limit);
      if (state.compare_exchange_weak(seen, seen + taken, std::memory_order_acquire)) return {next(seen), taken};
    }
    return {};
  }
};
static_assert(sizeof(Share) == 64);

/// Workers that sleep between loops. A frame's worth of skinning takes 10 to 100 us, so handing it over must cost well
/// below one: workers spin briefly for the next loop before they sleep.
class Pool {
 public:
  static constexpr unsigned most_threads = 256;

  ~Pool() {
    for (std::uint32_t w = 1; w <= workers_; ++w) {
      shares_[w].shares = 0;
      shares_[w].state = Share::pack(loop_ + 1, Share::closed);
      wake(beds_[w]);
      beds_[w].thread.join();
    }
  }

  void run(std::size_t count, std::size_t chunk, std::uint32_t chunks, unsigned threads, Calls calls, void* context,
           ChunkFunction function) {
    std::lock_guard one_loop_at_a_time(run_mutex_);
    const std::uint32_t shares = grow(std::min(threads, most_threads) - 1) + 1;
    const std::uint32_t most = calls == Calls::one_a_chunk ? 1 : ~0u;
    const std::uint32_t of_each = chunks / shares, longer = chunks % shares;  // the first ones have one more
    std::uint32_t end = chunks;
    Chunks own;
    ++loop_;
    for (std::uint32_t s = shares; s-- > 0;) {  // one's own last: the others are waiting
      Share& share = shares_[s];
      const std::uint32_t first = end - of_each - (s < longer);
      share.state.store(Share::pack(loop_ - 1, Share::closed), std::memory_order_relaxed);
      share.end.store(end, std::memory_order_release);
      share.shares.store(shares, std::memory_order_relaxed);
      share.most.store(most, std::memory_order_relaxed);
      share.context.store(context, std::memory_order_relaxed);
      share.function = function;
      share.count = count;
      share.chunk = chunk;
      share.undone.store(end - first, std::memory_order_relaxed);
      // One's own first chunks are taken already: no need to wait until all processors can see the shares.
      if (s == 0) own = {first, Share::part_of(end - first, most)};
      share.state.store(Share::pack(loop_, first + own.count), std::memory_order_release);
      end = first;
    }
    for (std::uint32_t w = 1; w < shares; ++w)
      if (beds_[w].asleep.load(std::memory_order_relaxed) != 0) wake(beds_[w]);
    inside_loop = true;
    work(0, loop_, shares, own);
    // A worker that lay down at that very moment was not seen asleep, and did not see the loop.
    for (std::uint32_t w = 1; w < shares; ++w)
      if (beds_[w].asleep.fetch_or(0, std::memory_order_acq_rel) != 0) wake(beds_[w]);
    help(0, loop_, shares);
    inside_loop = false;
    for (std::uint32_t s = 0; s < shares; ++s)
      while (shares_[s].undone.load(std::memory_order_acquire) != 0) pause();
    if (failed_.load(std::memory_order_relaxed)) {
      failed_.store(false, std::memory_order_relaxed);
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

 private:
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  /// Where a worker sleeps.
  struct alignas(64) Bed {
    std::atomic<unsigned> asleep{0};  // 1 where it is
    std::mutex mutex;
    std::condition_variable wake;
    std::thread thread;
  };

  /// As many of the wanted workers as the system lets us have.
  std::uint32_t grow(std::uint32_t helpers) {
    try {
      while (workers_ < helpers) {
        const std::uint32_t number = workers_ + 1;
        beds_[number].thread = std::thread([this, number] { worker(number); });
        workers_ = number;
      }
    } catch (const std::exception&) {  // no more threads: fewer will do
    }
    return std::min(helpers, workers_);
  }

  static void wake(Bed& bed) {
    std::lock_guard lock(bed.mutex);  // it waits by now
    bed.wake.notify_one();
  }

  /// Chunks that were taken from a share.
  void work(std::uint32_t of, std::uint32_t loop, std::uint32_t shares, Chunks chunks) {
    Share& share = shares_[of];
    try {
      share.function(share.context.load(std::memory_order_relaxed), chunks.first * share.chunk,
                     std::min(share.count, (chunks.first + std::size_t{chunks.count}) * share.chunk));
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
      give_up(loop, shares);
    }
    share.undone.fetch_sub(chunks.count, std::memory_order_release);
  }

  /// Does one's own share of a loop, then what the others have not begun.
  void help(std::uint32_t number, std::uint32_t loop, std::uint32_t shares) {
    for (std::uint32_t s = 0; s < shares; ++s) {
      const std::uint32_t of = (number + s) % shares;
      for (Chunks some = shares_[of].take(loop); some.count != 0; some = shares_[of].take(loop))
        work(of, loop, shares, some);
    }
  }

  /// What is not begun is left.
  void give_up(std::uint32_t loop, std::uint32_t shares) {
    for (std::uint32_t s = 0; s < shares; ++s)
      shares_[s].undone.fetch_sub(shares_[s].take(loop, true).count, std::memory_order_release);
  }

  void worker(std::uint32_t number) {
    const Share& share = shares_[number];
    Bed& bed = beds_[number];
    std::uint32_t seen = 0;  // the last loop that had a share for it
    const auto is_new = [&] { return Share::loop(share.state.load(std::memory_order_acquire)) != seen; };
    while (true) {
      for (int spin = 0; spin < 2000 && !is_new(); ++spin) pause();
      if (!is_new()) {
        std::unique_lock lock(bed.mutex);
        bed.asleep.exchange(1, std::memory_order_acq_rel);  // either this is seen, or the new loop is
        bed.wake.wait(lock, is_new);
        bed.asleep.store(0, std::memory_order_relaxed);
      }
      seen = Share::loop(share.state.load(std::memory_order_acquire));
      const std::uint32_t shares = share.shares.load(std::memory_order_relaxed);
      if (shares == 0) return;
      // On its way while the chunk is taken.
      __builtin_prefetch(share.context.load(std::memory_order_relaxed));
      inside_loop = true;
      help(number, seen, shares);
      inside_loop = false;
    }
  }

  std::mutex run_mutex_;
  std::uint32_t loop_ = 0;  // the number of the last one
  std::uint32_t workers_ = 0;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;                // the first one, written by whoever set `failed_`
  std::array<Share, most_threads> shares_{};  // the first is that of who asks for the loop, the others the workers'
  std::array<Bed, most_threads> beds_{};
};

/// The pool of a process. A child that was forked has none of its parent's threads, and must neither wait for them nor
/// end them: it begins with a pool of its own, in the place of the parent's, without asking for memory.
class PoolOfProcess {
 public:
  PoolOfProcess() {
#if SUPPLE_FORKS
    pthread_atfork(nullptr, nullptr, [] { one().pool_ = new (one().room_) Pool; });
#endif
  }
  ~PoolOfProcess() { pool_->~Pool(); }
  PoolOfProcess(const PoolOfProcess&) = delete;

  static PoolOfProcess& one() {
    static PoolOfProcess instance;
    return instance;
  }
  Pool& pool() { return *pool_; }

 private:
  alignas(Pool) std::byte room_[sizeof(Pool)];
  Pool* pool_ = new (room_) Pool;
};
#endif

}  // namespace

void run_chunks(std::size_t count, std::size_t chunk, unsigned threads, Calls calls, void* context,
                ChunkFunction function) {
  if (count == 0) return;
  chunk = std::max<std::size_t>(chunk, 1);
  if (threads == 0) threads = thread_count();
  const std::size_t chunks = (count + chunk - 1) / chunk;
#if SUPPLE_THREADS
  if (threads > 1 && chunks > 1 && chunks < std::numeric_limits<std::uint32_t>::max() && !inside_loop) {
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, chunks));
    PoolOfProcess::one().pool().run(count, chunk, static_cast<std::uint32_t>(chunks), threads, calls, context,
                                    function);
    return;
  }
#endif
  if (calls == Calls::one_for_several) return function(context, 0, count);
  for (std::size_t i = 0; i < chunks; ++i) function(context, i * chunk, std::min(count, (i + 1) * chunk));
}

}  // namespace detail
}  // namespace supple
