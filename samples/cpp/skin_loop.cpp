// A frame loop: loads a character, plays its first clip, and tells what skinning costs.
#include <supple/deform/skin.h>
#include <supple/files/load_character.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int fail(const supple::Error& error) {
  std::fprintf(stderr, "skin_loop: %s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: skin_loop CHARACTER.glb [FRAMES]\n", stderr), 2;
  const int frames = argc > 2 ? std::max(1, std::atoi(argv[2])) : 300;

  const auto loaded = supple::load_character(argv[1]);
  if (!loaded) return fail(loaded.error());
  const supple::Character& character = *loaded;

  // Made once for each instance on screen: tables and buffers. Drivers are evaluated live.
  auto skin = supple::Skin::make(character);
  if (!skin) return fail(skin.error());
  supple::Pose pose = character.rest();
  const supple::Clip* clip = character.clips.empty() ? nullptr : &character.clips[0];

  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame < frames; ++frame) {  // nothing in here allocates
    if (clip) {
      const float part = static_cast<float>(frame) / static_cast<float>(frames);
      supple::sample(*clip, clip->start() + part * clip->duration(), pose);
    }
    if (auto ok = skin->evaluate(pose); !ok) return fail(ok.error());
    // Here a renderer would take skin->positions(part) and skin->normals(part).
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  std::size_t vertices = 0;
  for (std::size_t p = 0; p < skin->parts(); ++p) vertices += skin->positions(p).size();
  std::printf("%zu vertices, %zu joints, %zu drivers: %.3f ms per frame, %.0f million vertices/s\n", vertices,
              character.skeleton.size(), character.drivers.size(), 1e3 * seconds.count() / frames,
              1e-6 * static_cast<double>(vertices) * frames / seconds.count());
  return 0;
}
