// The look of every page, and the few pieces that pages are built of.
#include "supple/workflow/report/html.h"

#include <fmt/core.h>

#include <string_view>

namespace supple::workflow::html {
namespace {

constexpr const char* style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b2430}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2.5rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .5rem}"
    "p{max-width:50rem}th{text-align:left;font-weight:600;vertical-align:top}td{font-variant-numeric:tabular-nums}"
    "table.facts th{padding-right:1.5rem;white-space:nowrap}"
    "table.rows{border-collapse:collapse;width:100%;font-size:.9rem}"
    "table.rows td,table.rows th{padding:.15rem .5rem;border-bottom:1px solid #e3e7ec}"
    "table.rows td{vertical-align:top}table.rows th{vertical-align:bottom}"
    "table.rows .number{text-align:right}tr.flag td{background:#fdeee6}.scroll{overflow-x:auto;margin:1rem 0}"
    "img{max-width:100%;display:block}figure{margin:1rem 0}figcaption{font-size:.85rem;color:#4a5563}"
    ".gallery{display:grid;gap:1rem;align-items:start;margin:.75rem 0}.gallery figure{margin:0;min-width:0}"
    ".gallery figcaption{overflow-wrap:anywhere}.gallery img{border-radius:4px}.name{white-space:nowrap}"
    "svg.bars{width:100%;height:8rem;background:#f7f8fa}rect.ok{fill:#2f6fb5}rect.flag{fill:#d4572a}"
    "svg.chart{width:100%;height:auto;display:block}svg.chart text{font:11px system-ui,sans-serif;fill:#4a5563}"
    ".note{color:#4a5563}";

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      three = three << 8 | (k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) result += k <= bytes.size() - i ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width'><title>{0}</title><style>{1}</style></head>\n<body><h1>{0}</h1>\n{2}</body></"
      "html>\n",
      escaped(title), style, body);
}

std::string list(const std::string& title, const Json& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("<h2>{}</h2><ul>", title);
  for (const Json& line : lines) text += "<li>" + escaped(line) + "</li>";
  return text + "</ul>\n";
}

std::string fact(const std::string& name, const std::string& value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
}

std::string facts(const std::string& rows) { return "<table class='facts'>" + rows + "</table>\n"; }

void Table::add(const std::vector<std::string>& cells, bool flagged) {
  rows_ += flagged ? "<tr class='flag'>" : "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    rows_ += fmt::format("<td{}>{}</td>", columns_[i].number ? " class='number'" : "", cells[i]);
  rows_ += "</tr>\n";
}

std::string Table::text() const {
  std::string titles;
  for (const Column& c : columns_) titles += fmt::format("<th{}>{}</th>", c.number ? " class='number'" : "", c.title);
  return "<div class='scroll'><table class='rows'><tr>" + titles + "</tr>\n" + rows_ + "</table></div>\n";
}

Result<std::string> picture(const render::Image& image, const std::string& description) {
  const auto png = render::encode_png(image);
  if (!png) return png.error();
  return fmt::format("<img alt='{}' width='{}' height='{}' style='height:auto' src='data:image/png;base64,{}'>",
                     escaped(description), image.width, image.height, base64(*png));
}

std::string gallery(std::span<const std::string> figures, const std::string& width) {
  std::string text =
      fmt::format("<div class='gallery' style='grid-template-columns:repeat(auto-fill,minmax({},1fr))'>", width);
  for (const std::string& f : figures) text += f;
  return text + "</div>\n";
}

std::string figure(const std::string& content, const std::string& caption) {
  return "<figure>" + content + "<figcaption>" + caption + "</figcaption></figure>\n";
}

}  // namespace supple::workflow::html
