// A hand, made, posed and drawn: the shortest way from nothing to a picture.
#include <supple/base/file.h>
#include <supple/deform/skin.h>
#include <supple/make/hand.h>
#include <supple/render/character.h>
#include <supple/render/draw.h>

#include <cstdio>
#include <vector>

namespace {

int fail(const supple::Error& error) {
  std::fprintf(stderr, "first_picture: %s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: first_picture PICTURE.png\n", stderr), 2;
  supple::make::HandOptions options;
  options.vertices = 6000;
  const auto hand = supple::make::make_hand(options);
  if (!hand) return fail(hand.error());

  auto skin = supple::Skin::make(*hand);
  if (!skin) return fail(skin.error());
  const supple::Clip& fist = hand->clips[0];
  const float moment = fist.start() + 0.3f * fist.duration();
  if (auto ok = skin->evaluate(hand->at(fist, moment)); !ok) return fail(ok.error());

  supple::render::PosedPart part;
  part.positions = skin->positions(0);
  part.normals = skin->normals(0);
  part.triangles = hand->parts[0].mesh.triangles;
  const auto scene = supple::render::character_scene({&part, 1});
  if (!scene) return fail(scene.error());

  constexpr supple::render::Size size{640, 640};
  const supple::render::View view{"palm and thumb", {-0.6f, -0.75f, 0.5f}, {0, 0, -1}};
  const auto image = supple::render::draw(*scene, supple::render::fit(part.positions, view, 1.0), size);
  if (!image) return fail(image.error());
  const auto png = supple::render::encode_png(*image);
  if (!png) return fail(png.error());
  if (auto ok = supple::write_file(argv[1], *png); !ok) return fail(ok.error());
  return 0;
}
