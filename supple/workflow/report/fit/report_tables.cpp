// What was made and how near it comes, joint by joint, at what size and cost, with which options.
#include <fmt/core.h>

#include <cmath>

#include <algorithm>

#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/fit/report_sections.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {
namespace {

using html::escaped;
using html::fact;

double number(const Json& json) { return json.get<double>(); }
std::size_t count(const Json& json) { return json.get<std::size_t>(); }

constexpr std::array<std::pair<const char*, const char*>, 3> groups{{{"train", "training"},
                                                                     {"held_out_single", "held-out, one joint"},
                                                                     {"held_out_several", "held-out, several joints"}}};

/// Names break between the joints of a pair only.
std::string joint_names(std::string name) {
  const std::size_t plus = name.find(" + ");
  if (plus == std::string::npos) return "<span class='name'>" + escaped(name) + "</span>";
  return joint_names(name.substr(0, plus)) + " + " + joint_names(name.substr(plus + 3));
}

std::string megabytes(const Json& bytes) { return fmt::format("{:.2f} MB", number(bytes) / 1e6); }

std::string joined(const Json& lines) {
  std::string text;
  for (const Json& line : lines) text += (text.empty() ? "" : ", ") + escaped(line);
  return text;
}

template <class Value>
std::string word_of(Value value, std::initializer_list<std::pair<Value, const char*>> words) {
  for (const auto& [known, word] : words)
    if (known == value) return word;
  return "";
}

/// One driver of all joints, instead of a table of joints.
std::string kernel_table(const Json& kernel) {
  std::string rows =
      fact("Joints", fmt::format("{}, and {} pairs of near ones", count(kernel["joints"]), count(kernel["pairs"])));
  rows += fact("Centres", fmt::format("{} of the examples' poses", count(kernel["centres"])));
  rows += fact("Reach", fmt::format("{:g} of each joint's range", number(kernel["reach"])));
  rows += fact("Weight of pairs", fmt::format("{:g}", number(kernel["pair_weight"])));
  rows +=
      fact("Noise", fmt::format("{:g}, {:g} more for every further joint that moves, {:g} more in contact",
                                number(kernel["noise"]), number(kernel["joint_noise"]), number(kernel["touch_noise"])));
  return "<h2>Pose kernel</h2>\n<p>How weights follow the joints; chosen so that examples left out are predicted "
         "best.</p>\n" +
         html::facts(rows);
}

}  // namespace

std::string teacher_facts(const Json& teacher) {
  std::string rows;
  const std::size_t training = count(teacher["training_without_teacher"]),
                    held_out = count(teacher["held_out_without_teacher"]);
  if (training + held_out > 0)
    rows += fact("Without a teacher",
                 fmt::format("{} of {} training examples and {} of {} held-out ones: their flags leave them out",
                             training, count(teacher["training"]), held_out, count(teacher["held_out_planned"])));
  if (count(teacher["partial"]) > 0)
    rows += fact("Partial", fmt::format("{} examples show linear blend at a place where the teacher failed",
                                        count(teacher["partial"])));
  return rows;
}

std::string errors_table(const Json& errors) {
  std::vector<html::Table::Column> columns{{"poses"}};
  std::vector<const Json*> measured;
  for (const auto& [key, name] : groups) {
    if (count(errors[key]["examples"]) == 0) continue;
    columns.push_back({name});
    measured.push_back(&errors[key]);
  }
  html::Table table(std::move(columns));
  const auto row = [&](const char* name, auto cell) {
    std::vector<std::string> cells{fmt::format("<span class='name'>{}</span>", name)};
    for (const Json* e : measured) cells.push_back(cell(*e));
    table.add(cells);
  };
  row("number", [](const Json& e) { return std::to_string(count(e["examples"])); });
  row("error, share of linear blend's", [](const Json& e) {
    return fmt::format("<b>{:.3f}</b>, mean of poses {:.3f}", number(e["relative"]), number(e["mean_relative"]));
  });
  row("worst pose", [](const Json& e) {
    return fmt::format("{:.3f}, {}", number(e["worst_relative"]), escaped(e["worst_example"]));
  });
  row("distance, RMS", [](const Json& e) {
    return fmt::format("{:.3f} mm, linear blend {:.3f} mm", number(e["rms_mm"]), number(e["blend_rms_mm"]));
  });
  row("worse than linear blend", [](const Json& e) {
    return number(e["worse_than_blend_mm"]) > 0
               ? fmt::format("by {:.2f} mm at most, vertex {} in {}", number(e["worse_than_blend_mm"]),
                             count(e["worse_than_blend_vertex"]), escaped(e["worse_than_blend_example"]))
               : std::string("nowhere");
  });
  row("largest distance", [](const Json& e) {
    return fmt::format("{:.2f} mm, vertex {} in {}", number(e["largest_mm"]), count(e["largest_vertex"]),
                       escaped(e["largest_example"]));
  });
  row("normals, mean angle", [](const Json& e) {
    return fmt::format("{:.2f}°, linear blend {:.2f}°", number(e["normal_degrees"]), number(e["blend_normal_degrees"]));
  });
  return measured.empty() ? std::string() : table.text();
}

std::string tags_table(const Json& tags) {
  if (tags.empty()) return "";
  html::Table table({{"held-out poses by kind"},
                     {"number", true},
                     {"error, share of linear blend's", true},
                     {"worst pose", true},
                     {""},
                     {"RMS, mm", true},
                     {"largest, mm", true}});
  for (const auto& [tag, e] : tags.members())
    table.add({escaped(tag), std::to_string(count(e["examples"])), fmt::format("<b>{:.3f}</b>", number(e["relative"])),
               fmt::format("{:.3f}", number(e["worst_relative"])), escaped(e["worst_example"]),
               fmt::format("{:.3f}", number(e["rms_mm"])), fmt::format("{:.2f}", number(e["largest_mm"]))},
              number(e["relative"]) > 1);
  return table.text();
}

std::string worst_of_all(const Json& errors) {
  const Json* worst = nullptr;
  for (const auto& group : groups) {
    const Json& e = errors[group.first];
    if (count(e["examples"]) > 0 && (worst == nullptr || number(e["largest_mm"]) > number((*worst)["largest_mm"])))
      worst = &e;
  }
  if (worst == nullptr) return "no example could be measured";
  return fmt::format("{:.2f} mm, vertex {} in {}", number((*worst)["largest_mm"]), count((*worst)["largest_vertex"]),
                     escaped((*worst)["largest_example"]));
}

std::string engines_table(const Json& f) {
  html::Table engines({{"engine"}, {"the file"}});
  for (const auto& [name, lines] : f["engines"].members())
    engines.add({escaped(name), lines.empty() ? "fits" : "exceeds its limits: " + joined(lines)}, !lines.empty());
  return "<h3>Engines</h3>\n" + engines.text();
}

std::string verdict(const Json& f) {
  std::string without_teacher =
      held_out_sentence(count(f["teacher"]["held_out_without_teacher"]), count(f["teacher"]["held_out_planned"]));
  if (!without_teacher.empty()) without_teacher = " " + without_teacher;
  double squared = 0, blend = 0;
  std::string worse;
  for (const char* group : {"held_out_single", "held_out_several"}) {
    const Json& errors = f["errors"][group];
    const double examples = errors["examples"].get<double>();
    if (examples == 0) continue;
    squared += examples * std::pow(errors["rms_mm"].get<double>(), 2);
    blend += examples * std::pow(errors["blend_rms_mm"].get<double>(), 2);
    if (errors["relative"].get<double>() > 1)
      worse += std::string(" Worse than linear blend in poses ") +
               (group == std::string("held_out_single") ? "of one joint." : "of several joints.");
  }
  if (!(blend > 0)) {
    const double left = f["errors"]["train"]["relative"].get<double>();
    return fmt::format(
        "<p><b>{:.0f} % of linear blend's error is left</b> in the poses that were learnt from; {}.{}</p>\n",
        100 * left,
        count(f["teacher"]["held_out_planned"]) > 0 ? "no held-out one could be measured" : "none were held out",
        without_teacher);
  }
  return fmt::format("<p><b>{:.0f} % of linear blend's error is left</b> in poses that were held out.{}{}</p>\n",
                     100 * std::sqrt(squared / blend), worse, without_teacher);
}

std::string headline(const Json& f) {
  const Json& size = f["size"];
  std::string rows = fact(
      "File", fmt::format("{}, part {} of {} vertices", escaped(f["file"]), escaped(f["part"]), count(f["vertices"])));
  rows += fact("Learnt from", fmt::format("{} and {}, in {:.2f} s", escaped(f["model"]), escaped(f["examples"]),
                                          number(f["train_seconds"])));
  rows += fact("Morph targets",
               fmt::format("{}: {} of the {} modes within the budget, by {}", count(f["targets"]), count(f["modes"]),
                           count(f["modes_within_budget"]), escaped(f["modes_chosen_by"])));
  std::string errors;
  for (const auto& [key, name] : groups) {
    const Json& e = f["errors"][key];
    if (count(e["examples"]) == 0) continue;
    errors += fmt::format("{}<b>{:.3f}</b> {}", errors.empty() ? "" : " · ", number(e["relative"]), name);
  }
  rows += fact("Error, share of linear blend's", errors.empty() ? "not measured" : errors);
  rows += teacher_facts(f["teacher"]);
  rows += fact("Worst vertex", worst_of_all(f["errors"]));
  if (f.contains("kernel"))
    rows += fact("Left out of training",
                 fmt::format("<b>{:.3f}</b> of linear blend's error, each example predicted from the others",
                             number(f["kernel"]["left_out"])));
  if (f.contains("border_step"))
    rows += fact("Border of supports",
                 fmt::format("steps of at most {:.3f} mm ({}, vertex {} in {})", number(f["border_step"]["mm"]),
                             escaped(f["border_step"]["joint"]), count(f["border_step"]["vertex"]),
                             escaped(f["border_step"]["example"])));
  rows += fact("Size", fmt::format("{} against {} of examples: {}", megabytes(size["file_bytes"]),
                                   megabytes(size["example_bytes"]), times_smaller(number(size["times_smaller"]))));
  if (f.contains("blend_rms_before_refinement_mm"))
    rows +=
        fact("Skin weights",
             fmt::format("were refined: linear blend misses the training examples by {:.3f} mm RMS instead of {:.3f}; "
                         "errors here are told against the weights of the input",
                         number(f["blend_rms_after_refinement_mm"]), number(f["blend_rms_before_refinement_mm"])));
  if (!f["still_joints"].empty())
    rows += fact("Never moved", joined(f["still_joints"]) + ": no example does; their skin is linear blend");
  return html::facts(rows) + errors_table(f["errors"]) + tags_table(f["errors_by_tag"]) +
         html::list("Warnings", f["warnings"]);
}

std::string corrections_table(const Json& f) {
  if (f.contains("kernel")) return kernel_table(f["kernel"]);
  const Json& corrections = f["corrections"];
  const auto any = [&](auto has) { return std::any_of(corrections.begin(), corrections.end(), has); };
  const bool normals = any([](const Json& c) { return count(c["normal_modes"]) > 0; });
  const bool left_out = any([](const Json& c) { return c.contains("left_out"); });
  std::vector<html::Table::Column> columns{{"joint, or pair of joints"}, {"examples", true}, {"vertices", true},
                                           {"share of the skin", true},  {"modes", true},    {"kernel radius", true},
                                           {"first singular values, mm"}};
  if (normals) columns.push_back({"modes of normals", true});
  if (left_out) columns.push_back({"missed when left out", true});
  html::Table table(std::move(columns));
  for (const Json& c : corrections) {
    std::string values;
    for (std::size_t i = 0; i < std::min<std::size_t>(4, c["singular_values_mm"].size()); ++i)
      values += fmt::format("{}{:.3g}", i == 0 ? "" : ", ", number(c["singular_values_mm"][i]));
    std::vector<std::string> cells{
        joint_names(c["name"]),
        fmt::format("{}", count(c["examples"])),
        fmt::format("{}", count(c["support_vertices"])),
        fmt::format("{:.1f} %", 100 * number(c["support_share"])),
        fmt::format("{}", count(c["modes"])),
        c.contains("radius_degrees") ? fmt::format("{:.0f}°", number(c["radius_degrees"])) : "",
        "<span class='name'>" + values + "</span>"};
    if (normals) cells.push_back(fmt::format("{}", count(c["normal_modes"])));
    if (left_out)
      cells.push_back(c.contains("left_out") ? fmt::format("{:.0f} %", 100 * number(c["left_out"])) : std::string());
    table.add(cells);
  }
  std::string text = "<h2>Joints</h2>\n" + table.text();
  if (left_out)
    text +=
        "<p class='note'>Missed when left out: where coordinates pass near the examples rather than through them, the "
        "share of their energy that is missed at examples that were left out one at a time.</p>\n";
  return text;
}

std::string size_and_cost(const Json& f) {
  const Json &size = f["size"], &cost = f["cost"];
  std::string rows = fact("File", fmt::format("{}, {:.0f} bytes per vertex", megabytes(size["file_bytes"]),
                                              number(size["file_bytes_per_vertex"])));
  rows += fact("Examples", fmt::format("{}, {:.0f} bytes per vertex", megabytes(size["example_bytes"]),
                                       number(size["example_bytes_per_vertex"])));
  rows += fact("Modes that move a vertex",
               fmt::format("{:.2f} on average, {} at most", number(cost["position_modes_per_vertex_mean"]),
                           count(cost["position_modes_per_vertex_most"])));
  rows += fact("Modes that turn its normal",
               fmt::format("{:.2f} on average, {} at most", number(cost["normal_modes_per_vertex_mean"]),
                           count(cost["normal_modes_per_vertex_most"])));
  return "<h2>Size and cost</h2>\n" + html::facts(rows) + engines_table(f);
}

std::string options_used(const FitOptions& o) {
  const auto yes_no = [](bool yes) { return yes ? "yes" : "no"; };
  std::string rows;
  const auto add_number = [&](const char* name, const auto& value) {
    if (value) rows += fact(name, fmt::format("{}", *value));
  };
  add_number("--modes", o.modes);
  add_number("--error", o.error);
  add_number("--targets", o.targets);
  rows += fact("--method", o.method == FitMethod::kernel ? "kernel" : "eigenskin-2002");
  if (!o.modes) rows += fact("--budget", fmt::format("{}", o.budget.value_or(o.learn.budget.per_vertex)));
  rows += fact("--for-engine", escaped(o.engine));
  using learn::Allocation, learn::NormalModes;
  rows += fact("--normals", word_of<NormalModes>(o.learn.normals, {{NormalModes::own, "own"},
                                                                   {NormalModes::shared, "shared"},
                                                                   {NormalModes::none, "none"}}));
  if (o.method == FitMethod::eigenskin) {
    rows += fact("--allocation", o.modes ? "equal"
                                         : word_of<Allocation>(o.learn.allocation, {{Allocation::faded, "faded"},
                                                                                    {Allocation::greedy, "greedy"},
                                                                                    {Allocation::equal, "equal"}}));
    rows += fact("--kernel", word_of<RbfKernel>(o.learn.kernel, {{RbfKernel::exponential, "exponential"},
                                                                 {RbfKernel::gaussian, "gaussian"},
                                                                 {RbfKernel::linear, "linear"},
                                                                 {RbfKernel::cubic, "cubic"}}));
    rows += fact("--radius", fmt::format("{:g}", o.learn.radius_factor));
    rows += fact("--support", fmt::format("{:g}{}", o.learn.support.threshold, o.learn.support.hard ? ", hard" : ""));
    rows += fact("--swing-twist", yes_no(o.learn.swing_twist));
  }
  rows += fact("Pairs of joints", o.learn.coupling ? "learnt" : "left out (--no-coupling)");
  rows += fact("--refine-weights", yes_no(o.refine_weights));
  rows += fact("--weights", o.signed_weights ? "signed" : "unit");
  for (const std::string& pose : o.poses) rows += fact("--pose", escaped(pose));
  return "<h2>Options</h2>\n" + html::facts(rows);
}

}  // namespace supple::workflow
