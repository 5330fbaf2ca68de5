// What --help tells, and what shells are told: both are written from the options as they were declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/program.h"
#include "supple/base/text.h"

namespace supple::test {
namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AssertionResult tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? AssertionSuccess()
                                              : AssertionFailure() << "no '" << part << "' in:\n"
                                                                   << text;
}

/// Long options of every command, from the script for fish, which has a line for each.
std::map<std::string, std::vector<std::string>> options_by_command() {
  std::map<std::string, std::vector<std::string>> all;
  std::istringstream script(supple("completion fish").out);
  for (std::string line; std::getline(script, line);) {
    const std::string before = "__supple_at \"";
    const std::size_t begin = line.find(before), option = line.find(" -l ");
    if (begin == std::string::npos) continue;
    const std::size_t place = begin + before.size();
    std::vector<std::string>& options = all[line.substr(place, line.find('"', place) - place)];
    if (option != std::string::npos)
      options.push_back(line.substr(option + 4, line.find(' ', option + 4) - option - 4));
  }
  return all;
}

TEST(CliHelp, IsShortFirstAndCountsTheRest) {
  const std::string first = supple("fit --help").out, all = supple("fit --help-all").out;
  for (const char* part : {"Usage: supple fit model --examples FOLDER -o FILE", "Needed:\n  model", "--report FILE",
                           "Example:\n  supple fit"})
    EXPECT_TRUE(tells(first, part) && tells(all, part));
  EXPECT_FALSE(tells(first, "--allocation "));
  EXPECT_TRUE(tells(all, "--allocation faded|greedy|equal"));
  EXPECT_FALSE(tells(all, "--help-all lists"));
  const auto options = options_by_command()["supple fit"];
  const auto more = std::count_if(options.begin(), options.end(), [&](const std::string& name) {
    return !tells(first, "--" + name + " ") && tells(all, "--" + name + " ");
  });
  EXPECT_GT(more, 10);
  EXPECT_TRUE(tells(first, "--help-all lists " + std::to_string(more) + " more options."));
  EXPECT_FALSE(tells(supple("make hand --help").out, "--help-all lists")) << "it has no others";
  EXPECT_FALSE(tells(supple("simulate --help-all").out, "--task")) << "for the program itself alone";
}

TEST(CliHelp, GroupsTheCommands) {
  const std::string help = supple("--help").out;
  std::size_t last = 0;
  for (const char* line : {"\nImprove:\n  improve ", "\nMake and look:\n", "\nLearn:\n", "\n  fit ", "\nDeformers:\n",
                           "\nFiles:\n", "\nScans:\n  scan ", "\n  completion "}) {
    const std::size_t here = help.find(line, last);
    ASSERT_NE(here, std::string::npos) << line << help;
    last = here;
  }
  EXPECT_TRUE(tells(supple("make --help").out, "\nCommands:\n"));
}

TEST(CliHelp, SaysInWordsWhatValuesAreTaken) {
  EXPECT_TRUE(tells(supple("plan --help").out, "--per-dof N"));
  EXPECT_TRUE(tells(supple("plan --help").out, "(1 to 1000, default 6)"));
  EXPECT_TRUE(tells(supple("fit --help").out, "(default 10; 1 to 64)"));
  EXPECT_TRUE(tells(supple("pose --help").out, "--blend linear|dual|kinodynamic"));
  EXPECT_TRUE(tells(supple("remove --help").out, "|all"));
  const auto commands = options_by_command();
  EXPECT_GT(commands.size(), 25U);
  for (const auto& [command, options] : commands) {
    const std::string help = supple(command.substr(6) + " --help-all").out;
    for (const char* of_the_library :
         {" in [", ":INT", ":FLOAT", ":FILE", "UINT", "POSITIVE", "NONNEGATIVE", "->", "TEXT:"})
      EXPECT_FALSE(tells(help, of_the_library)) << command << ": " << of_the_library;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line) && line.find("Example") == std::string::npos;)
      EXPECT_LE(line.size(), 100U) << command << ": " << line;
  }
}

TEST(CliHelp, OptionsOfOldNamesAreToldTheirNamesOfToday) {
  const CommandResult target = supple("fit hand.glb --examples e -o o.glb --target unity");
  EXPECT_EQ(target.exit_code, 2);
  EXPECT_TRUE(tells(target.err, "it is --for-engine now; or did you mean --targets?")) << target.err;
}

TEST(CliHelp, LimitsOfEnginesAreExplained) {
  EXPECT_TRUE(tells(supple("fit --help-all").out, "64 morph targets; filament: 4 influences"));
  const ScratchFolder work;
  const std::string hand = (work / "hand.glb").string();
  ASSERT_EQ(supple("make hand --vertices 1500 -o " + hand).exit_code, 0);
  ASSERT_EQ(supple("add flesh " + hand + " --auto --influences 8 -o " + hand).exit_code, 0);
  EXPECT_TRUE(tells(supple("inspect " + hand).out, "at most 4: it reads JOINTS_0 and drops the others"));
}

TEST(CliHelp, NoTwoOptionsOfACommandAreOneLetterApart) {
  for (const auto& [command, options] : options_by_command()) {
    for (std::size_t i = 0; i < options.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GT(edit_distance(options[i], options[j]), 1U)
            << command << " --" << options[j] << " and --" << options[i];
  }
}

/// What bash offers for the last of `words`, each in quotation marks.
std::set<std::string> offered_by_bash(const std::string& words) {
  const ScratchFolder work;
  const auto script = work / "complete.sh";
  std::ofstream(script) << "source <(" << cli << " completion bash)\nCOMP_WORDS=(supple " << words
                        << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_supple\n"
                        << "printf '%s\\n' \"${COMPREPLY[@]}\"\ncomplete -p supple >&2\n";
  const CommandResult done = run("bash " + script.string());
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(tells(done.err, "-F _supple supple"));
  std::set<std::string> offered;
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) offered.insert(line);
  return offered;
}

TEST(CliCompletion, OfBashOffersCommandsOptionsAndChoices) {
  using Words = std::set<std::string>;
  EXPECT_EQ(offered_by_bash("'im'"), Words{"improve"});
  EXPECT_EQ(offered_by_bash("scan ''"), (Words{"inspect", "surfaces", "phantom", "build", "biomechanics"}));
  EXPECT_EQ(offered_by_bash("fit hand.glb --for"), Words{"--for-engine"});
  EXPECT_EQ(offered_by_bash("fit --allo"), Words{"--allocation"}) << "advanced ones too";
  EXPECT_EQ(offered_by_bash("render scan --blend ''"), (Words{"linear", "dual", "kinodynamic"}));
  EXPECT_EQ(offered_by_bash("render --blend = d"), Words{"dual"});
  EXPECT_EQ(offered_by_bash("render --blend ="), (Words{"linear", "dual", "kinodynamic"}));
  EXPECT_EQ(offered_by_bash("completion ''"), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(offered_by_bash("render -o ''"), Words{}) << "bash itself completes names of files";
  EXPECT_EQ(offered_by_bash("render ''"), Words{});
  EXPECT_EQ(offered_by_bash("render --ta"), Words{}) << "an option that is not listed";
}

TEST(CliCompletion, IsForThreeShells) {
  EXPECT_TRUE(supple("completion zsh").out.starts_with("#compdef supple\n"));
  EXPECT_TRUE(tells(supple("completion fish").out, "-l blend -x -a 'linear dual kinodynamic'"));
  EXPECT_EQ(supple("completion tcsh").exit_code, 2);
  for (const std::string shell : {"zsh", "fish"}) {  // their own check, where they are installed
    if (run("command -v " + shell).exit_code != 0) continue;
    const ScratchFolder work;
    std::ofstream(work / "script") << supple("completion " + shell).out;
    const CommandResult checked = run(shell + " -n " + (work / "script").string());
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
  }
}

}  // namespace
}  // namespace supple::test
