#include "supple/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <new>
#include <thread>

#include "supple/base/rng.h"

namespace supple {
namespace {

TEST(Parallel, VisitsEveryIndexOnce) {
  for (const std::size_t count : {0, 1, 7, 64, 1000, 100003}) {
    for (const unsigned threads : {1u, 2u, 5u, 80u}) {  // more than there are shares
      std::vector<std::atomic<int>> visits(count);
      parallel_for(
          count, 64,
          [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) ++visits[i];
          },
          threads);
      for (const auto& v : visits) ASSERT_EQ(v.load(), 1);
    }
  }
}

TEST(Parallel, ManySmallLoopsInARow) {
  std::atomic<std::size_t> total{0};
  for (int i = 0; i < 20000; ++i) {
    parallel_for(
        4, 1, [&](std::size_t begin, std::size_t end) { total += end - begin; }, 1 + i % 3);
  }
  EXPECT_EQ(total.load(), 80000u);
}

TEST(Parallel, RangesAreFewAndBeginWithChunks) {
  std::atomic<int> calls{0}, visited{0};
  const auto body = [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin % 10, 0u);
    EXPECT_TRUE(end % 10 == 0 || end == 995) << end;
    ++calls;
    visited += static_cast<int>(end - begin);
  };
  parallel_for_ranges(995, 10, body, 1);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(visited, 995);
  parallel_for_ranges(995, 10, body, 4);
  EXPECT_LE(calls, 1 + 4 * 3);  // 25 chunks each: 19, 5 and 1
  EXPECT_EQ(visited, 2 * 995);
}

// A thread that comes late to a loop must not take part of the next one for it: loops of all sizes, numbers of threads
// and ends follow each other, some after all workers went to sleep.
TEST(Parallel, LateThreadsLeaveTheNextLoopAlone) {
  Rng rng(5);
  const auto any = [&](unsigned most) { return std::min(static_cast<unsigned>(rng.uniform(0, 1) * most), most - 1); };
  for (int i = 0; i < 20000; ++i) {
    const unsigned count = 1 + any(40), chunk = 1 + any(3), threads = 1 + any(7);
    const unsigned bad = any(50) == 0 ? any(count) : count;  // where the body throws, if anywhere
    std::vector<std::atomic<int>> visits(count);
    const auto body = [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        if (k == bad) throw std::bad_alloc();
        ++visits[k];
      }
    };
    const auto loop = [&] {
      if (i % 2 == 0)
        parallel_for(count, chunk, body, threads);
      else
        parallel_for_ranges(count, chunk, body, threads);
    };
    if (bad < count)
      ASSERT_THROW(loop(), std::bad_alloc);
    else
      loop();
    for (unsigned k = 0; k < count; ++k)
      ASSERT_TRUE(visits[k] == 1 || (bad < count && visits[k] == 0)) << visits[k] << " visits in loop " << i;
    if (i % 5000 == 4999) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(Parallel, AForkedProcessHasThreadsOfItsOwnAndEndsByItself) {
  const auto visited = [] {
    std::atomic<int> visits{0};
    parallel_for(
        100, 1, [&](std::size_t, std::size_t) { ++visits; }, 4);
    return visits.load();
  };
  ASSERT_EQ(visited(), 100);  // there are threads now
  EXPECT_EXIT(std::exit(visited() == 100 ? 0 : 1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(0), testing::ExitedWithCode(0), "");
  EXPECT_EQ(visited(), 100);
}

TEST(Parallel, NestedLoopsRunOnTheirCaller) {
  std::atomic<int> inner{0};
  parallel_for(8, 1, [&](std::size_t, std::size_t) {
    const std::thread::id self = std::this_thread::get_id();
    parallel_for(10, 1, [&](std::size_t, std::size_t) {
      EXPECT_EQ(self, std::this_thread::get_id());
      ++inner;
    });
  });
  EXPECT_EQ(inner.load(), 80);
}

TEST(Parallel, LoopsFromSeveralThreadsDoNotMix) {
  std::atomic<std::size_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) parallel_for(100, 7, [&](std::size_t b, std::size_t e) { total += e - b; });
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(total.load(), 4u * 200 * 100);
}

TEST(Parallel, SumsHaveTheSameBitsForAnyThreadCount) {
  Rng rng(1);
  std::vector<double> values(100001);
  for (double& v : values) v = rng.uniform(-1, 1) * std::pow(10, rng.uniform(-8, 8));
  const auto sum = [&] {
    return parallel_sum(values.size(), 1000, 0.0, [&](std::size_t b, std::size_t e) {
      double s = 0;
      for (std::size_t i = b; i < e; ++i) s += values[i];
      return s;
    });
  };
  set_thread_count(1);
  const double one = sum();
  for (const unsigned threads : {2u, 3u, 8u}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
    EXPECT_EQ(sum(), one);
  }
  set_thread_count(0);
}

// On any of the threads; without that the program ends where memory runs out in a worker.
TEST(Parallel, WhatABodyThrowsComesOutOfTheLoop) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const std::size_t bad : {std::size_t{0}, std::size_t{57}, std::size_t{99}}) {
      const auto loop = [&] {
        parallel_for(
            100, 1,
            [&](std::size_t begin, std::size_t) {
              if (begin >= bad) throw std::bad_alloc();
            },
            threads);
      };
      EXPECT_THROW(loop(), std::bad_alloc);
      std::atomic<std::size_t> done{0};
      parallel_for(
          100, 1, [&](std::size_t begin, std::size_t end) { done += end - begin; }, threads);
      EXPECT_EQ(done, 100u) << "the workers are still there";
    }
  }
}

}  // namespace
}  // namespace supple
