// The report of supple fit: one page that is whole, needs nothing else, and shows what it promises.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/example_set_file.h"
#include "supple/files/load.h"
#include "support/made_once.h"
#include "support/run_command.h"
#include "support/sleeve_poses.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

bool has_python() { return run("python3 --version").exit_code == 0; }

/// One small hand for all tests, with its flesh simulated. Two joints move; what they leave out is reported.
const fs::path& simulated() {
  static const fs::path folder = made_once("fit_report_hand", SUPPLE_CLI, [](const fs::path& f) {
    EXPECT_EQ(supple("make hand --vertices 800 -o " + (f / "hand.glb").string()).exit_code, 0);
    const CommandResult made = supple("simulate " + (f / "hand.glb").string() + " -o " + (f / "examples").string() +
                                      " --size 12 --joints thumb-metacarpal,index-finger-phalanx-proximal "
                                      "--no-pictures");
    EXPECT_EQ(made.exit_code, 0) << made.err;
  });
  return folder;
}

CommandResult fit(const fs::path& folder, const std::string& options, const std::string& environment = "") {
  return run(environment + " " + SUPPLE_CLI + " fit " + (simulated() / "hand.glb").string() + " --examples " +
             (simulated() / "examples").string() + " -o " + (folder / "skin.glb").string() + " " + options);
}

/// The report with pictures, and that of the paper's method without.
struct Pages {
  fs::path with_pictures, plain;
};
const Pages& pages() {
  static const fs::path folder = made_once("fit_report_pages", SUPPLE_CLI, [](const fs::path& f) {
    const CommandResult pictures = fit(f, "--report " + (f / "pictures.html").string());
    EXPECT_EQ(pictures.exit_code, 0) << pictures.err;
    const CommandResult plain =
        fit(f, "--method eigenskin-2002 --no-pictures --modes 2 --report " + (f / "plain.html").string());
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
  });
  static const Pages all{folder / "pictures.html", folder / "plain.html"};
  return all;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Complaints of a checker in Python about a page, one a line: tags that do not close, references to the outside,
/// scripts, and pictures that are no PNG files of more than one colour. The last line counts pictures.
std::string checked(const fs::path& page) {
  const ScratchFolder folder;
  const fs::path script = folder / "check.py";
  std::ofstream(script) << R"(
import base64, html.parser, struct, sys, zlib
void = {'meta', 'img', 'br', 'hr', 'link', 'input'}
pictures = 0

def check_png(data):
    if data[:8] != b'\x89PNG\r\n\x1a\n': return 'no PNG signature'
    at, pixels, size, ended = 8, b'', None, False
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack('>I', data[at + 8 + length:at + 12 + length])[0]: return 'bad checksum'
        if kind == b'IHDR': size = struct.unpack('>IIBB', body[:10])
        if kind == b'IDAT': pixels += body
        if kind == b'IEND': ended = True
        at += 12 + length
    if not ended or size is None: return 'cut off'
    width, height, depth, colour = size
    channels = {2: 3, 6: 4}[colour]
    raw = zlib.decompress(pixels)
    if depth != 8 or len(raw) != height * (1 + width * channels): return 'wrong number of pixels'
    # Filtered rows of a single colour hold a dozen different bytes at most.
    return '' if len(set(raw)) > 32 else 'a single colour'

class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
    def handle_starttag(self, tag, attributes):
        global pictures
        if tag not in void: self.open.append(tag)
        if tag in ('script', 'link', 'iframe', 'object'): print(f'<{tag}>')
        for name, value in attributes:
            if name in ('src', 'href', 'xlink:href', 'srcset'):
                if not value.startswith('data:image/png;base64,'): print(f'{tag} refers to {value[:60]}')
                else:
                    pictures += 1
                    problem = check_png(base64.b64decode(value.split(',')[1], validate=True))
                    if problem: print(f'picture {pictures}: {problem}')
            elif name != 'xmlns' and '://' in (value or ''): print(f'{tag} {name}={value[:60]}')
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag: print(f'</{tag}> at {self.getpos()} closes {self.open[-3:]}')
        else: self.open.pop()
    def handle_data(self, data):
        if self.open and self.open[-1] == 'style' and ('url(' in data or '@import' in data): print('style refers elsewhere')

checker = Checker()
checker.feed(open(sys.argv[1], encoding='utf-8').read())
checker.close()
if checker.open: print('never closed:', checker.open)
print(pictures)
)";
  const CommandResult result = run("python3 " + script.string() + " " + page.string());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(FitReport, HasEverySection) {
  for (const fs::path& file : {pages().with_pictures, pages().plain}) {
    const std::string page = contents(file);
    for (const char* part :
         {"<!doctype html>", "Morph targets", "Error against modes", "Engines", "Size and cost", "Options",
          "Never moved", "pinky-finger-phalanx-distal", "worst pose", "held-out, several joints", "</body></html>\n"})
      EXPECT_NE(page.find(part), std::string::npos) << part << " in " << file;
    for (const char* number : {">nan", ">-nan", ">inf", " nan", " inf "})
      EXPECT_EQ(occurrences(page, number), 0u) << number << " in " << file;
  }
  const std::string page = contents(pages().with_pictures);
  for (const char* part : {"Where corrections act", "Displacements of the modes", "Distance to the examples",
                           "Pose kernel", "Left out of training", "Skins of fewer modes"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const std::string paper = contents(pages().plain);
  for (const char* part :
       {"Spectra", "<h2>Joints", "EigenSkin paper (2002), figure 7", "0.161", "0.160", "0.100", "0.098", "0.065"})
    EXPECT_NE(paper.find(part), std::string::npos) << part;
}

TEST(FitReport, IsWellFormedAndNeedsNothingElse) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  const std::string pictures = checked(pages().with_pictures);
  // Two views of the budget, some modes, and three pictures of each worst pose.
  ASSERT_EQ(occurrences(pictures, "\n"), 1u) << pictures;
  EXPECT_GE(std::stoi(pictures), 2 + 2 + 2 + 3);
  EXPECT_EQ(checked(pages().plain), "0\n");
}

TEST(FitReport, WithoutADriverSaysSoAndIsStillWritten) {
  const ScratchFolder work;
  const fs::path report = work / "undrawn.html";
  const CommandResult result =
      fit(work.path(), "--targets 4 --report " + report.string(), "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = contents(report);
  if (page.find("data:image/png") != std::string::npos) GTEST_SKIP() << "drawing cannot be prevented here";
  EXPECT_NE(result.err.find("the report has no pictures"), std::string::npos) << result.err;
  EXPECT_NE(page.find("Nothing could be drawn here"), std::string::npos);
  EXPECT_NE(page.find("<h2>Pose kernel"), std::string::npos);
}

TEST(FitReport, NamesCannotBreakThePage) {
  const ScratchFolder work;
  const fs::path report = work / "odd.html", model = work / "sleeve.glb", examples = work / "examples";
  ASSERT_TRUE(save(model, sleeve()).ok());
  ASSERT_TRUE(save_examples(examples, sleeve_examples(load(model)->character(), few_poses)).ok());
  const CommandResult result =
      supple("fit " + model.string() + " --examples " + examples.string() + " -o " + (work / "skin.glb").string() +
             " --no-pictures --targets 4 --report " + report.string() + " --pose 'x<y>=wrist.flexion=10'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = contents(report);
  EXPECT_NE(page.find("x&lt;y&gt;=wrist.flexion=10"), std::string::npos);
  EXPECT_EQ(page.find("x<y>"), std::string::npos);
}

TEST(FitReport, AFolderThatIsNotThereIsAnError) {
  const ScratchFolder work;
  const CommandResult result = fit(work.path(), "--no-pictures --targets 4 --report /nonexistent/folder/report.html");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("/nonexistent/folder"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace supple::test
