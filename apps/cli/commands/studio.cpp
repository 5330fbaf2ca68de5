// supple studio: a page in the browser where a character moves at once.
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands/commands.h"
#include "supple/base/process.h"
#include "supple/files/example_set_file.h"
#include "supple/files/gltf/uri.h"
#include "supple/make/hand.h"
#include "supple/serve/server.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct StudioCommand {
  std::string file, examples, page;
  std::uint16_t port = 0;
  bool no_browser = false;
};

void declare(Command& app, StudioCommand& o) {
  app.option("file", o.file, "Model to show (.glb, .gltf, .obj); without one, a hand").type("FILE");
  app.option("--examples", o.examples, "Example set to compare the skin with").type("FOLDER");
  app.option("--port", o.port, "Port on this machine (default: any that is free)").type("N");
  app.flag("--no-browser", o.no_browser, "Only print the address");
  app.option("--page", o.page,
             "Folder of the built page (default: $SUPPLE_STUDIO_PAGE, or the one built beside "
             "or installed with this program)")
      .type("FOLDER");
}

bool has_page(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "index.html", ignored);
}

Result<fs::path> page_folder(const StudioCommand& o, const Session& session) {
  constexpr const char* remedy = "build the page with script/studio, or name its folder with --page";
  const char* from_environment = std::getenv("SUPPLE_STUDIO_PAGE");
  const std::string named = !o.page.empty() ? o.page : from_environment != nullptr ? from_environment : "";
  if (!named.empty()) {
    if (has_page(named)) return fs::path(named);
    return Error{named, "holds no page: there is no index.html in it", remedy};
  }
  std::error_code failed;
  fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) program = session.arguments.front();
  for (const char* place : {"studio", SUPPLE_INSTALLED_PAGE}) {
    if (const fs::path folder = program.parent_path() / place; has_page(folder)) return folder;
  }
  return Error{"the studio's page", "is not built", remedy};
}

/// What the page shows.
struct Shown {
  std::string name;
  Bytes glb;
};

/// Whether parts of the document lie in files of their own.
bool has_links(const gltf::Document& document, const char* list) {
  const auto items = document.root.find(list);
  if (items == nullptr) return false;
  return std::any_of(items->begin(), items->end(), [](const Json& item) {
    const std::string uri = item.value("uri", std::string());
    return !uri.empty() && !gltf::is_data_uri(uri);
  });
}

/// The document with its images in one piece: as written to a folder that is not its own.
Result<Bytes> gathered(const gltf::Document& document, Session& session) {
  std::string folder = (fs::temp_directory_path() / "supple-studio-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return Error{folder, "cannot be made", "check that the folder for temporary files exists and has space"};
  }
  const fs::path file = fs::path(folder) / "model.glb";
  const auto written = gltf::write_document(file, document, {}, &session.warnings);
  auto bytes = written ? read_file(file) : Result<Bytes>(written.error());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return bytes;
}

Result<Bytes> glb_of(const fs::path& file, const gltf::Document& document, Session& session) {
  if (has_links(document, "images")) return gathered(document, session);
  if (file.extension() == ".glb" && !has_links(document, "buffers")) return read_file(file);
  return gltf::to_glb(document);
}

Result<Shown> load_shown(const fs::path& file, Session& session) {
  const auto model = load_model(file, session);
  if (!model) return model.error();
  if (model->character().parts.empty())
    return Error{file.string(), "has no surface to show", "put a mesh on its skeleton first: supple bind"};
  auto glb = glb_of(file, model->document, session);
  if (!glb) return glb.error();
  return Shown{file.filename().string(), std::move(*glb)};
}

/// The page's own demo, or a hand made on the spot where it was built without one.
Result<Shown> demo_shown(const fs::path& page, Session& session) {
  if (std::error_code ignored; fs::is_regular_file(page / "demo.glb", ignored)) {
    auto shown = load_shown(page / "demo.glb", session);
    if (shown) shown->name = "demo hand";
    return shown;
  }
  const auto hand = make::make_hand({}, session.progress);
  if (!hand) return hand.error();
  const auto model = to_model(*hand);
  if (!model) return model.error();
  auto glb = gltf::to_glb(model->document);
  if (!glb) return glb.error();
  return Shown{"hand.glb", std::move(*glb)};
}

Result<serve::Routes> routes_to(Shown shown, const fs::path& page, const std::string& examples, bool is_demo) {
  serve::Routes routes;
  if (auto added = routes.add_folder("/", page); !added) return added.error();
  Json about{{"model", "model.glb"}, {"name", shown.name}, {"examples", nullptr}, {"demo", is_demo}};
  if (!examples.empty()) {
    if (auto added = routes.add_folder("/examples/", examples); !added) return added.error();
    about["examples"] = "examples/";
  }
  routes.add_bytes("/model.glb", std::move(shown.glb), "model/gltf-binary");
  routes.add_text("/session.json", about.dump(2) + "\n", "application/json");
  return routes;
}

/// Where there is no browser, the printed address has to do.
void open_browser(const std::string& url) {
#ifdef __APPLE__
  constexpr const char* opener = "open";
#else
  constexpr const char* opener = "xdg-open";
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != '\0'; };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return;
#endif
  // In the background of a shell that ends at once: a browser that was not running before is neither waited for nor
  // ended by the Ctrl-C that ends the studio.
  (void)run_process("sh", {"-c", "\"$0\" \"$1\" >/dev/null 2>&1 &", opener, url}, {}, std::chrono::seconds(5));
}

Result<Outcome> run(const StudioCommand& o, Session& session) {
  const auto page = page_folder(o, session);
  if (!page) return page.error();
  if (!o.examples.empty()) {
    if (const auto set = load_examples(o.examples); !set) return set.error();
  }
  auto shown = o.file.empty() ? demo_shown(*page, session) : load_shown(o.file, session);
  if (!shown) return shown.error();
  const std::string name = shown->name;
  auto routes = routes_to(std::move(*shown), *page, o.examples, o.file.empty());
  if (!routes) return routes.error();
  auto server = serve::Server::listen(std::move(*routes), {.port = o.port});
  if (!server) return server.error();

  Outcome outcome;
  outcome.text = fmt::format("{} is at {} until you press Ctrl-C\n", name, server->url());
  outcome.json = {{"url", server->url()}, {"name", name}};
  session.finish_on_interrupt();
  session.announce(outcome);
  if (!o.no_browser) open_browser(server->url());
  server->run([&] { return session.stopped(); });
  return outcome;
}

}  // namespace

void add_studio(Command& app, Session& session) {
  add_command<StudioCommand>(app, session, "studio", "Show a model in the browser, where it can be moved",
                             "supple studio hand.glb --examples examples", declare, run);
}

}  // namespace supple::cli
