// Options that take one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace supple::cli {

/// The help lists the words, and an error names them.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& option, Value& value, const std::string& help,
                        const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  return app
      .add_option_function<std::string>(
          option,
          [&value, choices](const std::string& word) {
            for (const auto& choice : choices)
              if (choice.first == word) value = choice.second;
          },
          help)
      ->check(CLI::IsMember(words))
      ->type_name("");
}

}  // namespace supple::cli
