#include "supple/files/bvh.h"

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "supple/base/file.h"
#include "supple/files/lines.h"

namespace supple {
namespace {

constexpr std::size_t max_hierarchy_depth = 1000, max_joints = 1 << 20;

struct ChannelKind {
  bool rotation = false;
  std::size_t axis = 0;
};

struct BvhJoint {
  RawJoint raw;
  std::vector<ChannelKind> channels;
  bool is_end = false;
};

std::optional<ChannelKind> channel_kind(std::string_view word) {
  if (word.size() < 2 || word[0] < 'X' || word[0] > 'Z') return std::nullopt;
  const std::string_view quantity = word.substr(1);
  if (quantity != "position" && quantity != "rotation") return std::nullopt;
  return ChannelKind{quantity == "rotation", static_cast<std::size_t>(word[0] - 'X')};
}

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& name, double scale)
      : reader_(text, name), name_(name), scale_(scale) {}

  Result<BvhMotion> read() {
    if (reader_.word_across_lines() != "HIERARCHY") return reader_.error("HIERARCHY is missing", "choose a BVH file");
    std::string_view word = reader_.word_across_lines();
    while (word == "ROOT") {
      if (auto tree = read_joints(); !tree) return tree.error();
      word = reader_.word_across_lines();
    }
    if (joints_.empty()) return reader_.error("ROOT is missing");
    if (word != "MOTION") return reader_.error("MOTION is missing: found " + quoted(word));
    if (auto motion = read_motion(); !motion) return motion.error();
    return finish();
  }

 private:
  /// A ROOT and all below it; the keyword has been read.
  Result<void> read_joints() {
    std::vector<std::size_t> open;  // from the root to the joint being read
    std::string_view keyword = "ROOT";
    do {
      if (keyword == "}") {
        open.pop_back();
      } else if (keyword == "ROOT" || keyword == "JOINT" || keyword == "End") {
        if (!open.empty() && joints_[open.back()].is_end) return reader_.error("nothing hangs below an end site");
        if (auto begun = begin_joint(open, keyword == "End"); !begun) return begun;
      } else if (keyword == "OFFSET") {
        if (auto offset = read_offset(joints_[open.back()].raw.rest.translation); !offset) return offset;
      } else if (keyword == "CHANNELS") {
        if (auto channels = read_channels(joints_[open.back()]); !channels) return channels;
      } else {
        return reader_.error(keyword.empty() ? "the file ends inside the hierarchy"
                                             : quoted(keyword) + " is not expected here");
      }
      if (!open.empty()) keyword = reader_.word_across_lines();
    } while (!open.empty());
    return {};
  }

  Result<void> begin_joint(std::vector<std::size_t>& open, bool is_end) {
    if (open.size() >= max_hierarchy_depth || joints_.size() >= max_joints)
      return reader_.error("the hierarchy is too large");
    BvhJoint joint;
    joint.raw.name = std::string(reader_.remainder());
    bool opened = !joint.raw.name.empty() && joint.raw.name.back() == '{';
    if (opened) {
      joint.raw.name.pop_back();
      while (!joint.raw.name.empty() && joint.raw.name.back() == ' ') joint.raw.name.pop_back();
    }
    if (!opened && reader_.word_across_lines() != "{") return reader_.error("'{' is missing");
    if (!open.empty()) joint.raw.parent = open.back();
    joint.is_end = is_end;
    if (is_end) joint.raw.name = joints_[open.back()].raw.name + "_end";
    open.push_back(joints_.size());
    joints_.push_back(std::move(joint));
    return {};
  }

  Result<float> read_number() {
    const auto number = to_number<double>(reader_.word_across_lines());
    if (!number || !std::isfinite(static_cast<float>(*number)))
      return reader_.error("a number is missing or malformed");
    return static_cast<float>(*number);
  }

  Result<void> read_offset(Vec3f& offset) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = read_number();
      if (!number) return number.error();
      offset[i] = static_cast<float>(*number * scale_);
    }
    return {};
  }

  Result<void> read_channels(BvhJoint& joint) {
    const auto count = to_number<unsigned>(reader_.word_across_lines());
    if (!count || *count > 9) return reader_.error("CHANNELS must be followed by their number");
    for (unsigned i = 0; i < *count; ++i) {
      const std::string_view word = reader_.word_across_lines();
      const auto kind = channel_kind(word);
      if (!kind) return reader_.error(quoted(word) + " is not a channel");
      joint.channels.push_back(*kind);
      ++channel_count_;
    }
    return {};
  }

  Result<void> read_motion() {
    if (reader_.word_across_lines() != "Frames:") return reader_.error("'Frames:' is missing");
    const auto frames = to_number<std::uint32_t>(reader_.word_across_lines());
    if (!frames) return reader_.error("the number of frames is malformed");
    if (reader_.word_across_lines() != "Frame" || reader_.word() != "Time:")
      return reader_.error("'Frame Time:' is missing");
    const auto time = to_number<double>(reader_.word_across_lines());
    if (!time || !(*time > 0) || !std::isfinite(*time)) return reader_.error("the frame time must be positive");
    frames_ = *frames;
    frame_time_ = *time;
    if (channel_count_ == 0) return {};          // a skeleton that nothing moves, whatever number of frames it claims
    for (std::size_t f = 0; f < frames_; ++f) {  // grows as it is read: the number of frames may lie
      for (std::size_t c = 0; c < channel_count_; ++c) {
        const auto value = read_number();
        if (!value)
          return Error{value.error().item,
                       "frame " + std::to_string(f) + " of " + std::to_string(frames_) + ": " + value.error().problem,
                       value.error().remedy};
        values_.push_back(*value);
      }
    }
    return {};
  }

  void add_tracks(const BvhJoint& joint, JointIndex target, std::size_t first_channel, Clip& clip) const {
    Track translation{Channel::translation, Interpolation::linear, target, 3, {}, {}};
    Track rotation{Channel::rotation, Interpolation::linear, target, 4, {}, {}};
    bool moves = false, turns = false;
    for (const ChannelKind& kind : joint.channels) (kind.rotation ? turns : moves) = true;
    if (!moves && !turns) return;
    Quatd before;
    for (std::size_t f = 0; f < frames_; ++f) {
      const float* values = values_.data() + f * channel_count_ + first_channel;
      Vec3f position = joint.raw.rest.translation;
      Quatd turn;
      for (std::size_t c = 0; c < joint.channels.size(); ++c) {
        const ChannelKind kind = joint.channels[c];
        if (kind.rotation) {
          Vec3d axis;
          axis[kind.axis] = 1;
          turn = turn * from_axis_angle(axis, values[c] * std::numbers::pi / 180);
        } else {
          position[kind.axis] = static_cast<float>(values[c] * scale_);
        }
      }
      if (dot(turn, before) < 0) turn = -turn;  // neighbours in one hemisphere
      before = turn;
      const auto time = static_cast<float>(static_cast<double>(f) * frame_time_);
      if (moves) {
        translation.times.push_back(time);
        translation.values.insert(translation.values.end(), {position.x, position.y, position.z});
      }
      if (turns) {
        const Quatf q(turn);
        rotation.times.push_back(time);
        rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
      }
    }
    if (!translation.times.empty()) clip.tracks.push_back(std::move(translation));
    if (!rotation.times.empty()) clip.tracks.push_back(std::move(rotation));
  }

  Result<BvhMotion> finish() const {
    std::vector<RawJoint> raw;
    for (const BvhJoint& joint : joints_) raw.push_back(joint.raw);
    auto built = build_skeleton(raw);
    if (!built) return Error{name_ + ": " + built.error().item, built.error().problem, built.error().remedy};
    BvhMotion motion;
    motion.skeleton = std::move(built->skeleton);
    motion.frames = frames_;
    motion.frame_time = frame_time_;
    motion.clip.name = std::filesystem::path(name_).stem().string();
    std::size_t channel = 0;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      add_tracks(joints_[j], built->remap.to_joint[j], channel, motion.clip);
      channel += joints_[j].channels.size();
    }
    if (auto valid = validate(motion.clip, motion.skeleton.size(), 0); !valid) {
      return Error{name_, valid.error().problem, valid.error().remedy};
    }
    return motion;
  }

  LineReader reader_;
  std::string name_;
  double scale_;
  std::vector<BvhJoint> joints_;
  std::size_t channel_count_ = 0;
  std::size_t frames_ = 0;
  double frame_time_ = 0;
  std::vector<float> values_;  // #frames * #channels
};

}  // namespace

Result<BvhMotion> parse_bvh(std::string_view text, const std::string& name, const BvhOptions& options) {
  return BvhReader(text, name, options.scale).read();
}

Result<BvhMotion> read_bvh(const std::filesystem::path& path, const BvhOptions& options) {
  const auto text = read_text(path);
  if (!text) return text.error();
  return parse_bvh(*text, path.string(), options);
}

}  // namespace supple
