// Writing an example set: arrays grow row by row under temporary names, the index makes them a set.
#include <cmath>
#include <optional>
#include <set>

#include "supple/files/example_set_file.h"
#include "supple/files/example_set_index.h"
#include "supple/files/npy.h"
#include "supple/geometry/carry_normals.h"
#include "supple/geometry/topology.h"
#include "supple/rig/merge_parts.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

template <class T>
Result<NpyWriter> write_array(const fs::path& path, const char* dtype, std::span<const T> values) {
  auto writer = NpyWriter::create(path, dtype, {3});
  if (!writer) return writer;
  if (auto ok = writer->append(values); !ok) return ok.error();
  return writer;
}

Error same_name(const std::string& name) {
  return {"example '" + name + "'", "occurs twice", "give every example a name of its own"};
}

}  // namespace

struct ExampleWriter::State {
  fs::path folder;
  bool made_folder = false;
  ExampleSubject subject;
  std::optional<NormalCarrier> carrier;
  float size = 0;
  std::vector<Example> examples;
  std::set<std::string> names;
  std::optional<NpyWriter> rotations, translations, scales, positions, normals, rest_positions, rest_normals, triangles;

  Result<void> open();
  Result<void> append_pose(const Pose& pose);
  Result<void> append_channel(std::optional<NpyWriter>& writer, const char* file, const Pose& pose,
                              Vec3f Transformf::*channel);
  std::vector<NpyWriter*> writers();
  Result<void> commit();
  ~State();
};

ExampleWriter::State::~State() {
  for (auto* writer :
       {&rotations, &translations, &scales, &positions, &normals, &rest_positions, &rest_normals, &triangles}) {
    writer->reset();
  }
  std::error_code ignored;
  if (made_folder) fs::remove(folder, ignored);  // only where it is empty
}

Result<void> ExampleWriter::State::open() {
  const std::size_t joints = subject.skeleton.size(), vertices = subject.rest.positions.size();
  const auto create = [&](std::optional<NpyWriter>& out, const char* file, std::vector<std::size_t> row) {
    auto writer = NpyWriter::create(folder / file, "<f4", std::move(row));
    if (!writer) return Result<void>(writer.error());
    out = std::move(*writer);
    return Result<void>();
  };
  if (auto ok = create(rotations, "rotations.npy", {joints, 4}); !ok) return ok;
  if (auto ok = create(positions, "positions.npy", {vertices, 3}); !ok) return ok;
  if (auto ok = create(normals, "normals.npy", {vertices, 3}); !ok) return ok;
  const Mesh& rest = subject.rest;
  auto written = write_array(folder / "rest_positions.npy", "<f4", std::span(rest.positions));
  if (!written) return written.error();
  rest_positions = std::move(*written);
  written = write_array(folder / "rest_normals.npy", "<f4", std::span(rest.normals));
  if (!written) return written.error();
  rest_normals = std::move(*written);
  written = write_array(folder / "triangles.npy", "<u4", std::span(rest.triangles));
  if (!written) return written.error();
  triangles = std::move(*written);
  return {};
}

/// An array that is only there when some pose needs it: the poses before that one get the rest values.
Result<void> ExampleWriter::State::append_channel(std::optional<NpyWriter>& writer, const char* file, const Pose& pose,
                                                  Vec3f Transformf::*channel) {
  const auto rest = subject.skeleton.rest();
  std::vector<Vec3f> row(rest.size());
  if (!writer) {
    bool differs = false;
    for (std::size_t j = 0; j < rest.size(); ++j) differs = differs || pose.local[j].*channel != rest[j].*channel;
    if (!differs) return {};
    auto created = NpyWriter::create(folder / file, "<f4", {rest.size(), 3});
    if (!created) return created.error();
    writer = std::move(*created);
    for (std::size_t j = 0; j < rest.size(); ++j) row[j] = rest[j].*channel;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (auto ok = writer->append(std::span<const Vec3f>(row)); !ok) return ok;
    }
  }
  for (std::size_t j = 0; j < rest.size(); ++j) row[j] = pose.local[j].*channel;
  return writer->append(std::span<const Vec3f>(row));
}

Result<void> ExampleWriter::State::append_pose(const Pose& pose) {
  std::vector<Quatf> row;
  for (const Transformf& local : pose.local) row.push_back(local.rotation);
  if (auto ok = rotations->append(std::span<const Quatf>(row)); !ok) return ok;
  if (auto ok = append_channel(translations, "translations.npy", pose, &Transformf::translation); !ok) return ok;
  return append_channel(scales, "scales.npy", pose, &Transformf::scale);
}

std::vector<NpyWriter*> ExampleWriter::State::writers() {
  std::vector<NpyWriter*> result;
  for (auto* writer :
       {&rotations, &translations, &scales, &positions, &normals, &rest_positions, &rest_normals, &triangles}) {
    if (writer->has_value()) result.push_back(&**writer);
  }
  return result;
}

Result<void> ExampleWriter::State::commit() {
  ExampleIndex index{subject.part,
                     subject.origin,
                     subject.parts,
                     subject.skeleton,
                     subject.rest.positions.size(),
                     subject.rest.triangles.size(),
                     translations.has_value(),
                     scales.has_value(),
                     examples,
                     subject.zero_at_bind};
  for (auto* writer : {&rotations, &translations, &scales, &positions, &normals}) {
    if (!*writer) continue;
    if (auto ok = (*writer)->keep(examples.size()); !ok) return ok;
  }
  for (NpyWriter* writer : writers()) {  // a full disk shows here, while the old set still stands
    if (auto ok = writer->close(); !ok) return ok;
  }
  FileTransaction index_file;
  if (auto ok = index_file.add(folder / "examples.json", to_text(to_json(index))); !ok) return ok;
  // From here on only names change. An old index must not meet new arrays, so it goes first.
  std::error_code ignored;
  fs::remove(folder / "examples.json", ignored);
  if (!translations) fs::remove(folder / "translations.npy", ignored);
  if (!scales) fs::remove(folder / "scales.npy", ignored);
  for (NpyWriter* writer : writers()) {
    if (auto ok = writer->commit(); !ok) return ok;
  }
  return index_file.commit();
}

ExampleSubject subject_of(const Character& character, std::size_t part, std::string origin) {
  return {character.skeleton, character.parts[part].mesh, character.parts[part].name, std::move(origin), {}, false};
}

ExampleSubject subject_of(const Character& character, std::vector<std::size_t> parts, std::string origin) {
  ExampleSubject subject = subject_of(character, parts[0], std::move(origin));
  if (parts.size() == 1) return subject;
  for (const std::size_t p : parts)
    subject.parts.push_back({character.parts[p].name, character.parts[p].mesh.positions.size()});
  subject.rest = merge_parts(character, std::move(parts), Seams::kept).character.parts[0].mesh;
  return subject;
}

ExampleWriter::ExampleWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ExampleWriter::ExampleWriter(ExampleWriter&&) noexcept = default;
ExampleWriter& ExampleWriter::operator=(ExampleWriter&&) noexcept = default;
ExampleWriter::~ExampleWriter() = default;

Result<ExampleWriter> ExampleWriter::create(const fs::path& folder, ExampleSubject subject) {
  if (subject.rest.positions.empty()) return Error{"part '" + subject.part + "'", "has no vertices", ""};
  if (subject.skeleton.size() == 0)
    return Error{"part '" + subject.part + "'", "has no joints to pose", "use a rigged file (.glb, .gltf)"};
  if (auto ok = validate(subject.rest); !ok) return ok.error();
  auto state = std::make_unique<State>();
  state->folder = folder;
  std::error_code failed;
  state->made_folder = fs::create_directory(folder, failed);
  if (failed || !fs::is_directory(folder, failed)) {
    return Error{folder.string(), "cannot be made a folder" + (failed ? ": " + failed.message() : std::string()),
                 "name a folder in an existing one"};
  }
  Mesh& rest = subject.rest;
  std::vector<std::uint32_t> seams = weld(rest.positions).to_point;
  if (rest.normals.size() != rest.positions.size()) {
    rest.normals.resize(rest.positions.size());
    compute_normals(rest.positions, rest.triangles, rest.normals, seams);
  }
  for (Vec3f& n : rest.normals) {  // files hold rounded ones, which stay as they are, and none at all
    if (!(std::abs(length(n) - 1) < 1e-3f)) n = normalized(n, {0, 1, 0});
  }
  state->carrier.emplace(rest, std::move(seams));
  state->size = size_of(subject.skeleton, rest.positions);
  state->subject = std::move(subject);
  if (auto ok = state->open(); !ok) return ok.error();
  return ExampleWriter(std::move(state));
}

std::size_t ExampleWriter::size() const { return state_->examples.size(); }
const ExampleSubject& ExampleWriter::subject() const { return state_->subject; }

Result<void> ExampleWriter::add(const Example& example, const Pose& pose, std::span<const Vec3f> positions,
                                std::span<const Vec3f> normals) {
  State& s = *state_;
  const Mesh& rest = s.subject.rest;
  std::vector<Vec3f> computed;
  if (normals.empty() && positions.size() == rest.positions.size()) {
    computed.resize(positions.size());
    s.carrier->carry(positions, computed);
    normals = computed;
  }
  if (auto ok = check_example(example, s.subject.skeleton, pose.local, positions, normals, rest.positions, s.size); !ok)
    return ok;
  if (s.names.contains(example.name)) return same_name(example.name);
  if (auto ok = s.append_pose(pose); !ok) return ok;
  if (auto ok = s.positions->append(positions); !ok) return ok;
  if (auto ok = s.normals->append(normals); !ok) return ok;
  s.names.insert(example.name);
  s.examples.push_back(example);
  return {};
}

Result<void> ExampleWriter::finish() {
  auto done = state_->commit();
  if (done) state_->made_folder = false;
  return done;
}

Result<void> save_examples(const fs::path& folder, const ExampleSet& set) {
  auto writer =
      ExampleWriter::create(folder, {set.skeleton, set.rest_mesh(), set.part, set.origin, set.parts, set.zero_at_bind});
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (auto ok = writer->add(set.examples[i], set.pose(i), set.positions_of(i), set.normals_of(i)); !ok) return ok;
  }
  return writer->finish();
}

}  // namespace supple
