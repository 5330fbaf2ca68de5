// Pages that people read: one frame and one look for every report, and nothing that has to be fetched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supple/files/json.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow::html {

/// Text as it may stand between tags and inside quotes.
std::string escaped(const std::string& text);

std::string base64(std::span<const std::byte> bytes);

/// The whole page; `body` is HTML.
std::string page(const std::string& title, const std::string& body);

/// A heading and its lines of text as a list; nothing where there are none.
std::string list(const std::string& title, const Json& lines);

/// A name beside its value (HTML), as a row of `facts`.
std::string fact(const std::string& name, const std::string& value);
std::string facts(const std::string& rows);

/// Rows under column titles. Cells are HTML.
class Table {
 public:
  struct Column {
    std::string title;
    bool number = false;  // set to the right
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// `flagged` rows stand out.
  void add(const std::vector<std::string>& cells, bool flagged = false);
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::string rows_;
};

/// A picture inside the page.
Result<std::string> picture(const render::Image& image, const std::string& description);

/// Pictures or charts side by side, as many as fit; `width` is CSS: the least of each.
std::string gallery(std::span<const std::string> figures, const std::string& width);
/// `content` with its caption (HTML) below.
std::string figure(const std::string& content, const std::string& caption);

}  // namespace supple::workflow::html
