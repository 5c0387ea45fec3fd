#include "ProgramOptions.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace picket {

void addFileOptions(CLI::App *Check, CheckCommand &Command) {
  Check->add_option("FILE", Command.Files, "C files; each is a program, if --program does not make one of them")
      ->required();
  Check->add_flag("--program", Command.OneProgram,
                  "The FILEs are the files of one program: each is compiled with its own flags, then they are linked");
  Check
      ->add_option_function<std::vector<std::string>>(
          "--with",
          [&Command](const std::vector<std::string> &Files) {
            for (const std::string &File : Files) {
              std::error_code Ignored;
              if (!Command.Given.With)
                Command.Given.With.emplace();
              Command.Given.With->push_back(std::filesystem::absolute(File, Ignored).string());
            }
          },
          "Another file of the program, which is compiled and linked with each FILE. May be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void addStubOptions(CLI::App *Check, CheckCommand &Command) {
  Check
      ->add_option_function<std::vector<std::string>>(
          "--stub",
          [&Command](const std::vector<std::string> &Texts) {
            for (const std::string &Text : Texts) {
              SettingsLayer Layer;
              if (std::string Wrong = set(Layer, "stub", {Text}); !Wrong.empty())
                throw CLI::ValidationError("--stub", Wrong);
              Command.ClangFlags.push_back("-fpicket-stub=" + Text);
            }
          },
          "A function that the program calls and does not define: it returns VALUE (0) and has no other effect. The\n"
          "verdict says so. May be given several times")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  Check
      ->add_option_function<std::vector<std::string>>(
          "--stubs",
          [&Command](const std::vector<std::string> &Files) {
            for (const std::string &File : Files) {
              llvm::SmallString<256> Path(File);
              llvm::sys::fs::make_absolute(Path);
              Command.ClangFlags.push_back("-fpicket-stubs=" + Path.str().str());
            }
          },
          "A C file with definitions of functions that the program calls and does not define. May be given several\n"
          "times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  Check
      ->add_option_function<std::string>(
          "--nondet",
          [&Command](const std::string &Text) {
            SettingsLayer Layer;
            if (std::string Wrong = set(Layer, "nondet", {Text}); !Wrong.empty())
              throw CLI::ValidationError("--nondet", Wrong);
            Command.ClangFlags.push_back("-fpicket-nondet=" + Text);
          },
          "The range of values from outside (rand, __VERIFIER_nondet_int, ...): each of them is explored")
      ->type_name("LO..HI");
}

} // namespace picket
