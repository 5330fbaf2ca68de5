#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "supple/base/file.h"
#include "supple/imaging/label_file.h"
#include "supple/imaging/samples.h"
#include "supple/imaging/volume_file.h"

namespace supple::imaging {
namespace {

constexpr std::size_t block_samples = 1 << 18;

/// The shortest text that reads back as the same number.
std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string vector_text(Vec3d v) { return "(" + shortest(v.x) + "," + shortest(v.y) + "," + shortest(v.z) + ")"; }

/// `layers`: numbers for each sample.
std::string lattice_header(const Volume& volume, bool compress, std::size_t layers = 1) {
  const auto column = [&](std::size_t i) { return vector_text(volume.to_world.linear[i] * 1000); };
  const bool lists = layers > 1;
  std::string text = "NRRD0005\n# written by supple\ntype: int16\ndimension: ";
  text += std::string(lists ? "4" : "3") + "\nspace: left-posterior-superior\n";
  text += "sizes: " + (lists ? std::to_string(layers) + " " : "") + std::to_string(volume.size[0]) + " " +
          std::to_string(volume.size[1]) + " " + std::to_string(volume.size[2]) + "\n";
  text +=
      std::string("space directions: ") + (lists ? "none " : "") + column(0) + " " + column(1) + " " + column(2) + "\n";
  text += std::string("kinds: ") + (lists ? "list " : "") + "domain domain domain\nspace units: \"mm\" \"mm\" \"mm\"\n";
  text += std::string("endian: ") + (std::endian::native == std::endian::big ? "big" : "little") + "\n";
  text += std::string("encoding: ") + (compress ? "gzip" : "raw") + "\n";
  return text + "space origin: " + vector_text(volume.to_world.translation * 1000) + "\n";
}

std::string header_of(const Volume& volume, bool compress, bool own_scale) {
  std::string text = lattice_header(volume, compress);
  if (own_scale)
    text += "rescale slope:=" + shortest(volume.slope) + "\nrescale intercept:=" + shortest(volume.intercept) + "\n";
  if (!volume.modality.empty()) text += "modality:=" + volume.modality + "\n";
  return text + "\n";
}

/// Packs what it is given into a file, as one gzip member without a date.
class Packer {
 public:
  explicit Packer(FileStream& file) : file_(file), packed_(1 << 18) {
    constexpr int gzip_wrapper = 16, most_memory = 9;
    // Scans are mostly noise: more effort would take several times as long for a few percent.
    usable_ = deflateInit2(&state_, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + gzip_wrapper, most_memory,
                           Z_DEFAULT_STRATEGY) == Z_OK;
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { deflateEnd(&state_); }

  Result<void> add(std::span<const std::byte> bytes, bool last) {
    if (!usable_) return Error{file_.path().string(), "cannot be compressed", "write it uncompressed"};
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = packed_.data();
      state_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&state_, last ? Z_FINISH : Z_NO_FLUSH);
      auto written = file_.append(std::as_bytes(std::span(packed_)).first(packed_.size() - state_.avail_out));
      if (!written) return written;
    } while (state_.avail_out == 0);
    return {};
  }

 private:
  FileStream& file_;
  std::vector<Bytef> packed_;
  z_stream state_{};
  bool usable_ = false;
};

}  // namespace

Result<void> write_nrrd(const std::filesystem::path& path, const Volume& volume, bool compress) {
  if (volume.count() == 0 || volume.samples.size() != volume.count())
    return Error{path.string(), "cannot be written: the volume has no samples", ""};
  auto file = FileStream::create(path);
  if (!file) return file.error();
  const std::optional<int> offset = offset_to_values(volume);
  const std::string header = header_of(volume, compress, !offset);
  if (auto written = file->append(std::as_bytes(std::span(header))); !written) return written;
  Packer packer(*file);
  std::vector<std::int16_t> block;
  for (std::size_t first = 0; first < volume.count(); first += block_samples) {
    const auto here = std::span(volume.samples).subspan(first, std::min(block_samples, volume.count() - first));
    block.assign(here.begin(), here.end());
    for (std::int16_t& sample : block) sample = static_cast<std::int16_t>(sample + offset.value_or(0));
    const auto bytes = std::as_bytes(std::span(block));
    const bool last = first + here.size() == volume.count();
    if (auto written = compress ? packer.add(bytes, last) : file->append(bytes); !written) return written;
  }
  return file->commit();
}

Result<void> write_labels(const std::filesystem::path& path, const LabelMap& map) {
  auto file = FileStream::create(path);
  if (!file) return file.error();
  std::string header = lattice_header(map.lattice(), true, map.layers.size());
  for (std::size_t n = 0; n < map.labels.size(); ++n) {
    const Label& label = map.labels[n];
    const std::string segment = "Segment" + std::to_string(n) + "_";
    header += segment + "ID:=Segment_" + std::to_string(n + 1) + "\n" + segment + "Name:=" + label.name + "\n";
    header += segment + "LabelValue:=" + std::to_string(label.value) + "\n";
    header += segment + "Layer:=" + std::to_string(label.layer) + "\n" + segment + "Extent:=";
    for (std::size_t axis = 0; axis < 3; ++axis)
      header += (axis == 0 ? "0 " : " 0 ") + std::to_string(map.lattice().size[axis] - 1);
    header += "\n";
    if (const auto& c = label.colour) {
      header += segment + "Color:=" + shortest(double{c->x}) + " " + shortest(double{c->y}) + " " +
                shortest(double{c->z}) + "\n";
    }
  }
  header += "Segmentation_MasterRepresentation:=Binary labelmap\n\n";
  if (auto written = file->append(std::as_bytes(std::span(header))); !written) return written;
  Packer packer(*file);
  std::vector<std::int16_t> block;
  const std::size_t count = map.lattice().count();
  for (std::size_t first = 0; first < count; first += block_samples) {
    const std::size_t end = std::min(first + block_samples, count);
    block.clear();
    for (std::size_t i = first; i < end; ++i)
      for (const Volume& layer : map.layers) block.push_back(layer.samples[i]);
    if (auto written = packer.add(std::as_bytes(std::span(block)), end == count); !written) return written;
  }
  return file->commit();
}

}  // namespace supple::imaging
