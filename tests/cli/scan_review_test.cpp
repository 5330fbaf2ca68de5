// How sure a build is of what it decided: what somebody spoilt is what a person is told to look at first.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/scan_study.h"
#include "supple/base/rng.h"
#include "supple/imaging/volume_file.h"

namespace supple::test {
namespace {

/// Two poses to learn from and none held out, in coarse samples: builds are many here.
struct SmallStudy : Study {
  SmallStudy() : Study("--poses 2 --voxel 1.2") {
    edit([](Json& json) { json["scans"].erase(json["scans"].end() - 1); });
  }
};

const std::string spoilt_bone = "ring-finger-phalanx-distal";

Json review_of(const Study& study) {
  const CommandResult built = study.build("--json");
  EXPECT_EQ(built.exit_code, 0) << built.err;
  return built.exit_code == 0 ? Json::parse(built.out)["review"] : Json();
}

/// Titles of what is to be looked at, in order.
std::vector<std::string> to_look_at(const Json& review) {
  std::vector<std::string> titles;
  for (const Json& item : review["items"])
    if (item["look"].get<bool>()) titles.push_back(item["title"]);
  EXPECT_EQ(titles.size(), review["to_look_at"].get<std::size_t>());
  return titles;
}

std::string all_of(const std::vector<std::string>& titles) {
  std::string text;
  for (const std::string& title : titles) text += title + "\n";
  return text;
}

/// The volume of a scan, changed, takes its place in the project.
void change_volume(const Study& study, const std::string& scan, const std::function<void(Volume&)>& change) {
  Volume volume = imaging::read_volume(study.folder / (scan + ".nrrd")).value();
  change(volume);
  ASSERT_TRUE(imaging::write_nrrd(study.folder / "spoilt.nrrd", volume).ok());
  study.edit([&](Json& json) {
    for (Json& entry : json["scans"])
      if (entry["name"] == scan) entry["volume"] = "spoilt.nrrd";
  });
}

Affined affine_of(const Json& rows) {
  Affined a;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) a.linear[c][r] = rows[r][c].get<double>();
    a.translation[r] = rows[r][3].get<double>();
  }
  return a;
}

/// Flesh instead of bone around where a bone truly lies in a scan.
void take_bone_out(const Study& study, const std::string& scan, const std::string& bone) {
  const Json truth = *read_json(study.folder / "truth.json");
  Vec3d head{}, tail{};
  for (const Json& joint : truth["joints"]) {
    const Vec3d centre{joint["centre"][0].get<double>(), joint["centre"][1].get<double>(),
                       joint["centre"][2].get<double>()};
    if (joint["name"] == bone) head = centre;
    if (joint["name"] == "ring-finger-tip") tail = centre;
  }
  Affined motion;
  for (const Json& pose : truth["poses"])
    if (pose["name"] == scan) motion = affine_of(pose["bones"][bone]);
  const Vec3d from = motion.point(head + (tail - head) * 0.1), to = motion.point(tail);
  change_volume(study, scan, [&](Volume& volume) {
    const double tissue = (40 - volume.intercept) / volume.slope;
    const Vec3d along = to - from;
    for (std::size_t k = 0; k < volume.size[2]; ++k)
      for (std::size_t j = 0; j < volume.size[1]; ++j)
        for (std::size_t i = 0; i < volume.size[0]; ++i) {
          const Vec3d p =
              volume.to_world.point({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          const double share = std::clamp(dot(p - from, along) / squared_length(along), 0.0, 1.0);
          std::int16_t& sample = volume.samples[volume.place(i, j, k)];
          if (length(p - from - along * share) < 0.0075 && sample > tissue) sample = static_cast<std::int16_t>(tissue);
        }
  });
}

TEST(ScanReview, ACleanStudyIsSureOfItself) {
  const Study study("--poses 3");
  const fs::path page = study.work / "report.html", table = study.work / "review.csv";
  const CommandResult built = study.build("--no-pictures --report " + page.string() + " --review " + table.string());
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json review = review_of(study);
  EXPECT_EQ(to_look_at(review).size(), 0u) << all_of(to_look_at(review));
  EXPECT_NE(built.out.find("Nothing needs a look: "), std::string::npos) << built.out;
  EXPECT_NE(contents(page).find("Nothing needs a look."), std::string::npos);
  // Every decision has a confidence and a reason, in the project file too.
  const Json decisions = (*read_json(study.project))["decisions"];
  std::size_t count = 0;
  const auto is_stated = [&](const Json& item, const std::string& name) {
    ++count;
    EXPECT_TRUE(item.contains("confidence") && item["confidence"] >= 0 && item["confidence"] <= 1)
        << name << item.dump();
    EXPECT_FALSE(item.value("why", "").empty()) << name;
  };
  for (const char* group : {"thresholds", "bones", "joints", "sizes", "quality", "features", "landmarks"})
    for (const auto& item : decisions[group].members()) is_stated(item.value, group + ("." + item.key));
  for (const auto& scan : decisions["alignment"].members())
    for (const auto& bone : scan.value.members()) is_stated(bone.value, scan.key + "." + bone.key);
  for (const auto& scan : decisions["features"].members())
    for (const Json& point : scan.value["points"]) is_stated(point, "point of " + scan.key);
  is_stated(decisions["pieces"], "pieces");
  is_stated(decisions["side"], "side");
  EXPECT_GT(count, 400u);
  EXPECT_EQ(decisions["joints"]["index-finger-phalanx-distal"]["kind"], "hinge");
  // The table has them in the same order.
  std::istringstream lines(contents(table));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "decided,scan,item,confidence,look,why,field,remedy");
  std::size_t rows = 0;
  while (std::getline(lines, line)) ++rows;
  EXPECT_EQ(rows, review["items"].size());
  // What is measured is nobody's decision: a second build has nothing set by hand.
  EXPECT_EQ((*read_json(study.project))["decisions"].dump().find("\"decided\""), std::string::npos);
}

void what_was_spoilt_by_hand(const Study& study, const std::string& clean) {
  const auto spoilt = [&](const std::function<void(Json&)>& change) {
    std::ofstream(study.project, std::ios::binary) << clean;
    study.edit([&](Json& json) { change(json["decisions"]); });
    return review_of(study);
  };
  // A feature 30 mm off; its field is where it stands in the file.
  const Json feature = spoilt([](Json& d) {
    Json& target = d["features"]["grasp"]["points"][3]["target_mm"][1];
    target = target.get<double>() + 30;
  });
  ASSERT_FALSE(feature.is_null());
  EXPECT_EQ(feature["items"][0]["decided"], "feature") << all_of(to_look_at(feature));
  EXPECT_EQ(feature["items"][0]["field"], "decisions.features.grasp.points[3]");
  EXPECT_LT(feature["items"][0]["confidence"], 0.05);

  // A joint centre 500 mm away.
  const Json centre = spoilt([](Json& d) {
    Json& x = d["joints"]["index-finger-phalanx-proximal"]["centre_mm"][0];
    x = x.get<double>() + 500;
  });
  EXPECT_EQ(centre["items"][0]["title"], "joint centre of index-finger-phalanx-proximal") << all_of(to_look_at(centre));

  // Two names exchanged: neither bone is found in any scan, so that there is nothing to build; why, is told first.
  std::ofstream(study.project, std::ios::binary) << clean;
  study.edit([](Json& json) {
    Json& bones = json["decisions"]["bones"];
    std::swap(bones["index-finger-phalanx-distal"], bones["middle-finger-phalanx-distal"]);
  });
  const CommandResult exchanged = study.build();
  EXPECT_EQ(exchanged.exit_code, 2) << exchanged.out;
  EXPECT_NE(exchanged.err.find("look first at: name of "), std::string::npos) << exchanged.err;
  EXPECT_NE(exchanged.err.find("looks and lies like "), std::string::npos) << exchanged.err;
  const Json bones = (*read_json(study.project))["decisions"]["bones"];
  for (const auto& bone : bones.members()) {
    const bool spoilt_name = bone.key == "index-finger-phalanx-distal" || bone.key == "middle-finger-phalanx-distal";
    EXPECT_EQ(bone.value["confidence"] < 0.1, spoilt_name) << bone.key << bone.value.dump();
  }
}

void what_is_wrong_with_a_scan(const Study& study, const std::string& clean) {
  const auto again = [&] { std::ofstream(study.project, std::ios::binary) << clean; };

  take_bone_out(study, "grasp", spoilt_bone);
  const Json missing = review_of(study);
  ASSERT_FALSE(missing.is_null());
  EXPECT_EQ(missing["items"][0]["title"], "alignment of " + spoilt_bone + " in grasp") << all_of(to_look_at(missing));
  EXPECT_EQ(missing["items"][0]["field"], "decisions.alignment.grasp." + spoilt_bone);

  again();
  change_volume(study, "grasp", [](Volume& volume) { volume.to_world.linear.c2 = volume.to_world.linear.c2 * 1.1; });
  const Json stretched = review_of(study);
  ASSERT_FALSE(stretched.is_null());
  EXPECT_EQ(stretched["items"][0]["title"], "size in grasp") << all_of(to_look_at(stretched));

  again();
  change_volume(study, "grasp", [](Volume& volume) {  // noise of 120 HU: bone stands 760 above flesh
    Rng rng(7);
    for (std::int16_t& sample : volume.samples) {
      double sum = -3;
      for (int i = 0; i < 6; ++i) sum += rng.uniform();
      sample =
          static_cast<std::int16_t>(std::clamp(sample + 120 * std::sqrt(2.0) * sum / volume.slope, -32768.0, 32767.0));
    }
  });
  const Json noisy = review_of(study);
  ASSERT_FALSE(noisy.is_null());
  // The base's own coarse samples have cut some bones, which is told as well.
  std::vector<std::string> first = to_look_at(noisy);
  std::erase_if(first, [](const std::string& title) { return title.ends_with(" in relaxed"); });
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first[0], "scan as a whole in grasp") << all_of(first);
}

// One pose beside the base: the wrist does not bend in it, and kinds of joints cannot be told.
void joints_that_hardly_move(const Study& study) {
  const std::string all = contents(study.project);
  study.edit([](Json& json) { json["scans"].erase(json["scans"].end() - 1); });
  const std::vector<std::string> titles = to_look_at(review_of(study));
  ASSERT_GE(titles.size(), 2u);
  EXPECT_EQ(titles[0], "joint centre of wrist") << all_of(titles);
  EXPECT_LE(titles.size(), 5u) << all_of(titles);
  EXPECT_NE(std::find(titles.begin(), titles.end(), "kind of joint of every joint"), titles.end()) << all_of(titles);
  std::ofstream(study.project, std::ios::binary) << all;
}

TEST(ScanReview, WhatIsSpoiltComesFirst) {
  const SmallStudy study;
  joints_that_hardly_move(study);
  ASSERT_EQ(study.build().exit_code, 0);
  const std::string clean = contents(study.project);
  what_was_spoilt_by_hand(study, clean);
  std::ofstream(study.project, std::ios::binary) << clean;
  what_is_wrong_with_a_scan(study, clean);
}

}  // namespace
}  // namespace supple::test
