// Objects of a project file, read strictly: what nobody asked for is an error, not ignored.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "supple/base/text.h"
#include "supple/files/json.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// Members of one object, asked for by name; those nobody asked for are an error.
class Members {
 public:
  Members(const Json& json, std::string item) : json_(json), item_(std::move(item)) {
    if (!json.is_object()) fail("is not an object", "");
  }
  const Json* find(const char* key) {
    known_.insert(key);
    const auto found = json_.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  std::string text(const char* key, std::string otherwise = {}) {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_string()) {
      fail(std::string("has a '") + key + "' that is not text", "");
      return otherwise;
    }
    return found->get<std::string>();
  }
  double number(const char* key, double otherwise, double low, double high) {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_number() || !(found->get<double>() >= low && found->get<double>() <= high)) {
      fail(std::string("has a '") + key + "' that is no number from " + short_number(low) + " to " + short_number(high),
           "");
      return otherwise;
    }
    return found->get<double>();
  }
  /// Where it is there, it must be `what`.
  void check(const char* key, bool (*holds)(const Json&), const char* what) {
    const Json* found = find(key);
    if (found != nullptr && !holds(*found))
      fail(std::string("has a '") + key + "' that is not " + what, "correct it, or take the whole item away");
  }
  void fail(std::string problem, std::string remedy) {
    if (!error_) error_ = Error{item_, std::move(problem), std::move(remedy)};
  }
  Result<void> done() {
    if (!error_ && json_.is_object()) {
      for (const auto& member : json_.members()) {
        if (known_.count(member.key) > 0) continue;
        const std::vector<std::string> names(known_.begin(), known_.end());
        std::string all;
        for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
        const std::string suggestion = did_you_mean(member.key, names);
        fail("has an unknown member '" + member.key + "'", suggestion.empty() ? "known are: " + all : suggestion);
        break;
      }
    }
    if (error_) return *error_;
    return {};
  }

 private:
  static std::string short_number(double x) {
    std::string text = std::to_string(x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  const Json& json_;
  std::string item_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace supple::workflow
