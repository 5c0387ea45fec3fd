// Options of the command line that say how programs are checked.
#pragma once

#include "CheckCommand.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace picket {

/// The models of a list. Throws CLI::ValidationError for what is none.
std::vector<MemoryModel> parseModels(const std::string &Text);

/// The models that are explored as graphs.
std::vector<MemoryModel> graphModels();

/// An option whose value is one of some words. (CLI11's transformers would take the numbers behind them, too.)
template <typename Value, typename Setter>
CLI::Option *addChoice(CLI::App *Command, const char *Name, const std::vector<std::pair<std::string, Value>> &Words,
                       Setter Set, const std::string &Description) {
  return Command
      ->add_option_function<std::string>(
          Name,
          [Words, Set](const std::string &Text) {
            Set(std::find_if(Words.begin(), Words.end(), [&](const auto &W) { return W.first == Text; })->second);
          },
          Description)
      ->check(CLI::IsMember(Words))
      ->type_name("");
}

void addEngineOption(CLI::App *Command, std::optional<Engine> &Search);
void addTargetOption(CLI::App *Command, std::optional<TargetChoice> &Targets);
void addTimeoutOption(CLI::App *Command, const std::function<void(double)> &Set);
void addMemoryOption(CLI::App *Command, const std::function<void(uint64_t)> &Set);

/// How a check is done, and its limits: all but the models, and the cores that it may use.
void addCheckingOptions(CLI::App *Check, CheckCommand &Command);

} // namespace picket
