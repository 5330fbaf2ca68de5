#include "supple/rig/character.h"
#include "supple/rig/fields.h"
#include "supple/rig/morph_driver.h"

namespace supple {
namespace {

constexpr ChoiceNames<RbfKernel, 5> kernels{{{"exponential", RbfKernel::exponential},
                                             {"gaussian", RbfKernel::gaussian},
                                             {"linear", RbfKernel::linear},
                                             {"cubic", RbfKernel::cubic},
                                             {"pose", RbfKernel::pose}}};
constexpr const char* kernel_help =
    "Basis function of the distance r between two settings. exponential: exp(-r / radius); gaussian: "
    "exp(-(r / radius)^2); linear: r; cubic: r^3, with a constant and a linear term in the rotation vectors; pose: a "
    "sum over joints and over pairs of joints";
constexpr FieldRange joint_count = between(1, double{MorphDriver::most_joints});

void describe_driver(Fields& f, MorphDriver& d) {
  f.optional("name", d.name, {}, {.help = "For people"});
  f.node_of_targets(d.first_weight, d.targets(), {.help = "The node whose mesh has the driven morph targets"});
  f.targets("first_target", d.first_weight, d.targets(), "rest_weights",
            {.help = "The first driven morph target of that mesh; as many follow as there are rest weights"});
  f.joints("joints", d.joints, Presence::required,
           {.help = "The nodes whose local rotations are looked at. They need not be joints of a skin",
            .count = joint_count,
            .is_unique = true});
  f.check("joints", [&]() -> Result<void> {
    if (!d.joints.empty() && d.joints.size() <= MorphDriver::most_joints) return {};
    return Error{"", "must name 1 to " + std::to_string(MorphDriver::most_joints) + " nodes", ""};
  });
  f.required("reference", d.reference,
             {.help = "The local rotation, one per joint, from which settings are measured",
              .count = joint_count,
              .one_per = "joints"});
  f.choice("kernel", d.kernel, kernels, {.help = kernel_help});
  f.cases(
      "kernel", "pose", d.kernel == RbfKernel::pose,
      [&] {
        f.required("radii", d.radii,
                   {.help = "Of the kernel pose: one per joint, of chords 2 sin(angle / 2)",
                    .range = above(0),
                    .count = joint_count,
                    .one_per = "joints"});
        f.optional("pairs", d.pairs, {},
                   {.help = "Of the kernel pose: pairs of joints that act together, as places in joints",
                    .count = from(1),
                    .below = d.joints.size()});
        f.required("pair_weight", d.pair_weight, {.help = "Of the kernel pose: what pairs count", .range = from(0)});
      },
      [&] {
        f.required("radius", d.radius,
                   {.help = "Has no effect with the kernels linear and cubic; not of the kernel pose",
                    .unit = Unit::radians,
                    .range = above(0)});
        f.optional("twist_axes", d.twist_axes, {},
                   {.help = "A unit vector per joint. Where given, the distance counts the twist about it apart from "
                            "the swing",
                    .range = unit_component,
                    .count = joint_count,
                    .one_per = "joints"});
      });
  f.optional("twist_weight", d.twist_weight, 1,
             {.help = "How much a radian of twist counts against one of swing. Has no effect without twistAxes",
              .range = from(0)});
  f.rows("centres", {&d.centres, "joints", d.joints.size()},
         {.help = "Settings about which the basis functions lie: one unit quaternion per joint, one after another",
          .count = from(0)});
  f.rows("coefficients", {&d.coefficients, "rest_weights", d.targets(), d.kernel == RbfKernel::pose},
         {.help = "A row per basis function with a number per driven target. Rows: one per centre; with the kernel "
                  "cubic a constant and x, y, z of each joint's rotation vector follow",
          .with = {"kernel", "cubic", 4}});
  f.required("rest_weights", d.rest_weights,
             {.help = "Weights of the driven targets in the reference pose", .count = from(1)});
  f.optional("least", d.least, {},
             {.help = "The least weight of each driven target, at most its rest weight. Evaluated weights below are "
                      "raised to it; without the list there is no lower limit",
              .count = from(1),
              .one_per = "rest_weights"});
  f.optional("most", d.most, {},
             {.help = "The largest weight of each driven target, at least its rest weight. Evaluated weights above "
                      "are lowered to it; without the list there is no upper limit",
              .count = from(1),
              .one_per = "rest_weights"});
}

}  // namespace

void describe_drivers(Fields& f, Character& c) {
  std::vector<bool> driven(c.morph_weights.size());
  const About about{.help = "No two drivers of one node may drive the same morph target. Their order does not matter",
                    .count = from(1)};
  f.list(driver_kind.member, c.drivers, Presence::optional, about, [&](MorphDriver& d) {
    describe_driver(f, d);
    f.check(nullptr, [&] { return validate(d, c.skeleton.size(), c.morph_weights.size()); });
    f.check(nullptr, [&]() -> Result<void> {
      for (std::size_t w = d.first_weight; w < d.first_weight + d.targets(); ++w) {
        if (driven[w]) return Error{"", "drives a morph target that another driver moves already", ""};
        driven[w] = true;
      }
      return {};
    });
  });
}

}  // namespace supple
