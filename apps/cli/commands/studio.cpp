// supple studio: a page in the browser where a character moves at once.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/studio_model.h"
#include "supple/base/process.h"
#include "supple/files/example_set_file.h"
#include "supple/serve/server.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct StudioCommand {
  std::string file, examples, page;
  std::uint16_t port = 0;
  bool no_browser = false;
};

void declare(Command& app, StudioCommand& o) {
  app.option("file", o.file, "Model to show (.glb, .gltf, .obj), anew when it changes on disk; without one, a hand")
      .type("FILE");
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
  if (failed) program = session.program.front();
  for (const char* place : {"studio", SUPPLE_INSTALLED_PAGE}) {
    if (const fs::path folder = program.parent_path() / place; has_page(folder)) return folder;
  }
  return Error{"the studio's page", "is not built", remedy};
}

Result<serve::Routes> routes_to(const std::shared_ptr<StudioModel>& model, const fs::path& page,
                                const std::string& examples, bool is_demo) {
  serve::Routes routes;
  if (auto added = routes.add_folder("/", page); !added) return added.error();
  Json about{{"model", "model.glb"}, {"name", model->name()}, {"examples", nullptr}, {"demo", is_demo}};
  if (!examples.empty()) {
    if (auto added = routes.add_folder("/examples/", examples); !added) return added.error();
    about["examples"] = "examples/";
  }
  routes.add_made(
      "/model.glb", [model] { return model->glb(); }, "model/gltf-binary");
  // A page asks again and again: that is when the file is looked at.
  const auto session = [model, about]() mutable {
    model->look();
    if (model->is_watched()) {
      const auto& problem = model->problem();
      about["version"] = model->version();
      about["problem"] =
          problem ? Json{{"item", problem->item}, {"problem", problem->problem}, {"remedy", problem->remedy}} : Json();
    }
    const std::string text = about.dump(2) + "\n";
    const auto bytes = std::as_bytes(std::span(text));
    return std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  };
  routes.add_made("/session.json", session, "application/json");
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
  auto model = o.file.empty() ? StudioModel::demo(*page, session) : StudioModel::open(o.file, session);
  if (!model) return model.error();
  const std::string name = model->name();
  auto routes = routes_to(std::make_shared<StudioModel>(std::move(*model)), *page, o.examples, o.file.empty());
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
