#include "supple/serve/request.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "supple/serve/url.h"

namespace supple::serve {
namespace {

constexpr std::string_view blank_line = "\r\n\r\n";

struct Field {
  std::string name;  // in lower case
  std::string_view value;
};

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || marks.find(c) != std::string_view::npos;
  });
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes the next line off; every line of a head ends with CR LF.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

/// The fields, or nothing where a line is none. A line that begins with a blank would continue the one before: no one
/// writes that any more but those who want two readers to disagree.
std::optional<std::vector<Field>> parse_fields(std::string_view rest) {
  std::vector<Field> fields;
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return std::nullopt;
    fields.push_back({lower(line.substr(0, colon)), trimmed(line.substr(colon + 1))});
  }
  return fields;
}

class Fields {
 public:
  explicit Fields(std::vector<Field> fields) : fields_(std::move(fields)) {}

  bool has(std::string_view name) const { return count(name) > 0; }
  bool has_twice(std::string_view name) const { return count(name) > 1; }
  /// "" where there is none.
  std::string_view value(std::string_view name) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
    return found == fields_.end() ? std::string_view() : found->value;
  }

 private:
  std::ptrdiff_t count(std::string_view name) const {
    return std::count_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
  }
  std::vector<Field> fields_;
};

/// A name that another site has made to point to this machine would reach us through the browser: only the names that
/// always mean this machine are ours. The port may be any, so that the server can be reached through a tunnel.
bool is_this_machine(std::string_view host) {
  const std::string name = lower(host);
  for (const std::string_view own : {"127.0.0.1", "localhost", "[::1]"}) {
    if (name == own) return true;
    if (!name.starts_with(own) || name[own.size()] != ':') continue;
    const std::string_view port = std::string_view(name).substr(own.size() + 1);
    return !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

/// Whether a page from elsewhere is asking. Browsers say so in two ways; a link that a person followed is welcome.
bool is_foreign(const Fields& fields) {
  if (fields.has("origin") && lower(fields.value("origin")) != "http://" + lower(fields.value("host"))) return true;
  const std::string_view site = fields.value("sec-fetch-site");
  return (site == "cross-site" || site == "same-site") && fields.value("sec-fetch-mode") != "navigate";
}

std::optional<Refusal> refusal_of(const Fields& fields, std::string_view method) {
  for (const std::string_view name : {"host", "origin", "content-length"}) {
    if (fields.has_twice(name)) return Refusal{Status::bad_request, "A field is there twice."};
  }
  if (!fields.has("host")) return Refusal{Status::bad_request, "The field Host is missing."};
  if (!is_this_machine(fields.value("host"))) {
    return Refusal{Status::misdirected_request, "This server answers to 127.0.0.1 and localhost only."};
  }
  if (is_foreign(fields)) return Refusal{Status::forbidden, "Pages of other origins may not ask."};
  if (method != "GET" && method != "HEAD") return Refusal{Status::method_not_allowed, "Only GET and HEAD are known."};
  const std::string_view length = fields.value("content-length");
  const bool is_number = !length.empty() && length.find_first_not_of("0123456789") == std::string_view::npos;
  if (fields.has("content-length") && !is_number) return Refusal{Status::bad_request, "Content-Length is no number."};
  if (fields.has("transfer-encoding") || length.find_first_not_of('0') != std::string_view::npos) {
    return Refusal{Status::content_too_large, "Nothing can be sent to this server."};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> end_of_head(std::string_view received) {
  const std::size_t end = received.find(blank_line);
  if (end == std::string_view::npos) return std::nullopt;
  return end + blank_line.size();
}

std::optional<Refusal> early_refusal(std::string_view received) {
  const std::size_t end = end_of_head(received).value_or(received.size());
  for (std::size_t i = 0; i < end; ++i) {
    const auto c = static_cast<unsigned char>(received[i]);
    const bool ends_line = c == '\n' && i > 0 && received[i - 1] == '\r';
    const bool may_end_line = c == '\r' && (i + 1 == end || received[i + 1] == '\n');
    if ((c >= 0x20 && c != 0x7f) || c == '\t' || ends_line || may_end_line) continue;
    return Refusal{Status::bad_request, "This is no HTTP/1.1 request."};
  }
  if (end > longest_head) return Refusal{Status::head_too_large, "The head of the request is too long."};
  return std::nullopt;
}

std::variant<Request, Refusal> parse_request(std::string_view head) {
  if (const auto refusal = early_refusal(head)) return *refusal;
  const std::string_view line = take_line(head);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const Refusal bad_line{Status::bad_request, "The request line is not of the form: GET /path HTTP/1.1"};
  if (first == std::string_view::npos || first == last) return bad_line;
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!is_token(method) || target.find(' ') != std::string_view::npos || !version.starts_with("HTTP/")) return bad_line;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{Status::version_not_supported, "This server speaks HTTP/1.1."};
  }
  auto fields = parse_fields(head);
  if (!fields) return Refusal{Status::bad_request, "A line of the head is not of the form: Name: value"};
  if (const auto refusal = refusal_of(Fields(std::move(*fields)), method)) return *refusal;
  auto path = decoded_path(target);
  if (!path) return Refusal{Status::bad_request, "The path is not that of a file below the root."};
  return Request{method == "GET", std::move(*path)};
}

}  // namespace supple::serve
