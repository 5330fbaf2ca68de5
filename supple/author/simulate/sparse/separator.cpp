#include "supple/author/simulate/sparse/separator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace supple::simulate {
namespace {

constexpr int max_passes = 10;
constexpr std::size_t patience = 80;  // moves without a better cut before a pass ends
constexpr double max_share = 0.7;     // of a piece that may lie on one side

Side opposite(Side s) { return s == Side::low ? Side::high : Side::low; }

/// One pass moves nodes off the cut, each at most once and always the most rewarding one, also where the cut grows for
/// a while; then everything after the best state is taken back.
class Pass {
 public:
  Pass(const NodeGraph& graph, std::vector<Side>& side, CutSizes& sizes)
      : graph_(graph), side_(side), sizes_(sizes), limit_(max_share * total()) {}

  bool run(std::span<const std::uint32_t> piece, std::vector<bool>& moved) {
    for (const std::uint32_t v : piece)
      if (side_[v] == Side::cut) enter(v);
    const double start = quality();
    double best = start;
    std::size_t best_length = 0;
    while (log_.size() < best_length + patience && move_one(moved)) {
      if (quality() < best) best = quality(), best_length = log_.size();
    }
    for (const Move& m : log_) moved[m.node] = false;
    while (log_.size() > best_length) take_back();
    return best < start;
  }

 private:
  struct Candidate {
    int gain = 0;
    std::uint32_t node = 0;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };
  struct Move {
    std::uint32_t node = 0;
    Side to = Side::low;
    std::vector<std::uint32_t> pulled;  // neighbours from the other side, now on the cut
  };

  double total() const { return static_cast<double>(sizes_.low + sizes_.high + sizes_.cut); }
  double quality() const { return static_cast<double>(sizes_.cut) * (1 + 0.5 * sizes_.lean()); }
  std::size_t& size_of(Side s) { return s == Side::low ? sizes_.low : s == Side::high ? sizes_.high : sizes_.cut; }
  std::set<Candidate>& queue(Side to) { return queue_[to == Side::low ? 0 : 1]; }

  void put(std::uint32_t v, Side s) {
    --size_of(side_[v]);
    side_[v] = s;
    ++size_of(s);
  }
  int gain(std::uint32_t v, Side to) const {
    const auto around = graph_.of(v);
    return 1 - static_cast<int>(std::count_if(around.begin(), around.end(),
                                              [&](std::uint32_t n) { return side_[n] == opposite(to); }));
  }
  void enter(std::uint32_t v) {
    for (const Side to : {Side::low, Side::high}) queue(to).insert({-gain(v, to), v});  // the best comes first
  }
  void leave(std::uint32_t v) {
    for (const Side to : {Side::low, Side::high}) queue(to).erase({-gain(v, to), v});
  }

  /// The better of the two sides' best moves; false where neither side may grow.
  bool move_one(std::vector<bool>& moved) {
    const Side smaller = sizes_.low <= sizes_.high ? Side::low : Side::high;
    const auto allowed = [&](Side to) { return !queue(to).empty() && static_cast<double>(size_of(to) + 1) <= limit_; };
    Side to = smaller;
    if (!allowed(to) || (allowed(opposite(to)) && queue(opposite(to)).begin()->gain < queue(to).begin()->gain))
      to = opposite(to);
    if (!allowed(to)) return false;
    Move move{queue(to).begin()->node, to, {}};
    for (const std::uint32_t n : graph_.of(move.node))
      if (side_[n] == opposite(to)) move.pulled.push_back(n);
    // Gains change only for nodes on the cut that touch what moves: they leave the queues and come back.
    touched_.clear();
    const auto touch = [&](std::uint32_t v) {
      for (const std::uint32_t n : graph_.of(v))
        if (side_[n] == Side::cut && n != move.node && !moved[n]) touched_.push_back(n);
    };
    touch(move.node);
    for (const std::uint32_t n : move.pulled) touch(n);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    leave(move.node);
    for (const std::uint32_t v : touched_) leave(v);
    put(move.node, to);
    moved[move.node] = true;
    for (const std::uint32_t n : move.pulled) put(n, Side::cut);
    for (const std::uint32_t v : touched_) enter(v);
    for (const std::uint32_t n : move.pulled)
      if (!moved[n]) enter(n);
    log_.push_back(std::move(move));
    return true;
  }

  void take_back() {
    const Move& m = log_.back();
    for (const std::uint32_t n : m.pulled) put(n, opposite(m.to));
    put(m.node, Side::cut);
    log_.pop_back();
  }

  const NodeGraph& graph_;
  std::vector<Side>& side_;
  CutSizes& sizes_;
  double limit_;
  std::set<Candidate> queue_[2];  // by what moving a node to low or high would cost
  std::vector<Move> log_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace

NodeGraph::NodeGraph(const BlockPattern& pattern) : first_(pattern.size() + 1, 0) {
  const auto each_edge = [&](auto&& visit) {
    for (std::uint32_t j = 0; j < pattern.size(); ++j)
      for (const std::uint32_t i : pattern.column(j))
        if (i != j) visit(i, j);
  };
  each_edge([&](std::uint32_t i, std::uint32_t j) { ++first_[i + 1], ++first_[j + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  items_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  each_edge([&](std::uint32_t i, std::uint32_t j) { items_[next[i]++] = j, items_[next[j]++] = i; });
}

double CutSizes::lean() const {
  const double sum = static_cast<double>(low + high);
  return sum > 0 ? std::abs(static_cast<double>(low) / sum - 0.5) : 0;
}

bool on_low_border(const NodeGraph& graph, const std::vector<Side>& side, std::uint32_t node) {
  const auto around = graph.of(node);
  return side[node] == Side::low &&
         std::any_of(around.begin(), around.end(), [&](std::uint32_t n) { return side[n] == Side::high; });
}

CutSizes thin_separator(const NodeGraph& graph, std::span<const std::uint32_t> piece, std::vector<Side>& side) {
  CutSizes sizes;
  std::vector<std::uint32_t> on_cut;
  for (const std::uint32_t v : piece) {
    if (on_low_border(graph, side, v)) on_cut.push_back(v);
    ++(side[v] == Side::low ? sizes.low : sizes.high);
  }
  for (const std::uint32_t v : on_cut) side[v] = Side::cut;
  sizes.low -= on_cut.size();
  sizes.cut = on_cut.size();
  std::vector<bool> moved(side.size(), false);
  for (int pass = 0; pass < max_passes && Pass(graph, side, sizes).run(piece, moved); ++pass) {
  }
  return sizes;
}

}  // namespace supple::simulate
