#include "supple/base/result.h"

namespace supple {

Error::Error() = default;
Error::Error(std::string_view of, std::string_view what, std::string_view help)
    : item(of), problem(what), remedy(help) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

std::string Error::message() const {
  std::string text = item.empty() ? problem : item + ": " + problem;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

PossibleError::PossibleError(Error&& error) : error_(new Error(std::move(error))) {}
PossibleError::PossibleError(const PossibleError& other)
    : error_(other.error_ == nullptr ? nullptr : new Error(*other.error_)) {}
void PossibleError::release() noexcept { delete error_; }

}  // namespace supple
