// supple scan with labels: magnetic resonance in, a posable hand out; labels that are not what they should be.
#include <gtest/gtest.h>

#include "cli/scan_study.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/imaging/label_file.h"

namespace supple::test {
namespace {

std::size_t piece_count(const Json& facts) {
  std::size_t pieces = 0;
  for (const Json& bone : facts["bones"]) pieces += bone["pieces"].size();
  return pieces;
}
bool warned(const Json& facts, const std::string& words) {
  for (const Json& warning : facts["warnings"])
    if (warning.get<std::string>().find(words) != std::string::npos) return true;
  return false;
}
void change_labels(const fs::path& file, const std::function<void(LabelMap&)>& change) {
  LabelMap map = imaging::read_labels(file).value();
  change(map);
  ASSERT_TRUE(imaging::write_labels(file, map).ok());
}
void rename_label(LabelMap& map, const std::string& from, const std::string& to) {
  for (Label& label : map.labels)
    if (label.name == from) label.name = to;
}

TEST(ScanLabels, MakeAHandOfMagneticResonance) {
  for (const char* labels : {"each", "grouped"}) {
    const Study study(std::string("--modality mr --labels ") + labels, Begin::built);
    const Json facts = study.facts();
    EXPECT_EQ(facts["bones"].size(), 21u);
    EXPECT_EQ(piece_count(facts), 22u);  // radius and ulna
    for (const Json& scan : facts["errors"])
      EXPECT_LT(scan["wpsd"]["rms_mm"], scan["role"] == "test" ? 0.6 : 0.2) << scan.dump();
    for (const Json& scan : facts["alignment"])
      for (const Json& bone : scan["bones"]) EXPECT_TRUE(bone["found"].get<bool>()) << bone.dump();
    EXPECT_FALSE(facts["scans"][0].contains("bone_threshold"));
    EXPECT_EQ(facts["scans"][0]["labels"], "relaxed.seg.nrrd");
    EXPECT_FALSE(warned(facts, "exchanged")) << facts["warnings"].dump();
  }
}

TEST(ScanLabels, ScansWithAndWithoutThemMixAndSkinMayComeFromTheImage) {
  const Study study("--labels each");  // of computed tomography
  study.edit([](Json& json) {
    json["scans"][1].erase("labels");
    json["label_names"] = {{"skin", ""}};
  });
  const CommandResult built = study.build("--json");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json facts = Json::parse(built.out);
  EXPECT_TRUE(facts["scans"][1].contains("bone_threshold"));
  EXPECT_FALSE(facts["scans"][0].contains("bone_threshold"));
  EXPECT_TRUE(facts["scans"][0].contains("skin_threshold"));
  for (const Json& scan : facts["alignment"])
    for (const Json& bone : scan["bones"]) EXPECT_TRUE(bone["found"].get<bool>()) << bone.dump();
  // The threshold of skin can be set; of bone there is none.
  study.edit([](Json& json) {
    EXPECT_FALSE(json["decisions"]["thresholds"]["relaxed"].contains("bone"));
    json["decisions"]["thresholds"]["relaxed"]["skin"] = -400;
  });
  const std::vector<std::string> anew = made_anew(study);
  EXPECT_EQ(anew.front(), "surfaces of relaxed");
}

TEST(ScanLabels, BonesAloneMakeASkeleton) {
  const Study study("--modality mr --labels each");
  study.edit([](Json& json) {
    json["label_names"] = {{"skin", ""}};
    for (Json& scan : json["scans"]) scan.erase("volume");
  });
  const fs::path page = study.work / "report.html", examples = study.work / "examples";
  const CommandResult built = study.build("--json --report " + page.string() + " --examples " + examples.string());
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json facts = Json::parse(built.out);
  EXPECT_TRUE(warned(facts, "shows no skin")) << facts["warnings"].dump();
  EXPECT_FALSE(warned(facts, "bones were not found")) << facts["warnings"].dump();
  EXPECT_EQ(facts["skin_triangles"], 0u);
  EXPECT_EQ(facts["joints"].size(), 20u);
  EXPECT_NE(contents(page).find("A posable skeleton of 21 bones"), std::string::npos);
  const auto loaded = load(study.hand, nullptr, {.strict = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Character& hand = loaded->character();
  ASSERT_EQ(hand.parts.size(), 1u);
  EXPECT_EQ(hand.parts[0].name, "bones");
  EXPECT_NE(hand.find_clip("scans"), nullptr);
  // Posed as a scan, bones are where they were found in it.
  const auto set = load_examples(examples);
  ASSERT_TRUE(set) << set.error().message();
  Skin skin = Skin::make(hand).value();
  ASSERT_TRUE(skin.evaluate(set->pose(0)).ok());
  for (std::size_t v = 0; v < set->vertices(); ++v)
    EXPECT_LT(length(skin.positions(0)[v] - set->positions_of(0)[v]), 2e-6f);
}

TEST(ScanLabels, AScanWithoutSkinTellsOfJointsOnly) {
  const Study study("--labels each");
  study.edit([](Json& json) {
    json["scans"][2].erase("volume");
    json["scans"][2]["label_names"] = {{"skin", ""}};
    for (const std::size_t s : {0u, 1u}) json["scans"][s].erase("labels");
  });
  const CommandResult built = study.build("--json --no-pictures --report " + (study.work / "r.html").string());
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json facts = Json::parse(built.out);
  EXPECT_TRUE(warned(facts, "its bones tell of joints, its skin is neither learnt nor judged"));
  EXPECT_EQ(facts["alignment"].size(), facts["scans"].size() - 1);
  EXPECT_EQ(facts["errors"].size(), facts["scans"].size() - 2);
}

// The message names file, label and remedy; the hand that was built before stays as it was.
TEST(ScanLabels, BadLabelsAreRefusedAndNothingIsLost) {
  const Study study("--modality mr --labels each", Begin::built);
  const std::string before = contents(study.hand);
  const fs::path relaxed = study.folder / "relaxed.seg.nrrd", grasp = study.folder / "grasp.seg.nrrd";
  const auto refuses = [&](const fs::path& file, const std::function<void(LabelMap&)>& change,
                           const std::vector<std::string>& why) {
    const std::string good = contents(file);
    change_labels(file, change);
    const CommandResult result = study.build();
    EXPECT_EQ(result.exit_code, 2) << result.out;
    for (const std::string& words : why) EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(contents(study.hand), before);
    std::ofstream(file, std::ios::binary) << good;
  };
  refuses(relaxed, [](LabelMap& m) { m.layers[0].to_world.linear = m.layers[0].to_world.linear * 1.2; },
          {"relaxed.seg.nrrd", "has as many samples as its image, but they lie elsewhere"});
  refuses(relaxed,
          [](LabelMap& m) {
            for (Label& label : m.labels)
              if (label.name == "thumb-phalanx-distal")
                for (std::int16_t& sample : m.layers[0].samples) sample = sample == label.value ? 0 : sample;
          },
          {"relaxed.seg.nrrd", "label 'thumb-phalanx-distal' is empty"});
  refuses(relaxed,
          [](LabelMap& m) {
            for (Label& label : m.labels) label.name = "Segment_" + std::to_string(label.value);
          },
          {"has no label whose name is that of a bone: label 'Segment_1'", "label_names"});
  // The labels of two scans exchanged.
  fs::rename(relaxed, study.work / "aside");
  fs::rename(grasp, relaxed);
  fs::rename(study.work / "aside", grasp);
  const CommandResult exchanged = study.build();
  EXPECT_EQ(exchanged.exit_code, 2) << exchanged.out;
  EXPECT_NE(exchanged.err.find("relaxed.seg.nrrd"), std::string::npos) << exchanged.err;
  EXPECT_EQ(contents(study.hand), before);
  fs::rename(relaxed, study.work / "aside");
  fs::rename(grasp, relaxed);
  fs::rename(study.work / "aside", grasp);
  // A table that names what is nothing.
  study.edit([](Json& json) { json["label_names"] = {{"skin", "metacarpl"}}; });
  const CommandResult unknown = study.build();
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("calls label 'skin' 'metacarpl', which is nothing of a hand"), std::string::npos)
      << unknown.err;
  study.edit([](Json& json) { json.erase("label_names"); });
  EXPECT_EQ(study.build().exit_code, 0);
  EXPECT_EQ(contents(study.hand), before);
}

TEST(ScanLabels, NamesThatLookExchangedOrAreUnknownAreTold) {
  const Study study("--modality mr --labels each");
  const auto exchange = [&](const char* scan, const std::string& a, const std::string& b) {
    change_labels(study.folder / (std::string(scan) + ".seg.nrrd"), [&](LabelMap& map) {
      rename_label(map, a, "aside");
      rename_label(map, b, a);
      rename_label(map, "aside", b);
    });
  };
  const std::string index = "index-finger-phalanx-distal", middle = "middle-finger-phalanx-distal";
  exchange("relaxed", index, middle);
  const CommandResult refused = study.build();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("the labels of " + index + " and " + middle + " look exchanged"), std::string::npos)
      << refused.err;
  exchange("relaxed", index, middle);

  exchange("grasp", "index-finger-phalanx-proximal", "ring-finger-phalanx-proximal");
  change_labels(study.folder / "relaxed.seg.nrrd", [](LabelMap& map) {
    map.labels.push_back({"tumour", 99, 0, {}, 0});
  });
  const CommandResult built = study.build("--json");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json facts = Json::parse(built.out);
  EXPECT_TRUE(warned(facts,
                     "scan 'grasp', its labels say ring-finger-phalanx-proximal where the base's "
                     "index-finger-phalanx-proximal was found"))
      << facts["warnings"].dump();
  EXPECT_TRUE(warned(facts, "not used, as their names are of nothing in a hand: label 'tumour'"))
      << facts["warnings"].dump();
}

TEST(ScanLabels, InspectListsThemAndDrawsThem) {
  const Study study("--modality mr --labels grouped");
  const fs::path picture = study.work / "slices.png", table = study.work / "names.txt";
  const std::string file = (study.folder / "relaxed.nrrd").string(),
                    labels = (study.folder / "relaxed.seg.nrrd").string();
  const CommandResult listed =
      supple("scan inspect " + file + " --labels " + labels + " --preview " + picture.string());
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_NE(listed.out.find("14 bones, to be divided and named"), std::string::npos) << listed.out;
  EXPECT_TRUE(fs::exists(picture));
  std::ofstream(table) << "# labels\n1 skin 200 150 120 255\n2 tumour 10 20 30 255\n";
  const CommandResult refused =
      supple("scan inspect " + file + " --labels " + labels + " --label-names " + table.string());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("calls label '2' 'tumour'"), std::string::npos) << refused.err;
  const CommandResult other = supple("scan inspect " + (study.folder / "grasp.nrrd").string() + " --labels " + labels);
  EXPECT_EQ(other.exit_code, 2) << other.out;
}

TEST(ScanLabels, SurfacesAreNamedByThem) {
  const Study study("--modality mr --labels each");
  const std::string image = (study.folder / "relaxed.nrrd").string(),
                    labels = (study.folder / "relaxed.seg.nrrd").string();
  const auto draw = [&](const std::string& scan, const char* folder) {
    const CommandResult drawn =
        run(cli + " scan surfaces " + scan + " --labels " + labels + " --json -o " + (study.work / folder).string());
    EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
    return drawn.exit_code == 0 ? Json::parse(drawn.out) : Json();
  };
  const Json both = draw(image, "both"), alone = draw(labels, "alone");
  ASSERT_FALSE(both.is_null() || alone.is_null());
  EXPECT_EQ(both["pieces"].size(), 22u);  // the forearm's label holds radius and ulna
  EXPECT_FALSE(both.contains("thresholds"));
  const std::string bone = "index-finger-phalanx-distal";
  double volumes[2] = {};
  for (const Json* facts : {&both, &alone})
    for (const Json& piece : (*facts)["pieces"])
      if (piece["name"] == bone) volumes[facts == &both ? 0 : 1] = piece["volume_mm3"].get<double>();
  EXPECT_GT(volumes[0], 100);
  EXPECT_NEAR(volumes[0] / volumes[1], 1,
              0.4);  // a tip of 7 samples across whose surface the image moves by half of one
  for (const char* folder : {"both", "alone"}) {
    EXPECT_TRUE(fs::exists(study.work / folder / (bone + ".stl")));
    EXPECT_TRUE(fs::exists(study.work / folder / "skin.stl"));  // it has a label, too
  }
  const CommandResult refused = run(cli + " scan surfaces " + image + " --labels " + labels + " --bone 300");
  EXPECT_NE(refused.err.find("--bone: has no say"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace supple::test
