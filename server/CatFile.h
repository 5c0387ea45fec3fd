// A memory model as text on disk, with the texts it includes.
#pragma once

#include "cat/CatModel.h"

namespace picket {

/// Included files are read when the text is compiled, from the folder of the file and those below, and from nowhere else.
class CatFile {
public:
  /// Null, and a sentence, if it cannot be read.
  static std::optional<CatFile> read(const std::string &File, double TimeoutSeconds, std::string &Problem);

  /// For the events of an architecture; null: the one that the title names. May be called by several threads.
  cat::Reading compile(std::optional<cat::Architecture> Events) const;
  /// For people: the name of the file.
  std::string title() const;

private:
  CatFile(std::string File, std::string Text) : File(std::move(File)), Text(std::move(Text)) {}

  std::string File, Text;
};

} // namespace picket
