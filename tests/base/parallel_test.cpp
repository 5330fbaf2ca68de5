#include "supple/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
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
