// Finished poses on disk: one small binary file each, written whole or not at all.
#pragma once

#include <filesystem>
#include <optional>

#include "supple/author/simulate/simulation.h"
#include "supple/base/hash.h"

namespace supple::simulate {

/// `key` says what the record was made from; a record with another key counts as none.
Result<void> write_record(const std::filesystem::path& path, std::uint64_t key, const PoseRecord& record);
std::optional<PoseRecord> read_record(const std::filesystem::path& path, std::uint64_t key);
bool record_has_key(const std::filesystem::path& path, std::uint64_t key);

}  // namespace supple::simulate
