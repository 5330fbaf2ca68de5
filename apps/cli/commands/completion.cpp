// supple completion: a script for the shell.
#include "cli/description.h"

#include "cli/commands/commands.h"

namespace supple::cli {

void add_completion(Program& program, Session& session) {
  auto shell = std::make_shared<Shell>();
  Command command = program.root().command(
      "completion", "Print a script that completes commands, options and choices in a shell",
      "\nExample:\n  supple completion bash > ~/.local/share/bash-completion/completions/supple\n"
      "  supple completion zsh > ~/.zfunc/_supple   (a folder of $fpath)\n"
      "  supple completion fish > ~/.config/fish/completions/supple.fish\n",
      [shell, &program, &session] {
        session.command = [shell, &program]() -> Result<Outcome> {
          const std::string script = completion_script(program.describe(), *shell);
          return Outcome{script, Json{{"script", script}}};
        };
      });
  command
      .choice<Shell>("shell", *shell, "The shell that is to read it",
                     {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}})
      .required();
  session.add_common_options(command);
}

}  // namespace supple::cli
