#include "supple/workflow/study/workspace.h"

#include <algorithm>
#include <array>

#include "supple/files/json_file.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

/// To be raised with every change after which a stage computes something else from the same inputs (anything in
/// src/scan, src/geometry or src/imaging that changes a surface, a piece, a name, a motion or a fit), or stores it in
/// another way (fields.h and the types it lists). Nothing else tells a kept result from what this program would make.
constexpr std::uint64_t format_version = 6;
struct Header {
  std::array<char, 8> magic{'s', 'u', 'p', 'p', 'l', 'e', 's', 'c'};
  std::uint64_t version = format_version, key = 0, check = 0;
};

std::uint64_t checksum(std::span<const std::byte> bytes) { return Fingerprint().add(bytes).value(); }

}  // namespace

Result<Workspace> Workspace::open(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{folder.string(), "cannot be made: " + error.message(), "results of stages are kept there"};
  Workspace workspace;
  workspace.folder_ = folder;
  return workspace;
}

fs::path Workspace::path_of(const std::string& stage) const {
  std::string name = stage;
  std::replace(name.begin(), name.end(), '/', '-');
  return folder_ / (name + ".stage");
}

fs::path Workspace::memory() const { return folder_ / "decided.json"; }

Json Workspace::remembered() const {
  const fs::path path = memory();
  std::error_code error;
  if (!fs::exists(path, error)) return Json::object();
  auto json = read_json(path);
  return json && json->is_object() ? Json(*json) : Json::object();
}

std::optional<Bytes> Workspace::load(const std::string& stage, std::uint64_t key) const {
  std::error_code error;
  const fs::path path = path_of(stage);
  if (!fs::exists(path, error)) return std::nullopt;
  auto bytes = read_file(path);
  Header header;
  if (!bytes || bytes->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes->data(), sizeof header);
  const auto contents = std::span<const std::byte>(*bytes).subspan(sizeof header);
  const Header wanted;
  if (header.magic != wanted.magic || header.version != wanted.version || header.key != key ||
      header.check != checksum(contents))
    return std::nullopt;
  bytes->erase(bytes->begin(), bytes->begin() + sizeof header);
  return std::move(*bytes);
}

Result<void> Workspace::save(const std::string& stage, std::uint64_t key, std::span<const std::byte> contents) const {
  Header header;
  header.key = key;
  header.check = checksum(contents);
  auto stream = FileStream::create(path_of(stage));
  if (!stream) return stream.error();
  if (auto ok = stream->append(std::as_bytes(std::span<const Header>(&header, 1))); !ok) return ok;
  if (auto ok = stream->append(contents); !ok) return ok;
  return stream->commit();
}

}  // namespace supple::workflow
