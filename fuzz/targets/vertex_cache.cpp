// MDD and PC2: the mark at the begin of a PC2 tells them apart.
#include "supple/files/vertex_cache.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

bool read_vertex_cache_input(Input input) {
  const bool is_pc2 = as_text(input).starts_with("POINTCACHE2");
  const auto cache = VertexCache::parse(input, is_pc2 ? "a.pc2" : "a.mdd");
  if (!cache) return false;
  for (std::size_t f = 0; f < cache->frames(); ++f)
    require(cache->read(f).ok(), "every frame of a cache that was opened can be read");
  return true;
}

Seeds vertex_cache_seeds() {
  const std::vector<std::vector<Vec3f>> frames{{{0, 0, 0}, {1, 2, 3}}, {{0, 1, 0}, {1, 2, 4}}, {{0, 2, 0}, {1, 2, 5}}};
  const std::vector<double> times{0, 0.5, 1};
  const ScratchFile mdd(".mdd"), pc2(".pc2");
  require(write_mdd(mdd.path(), times, frames).ok() && write_pc2(pc2.path(), 1, 2, frames).ok(), "caches are written");
  return {{"mdd", mdd.contents()}, {"pc2", pc2.contents()}};
}

}  // namespace

extern const Target vertex_cache_target{"vertex_cache", read_vertex_cache_input, vertex_cache_seeds, {"POINTCACHE2"}};

}  // namespace supple::fuzz
