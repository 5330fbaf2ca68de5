#include "supple/rig/deformers.h"
#include "supple/rig/fields.h"

namespace supple {
namespace {

/// Files leave out the settings of the rest shape, which are the identity.
void describe_settings(Fields& f, PoseSpace& s) {
  const auto rest = static_cast<std::ptrdiff_t>(s.joints.size());
  std::vector<Quatf> settings;
  if (s.examples() > 0) settings.assign(s.settings.begin() + rest, s.settings.end());
  f.rows("settings", {&settings, "joints", s.joints.size()},
         {.help = "Of each example: reference^-1 * local of every joint, four numbers each",
          .count = between(1, double{PoseSpace::max_examples - 1})});
  if (!f.reads()) return;
  s.settings.assign(s.joints.size(), Quatf{});
  s.settings.insert(s.settings.end(), settings.begin(), settings.end());
}

void describe_space(Fields& f, PoseSpace& s) {
  const PoseSpace usual;
  f.part(s.part, Presence::written, {.help = "The node whose mesh has the examples' morph targets"});
  f.targets("first_target", s.first_weight, s.targets(), "settings",
            {.help = "Target of the first example after the rest shape"});
  f.choice("influence", s.influence, joint_influences, {.help = "What a joint counts for a vertex"});
  f.written("floor", s.floor, usual.floor, {.help = "Added to what joints count", .range = above(0)});
  f.required("radius", s.radius,
             {.help = "Of the basis functions about examples", .unit = Unit::radians, .range = above(0)});
  f.optional("ridge", s.ridge, usual.ridge,
             {.help = "Added to the kernel of an example with itself", .range = between(0, 1)});
  f.joints("joints", s.joints, Presence::required,
           {.help = "Nodes whose local rotations are looked at", .count = from(1), .is_unique = true});
  f.check("joints", [&]() -> Result<void> {
    return s.joints.empty() ? Error{"", "must name one node or more", ""} : Result<void>();
  });
  f.required(
      "reference", s.reference,
      {.help = "Local rotations of the joints in the pose of the rest shape", .count = from(1), .one_per = "joints"});
  describe_settings(f, s);
}

}  // namespace

void describe_pose_space(Fields& f, Character& c) {
  const std::vector<bool> driven = moved_weights(c);  // by the deformers that were read before
  const About about{.help =
                        "Example shapes of one primitive, mixed by how near the pose is to theirs. No driver and "
                        "no wrinkle may move their morph targets"};
  f.object(pose_space_kind.member, c.pose_space, about, [&](PoseSpace& s) {
    describe_space(f, s);
    f.check(nullptr, [&] { return validate(s, c); });
    f.check("first_target", [&]() -> Result<void> {
      for (std::size_t t = 0; t < s.targets(); ++t)
        if (driven[s.first_weight + t]) return Error{"", "has targets that another deformer moves already", ""};
      return {};
    });
  });
}

}  // namespace supple
