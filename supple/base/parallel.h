// Data parallel loops over fixed chunks. Results never depend on the number of threads: a chunk is computed the same
// way whoever computes it, and reductions add chunk results in chunk order.
#pragma once

#include <cstddef>
#include <vector>

namespace supple {

/// Threads used when none is asked for: the machine's, or what set_thread_count() said.
unsigned thread_count();
/// 0 restores the default. Not to be called while a parallel loop runs.
void set_thread_count(unsigned count);

/// While one lives, loops of its thread run on that thread alone: for threads that are themselves one of many.
class SerialLoops {
 public:
  SerialLoops();
  ~SerialLoops();
  SerialLoops(const SerialLoops&) = delete;
  SerialLoops& operator=(const SerialLoops&) = delete;

 private:
  bool before_;
};

namespace detail {
using ChunkFunction = void (*)(void* context, std::size_t begin, std::size_t end);
enum class Calls { one_a_chunk, one_for_several };
void run_chunks(std::size_t count, std::size_t chunk, unsigned threads, Calls calls, void* context,
                ChunkFunction function);

template <Calls calls, class Body>
void run_body(std::size_t count, std::size_t chunk, Body& body, unsigned threads) {
  void* const context = const_cast<void*>(static_cast<const void*>(&body));  // made `Body` again, const or not
  run_chunks(count, chunk, threads, calls, context,
             [](void* same_body, std::size_t begin, std::size_t end) { (*static_cast<Body*>(same_body))(begin, end); });
}
}  // namespace detail

/// Calls body(begin, end) for consecutive chunks of [0, count), on up to `threads` threads (0: thread_count()), each of
/// which begins with the same share in every loop of as many chunks: caches keep it. Chunks come in any order. Does not
/// allocate. Nested calls run on the calling thread. Where `body` throws, as it does when memory runs out, chunks
/// that are not begun are left, and the first exception comes out of here.
template <class Body>
void parallel_for(std::size_t count, std::size_t chunk, Body&& body, unsigned threads = 0) {
  detail::run_body<detail::Calls::one_a_chunk>(count, chunk, body, threads);
}

/// The same with fewer calls, each for as many consecutive chunks as leave the other threads enough to do: for bodies
/// that begin slowly, and whose results do not depend on where they begin.
template <class Body>
void parallel_for_ranges(std::size_t count, std::size_t chunk, Body&& body, unsigned threads = 0) {
  detail::run_body<detail::Calls::one_for_several>(count, chunk, body, threads);
}

/// Sum of part(begin, end) over chunks, added in chunk order: the same bits for any number of threads.
template <class Value, class Part>
Value parallel_sum(std::size_t count, std::size_t chunk, Value zero, Part&& part) {
  std::vector<Value> parts((count + chunk - 1) / chunk, zero);
  parallel_for(count, chunk, [&](std::size_t begin, std::size_t end) { parts[begin / chunk] = part(begin, end); });
  for (const Value& p : parts) zero += p;
  return zero;
}

}  // namespace supple
