#include "supple/deform/skinning/job.h"

#include <algorithm>

#include "supple/base/parallel.h"
#include "supple/deform/morph/job.h"

namespace supple {
namespace {

// Some 2 us of work: small against a core's share of 8k vertices. A call costs as much as 15 to 40 vertices, so that
// several chunks go at once while there are many left.
constexpr std::size_t vertices_a_chunk = 1024;
// With several poses the offsets of a chunk are to stay in the second-level cache from one pose to the next.
constexpr std::size_t vertices_a_batch = 512;
static_assert(vertices_a_chunk % SkinTable::block_vertices == 0 && vertices_a_batch % SkinTable::block_vertices == 0);

Result<void> check_stream(const char* name, const ConstVectors& in, const Vectors& out, std::size_t vertices,
                          std::size_t width) {
  const auto wrong = [&](std::string problem) { return Error{name, std::move(problem), ""}; };
  if (vertices == 0 || (in.empty() && out.empty())) return {};
  if (in.count < vertices || out.count < vertices) {
    return wrong(std::to_string(in.count) + " in and " + std::to_string(out.count) + " out for " +
                 std::to_string(vertices) + " vertices");
  }
  if (in.stride < width || out.stride < width) return wrong("a stride below " + std::to_string(width) + " floats");
  const bool in_place = in.data == out.data && in.stride == out.stride;
  if (in_place) return {};
  // Interleaved buffers overlap as ranges without sharing a float: what matters is the distance within one stride.
  const float* in_end = in.data + (vertices - 1) * in.stride + width;
  const float* out_end = out.data + (vertices - 1) * out.stride + width;
  if (in.data < out_end && out.data < in_end) {
    if (in.stride != out.stride) return wrong("input and output overlap");
    const std::size_t gap =
        static_cast<std::size_t>(in.data > out.data ? in.data - out.data : out.data - in.data) % in.stride;
    if (gap < width || in.stride - gap < width) return wrong("input and output overlap");
  }
  return {};
}

Result<void> check(const SkinTable* table, std::size_t palette, const VertexStreams& s) {
  if (table == nullptr) return Error{"job", "has no table", ""};
  if (palette < table->joint_count) {
    return Error{
        "palette",
        "has " + std::to_string(palette) + " joints where the table needs " + std::to_string(table->joint_count), ""};
  }
  if (table->vertex_count > 0 && s.positions.empty()) return Error{"positions", "are missing", ""};
  if (!s.tangents.empty() && s.normals.empty()) return Error{"tangents", "are given without normals", ""};
  if (auto ok = check_stream("positions", s.positions, s.out_positions, table->vertex_count, 3); !ok) return ok;
  if (auto ok = check_stream("normals", s.normals, s.out_normals, table->vertex_count, 3); !ok) return ok;
  return check_stream("tangents", s.tangents, s.out_tangents, table->vertex_count, 4);
}

kernel::Stream stream(const ConstVectors& in, const Vectors& out, std::size_t vertex) {
  if (in.empty()) return {};
  return {in[vertex], out[vertex], in.stride, out.stride};
}

Result<void> check_morphs(const Morphing& morphs, const SkinTable* table, const VertexStreams& s) {
  if (morphs.table == nullptr) return {};
  if (morphs.table->vertex_count != table->vertex_count || morphs.weights.size() != morphs.table->target_count)
    return Error{"morph targets", "do not fit the vertices or their weights", ""};
  if (s.positions.stride != 3 || (!s.normals.empty() && s.normals.stride != 3))
    return Error{"morph targets", "need positions and normals without gaps", "morph them first with a MorphJob"};
  return {};
}

/// Vertices [begin, end) of a job, from the start of a block on.
template <class Entry>
struct Range {
  void (*kernel)(const kernel::Batch&);
  const SkinTable& table;
  std::span<const Entry> palette;
  bool inverse_transpose, one_hemisphere;

  void run(const VertexStreams& s, const Morphing& morphs, std::size_t begin, std::size_t end) const {
    static_assert(sizeof(Entry) == 64);
    kernel::WeightedOffsets offsets;
    if (morphs.table != nullptr) offsets = weighted(*morphs.table, morphs.weights);
    auto run = std::upper_bound(table.runs.begin(), table.runs.end(), begin,
                                [](std::size_t v, const SkinTable::Run& r) { return v < r.first_vertex; });
    for (--run; begin < end; ++run) {
      const std::size_t stop = std::min<std::size_t>(end, run->first_vertex + run->vertices);
      const std::size_t entry = run->first_entry + (begin - run->first_vertex) * run->influences;
      kernel({.palette = reinterpret_cast<const float*>(palette.data()),
              .joints = table.joints.data() + entry,
              .weights = table.weights.data() + entry,
              .influences = run->influences,
              .block_rows = table.block_rows.data(),
              .block_joints = table.block_joints.data(),
              .block_quarters = table.block_quarters.data(),
              .block_weights = reinterpret_cast<const float*>(table.block_weights.data()),
              .first_vertex = begin,
              .vertices = stop - begin,
              .positions = stream(s.positions, s.out_positions, begin),
              .normals = stream(s.normals, s.out_normals, begin),
              .tangents = stream(s.tangents, s.out_tangents, begin),
              .inverse_transpose = inverse_transpose,
              .one_hemisphere = one_hemisphere,
              .offsets = morphs.table != nullptr ? &offsets : nullptr});
      begin = stop;
    }
  }
};

const kernel::Kernels& chosen(const kernel::Kernels* kernels) { return kernels != nullptr ? *kernels : kernel::best(); }

/// Whether no vertex has joints whose quaternions point into different hemispheres: nearly always so, since
/// make_dual_palette chooses the signs, and a few hundred pairs are sooner checked than every vertex.
bool one_hemisphere(const SkinTable& table, std::span<const JointDualQuat> motion) {
  return std::all_of(table.pairs.begin(), table.pairs.end(), [&](const std::array<std::uint16_t, 2>& p) {
    return dot(motion[p[0]].motion.real, motion[p[1]].motion.real) >= 0;
  });
}

/// The outputs of a first pass as the inputs of a second.
VertexStreams in_place(const VertexStreams& s) {
  const auto as_input = [](const Vectors& v, const ConstVectors& in) {
    return in.empty() ? ConstVectors() : ConstVectors(v);
  };
  return {as_input(s.out_positions, s.positions),
          as_input(s.out_normals, s.normals),
          as_input(s.out_tangents, s.tangents),
          s.out_positions,
          s.out_normals,
          s.out_tangents};
}

}  // namespace

Result<void> LinearJob::validate() const {
  if (auto ok = check(table, palette.size(), streams); !ok) return ok;
  return check_morphs(morphs, table, streams);
}

void LinearJob::run() const { run_batch(std::span(this, 1), threads); }

void run_batch(std::span<const LinearJob> jobs, unsigned threads) {
  if (jobs.empty()) return;
  const auto skin = [jobs](std::size_t begin, std::size_t end) {  // a copy, in the first memory that a thread asks for
    for (const LinearJob& job : jobs) {
      const auto kernel = chosen(job.kernels).linear;
      Range<JointMatrix>{kernel, *job.table, job.palette, job.inverse_transpose, false}.run(job.streams, job.morphs,
                                                                                            begin, end);
    }
  };
  const std::size_t vertices = jobs[0].table->vertex_count;
  if (jobs.size() > 1)
    parallel_for(vertices, vertices_a_batch, skin, threads);
  else
    parallel_for_ranges(vertices, vertices_a_chunk, skin, threads);
}

Result<void> DualQuaternionJob::validate() const {
  if (!stretch.empty() && table != nullptr && stretch.size() < table->joint_count) {
    return Error{"stretch", "has fewer entries than the table has joints", ""};
  }
  if (auto ok = check(table, motion.size(), streams); !ok) return ok;
  if (!stretch.empty() && morphs.table != nullptr)
    return Error{"morph targets", "cannot be added where joints stretch", "add them first with a MorphJob"};
  return check_morphs(morphs, table, streams);
}

void DualQuaternionJob::run() const {
  VertexStreams from = streams;
  if (!stretch.empty()) {
    LinearJob{table, stretch, streams, true, threads, kernels, {}}.run();
    from = in_place(streams);
  }
  const Range<JointDualQuat> range{chosen(kernels).dual_quaternion, *table, motion, false,
                                   one_hemisphere(*table, motion)};
  parallel_for_ranges(
      table->vertex_count, vertices_a_chunk,
      [&](std::size_t begin, std::size_t end) { range.run(from, morphs, begin, end); }, threads);
}

}  // namespace supple
