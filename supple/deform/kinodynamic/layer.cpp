#include "supple/deform/kinodynamic/layer.h"

#include "supple/deform/field/build.h"
#include "supple/deform/field/thinness.h"
#include "supple/deform/flesh/split.h"

namespace supple {
namespace {

/// What hangs loose about thinner skin is blended linearly, as what is hard is.
Result<void> hold_loose_skin(const Character& c, const FleshBody& body, const FieldTable& field, HardSkin& hard) {
  if (field.thinness.empty()) return {};  // of other sources, and where no skin is thin
  const auto limbs = find_limbs(c, body);
  if (!limbs) return limbs.error();
  const std::vector<float> loose = looseness_of_skin(body, *limbs, field.depths);
  for (std::size_t p = 0; p < c.parts.size() && !loose.empty(); ++p) {
    if (!c.parts[p].skin) continue;
    std::vector<float>& softness = hard.softness[p];
    softness.resize(c.parts[p].mesh.positions.size(), 1.0f);
    for (std::size_t v = 0; v < softness.size(); ++v) softness[v] *= 1 - loose[body.first[p] + v];
  }
  return {};
}

/// #V: by limbs' numbers; a joint without a limb counts for the next one above it that has one.
SkinWeights weights_of_limbs(const Character& c, const Part& part, const FieldTable& field) {
  const SkinWeights bones = split_flesh(c, part).bones;
  const SkinBinding& skin = c.skins[*part.skin];
  SkinWeights result;
  for (std::size_t v = 0; v < bones.vertices(); ++v) {
    std::vector<Influence> own;
    for (const Influence& i : bones.of(v)) {
      JointIndex joint = skin.joints[i.joint];
      while (joint != no_joint && field.limb_of(joint) == no_limb) joint = c.skeleton.parent(joint);
      if (joint != no_joint) own.push_back({field.limb_of(joint), i.weight});
    }
    result.push_vertex(own);
  }
  return result;
}

}  // namespace

Result<KinodynamicLayer> KinodynamicLayer::make(const Character& character, Warnings* warnings) {
  const auto body = FleshBody::of(character);
  if (!body) return body.error();
  const Kinodynamics none;
  const Kinodynamics& parameters = character.kinodynamics ? *character.kinodynamics : none;
  auto field = build_field(character, *body, parameters.field, warnings);
  if (!field) return field.error();
  auto vortices = build_vortex_table(character, warnings);
  if (!vortices) return vortices.error();
  KinodynamicLayer layer(character, std::move(*field), std::move(*vortices));
  const std::vector<bool> flows = flowing_parts(character);
  HardSkin hard = find_hard_skin(character, parameters.field.hardness);
  if (auto ok = hold_loose_skin(character, *body, layer.field_, hard); !ok) return ok.error();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    PartTables& tables = layer.parts_.emplace_back();
    const Part& part = character.parts[p];
    tables.flows = flows[p];
    if (!flows[p]) continue;
    const std::size_t count = part.mesh.positions.size();
    tables.rest.assign(body->positions.begin() + body->first[p], body->positions.begin() + body->first[p] + count);
    if (const std::vector<float>& all = layer.field_.thinness; !all.empty())
      tables.thinness.assign(all.begin() + body->first[p], all.begin() + body->first[p] + count);
    const SkinWeights limbs = weights_of_limbs(character, part, layer.field_);
    tables.blocks = make_blocks(layer.field_, tables.rest, tables.thinness, &limbs);
    tables.held = HeldSkin(character, p, hard, parameters.field, tables.rest, body->world);
    tables.stretch = StretchWeights(character, p);
    tables.weights = build_muscle_weights(character, p);
    Mesh rest{tables.rest, body->normals, part.mesh.triangles};
    rest.normals.assign(body->normals.begin() + body->first[p], body->normals.begin() + body->first[p] + count);
    tables.normals = MovingNormals(rest);
    tables.faces.resize(part.mesh.triangles.size());
  }
  layer.follow(body->world);
  layer.swing_ = settled(layer.vortices_, parameters, body->world);
  return layer;
}

void KinodynamicLayer::retune(const Kinodynamics& kinodynamics) {
  for (std::vector<VolumeKey>& curve : field_.volume) curve.clear();
  for (const VolumeCurve& curve : kinodynamics.field.volume) field_.volume[curve.joint] = curve.keys;
  field_.integrator = kinodynamics.field.integrator;
  field_.step = double{kinodynamics.field.step};
}

std::span<const Affinef> KinodynamicLayer::follow(std::span<const Affinef> world) {
  scale_.set(world);
  state_.set(field_, scale_.unscaled_world());
  for (PartTables& tables : parts_) tables.held.set(scale_.unscaled_world());
  return scale_.unscaled_world();
}

void KinodynamicLayer::settle(const Character& character, std::span<const Affinef> world) {
  supple::settle(vortices_, parameters(character), follow(world), swing_);
}

void KinodynamicLayer::advance(const Character& character, std::span<const Affinef> world, double seconds) {
  supple::advance(vortices_, parameters(character), follow(world), seconds, swing_);
}

void KinodynamicLayer::show(std::span<const Affinef> world, std::span<const Vec3f> vorticity) {
  supple::show(vortices_, follow(world), vorticity, swing_);
}

void KinodynamicLayer::show(std::span<const Affinef> world, const VortexState& state) {
  follow(world);
  swing_ = state;
}

void KinodynamicLayer::deform(std::size_t part, std::span<Vec3f> positions, std::span<Vec3f> normals,
                              unsigned threads) {
  PartTables& tables = parts_[part];
  FieldJob{&field_, &tables.blocks, &state_, positions, threads}.run();
  if (!vortices_.muscles.empty()) VortexJob{&vortices_, &swing_, &tables.weights, positions, threads, nullptr}.run();
  tables.held.apply(positions);
  if (scale_.is_scaled()) tables.stretch.apply(scale_.stretch(), positions, threads);
  tables.normals.compute(positions, tables.faces, normals, threads);
}

}  // namespace supple
