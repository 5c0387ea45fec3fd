// What the server asks a worker process, and what it answers: one JSON object per line.
//
//   {"check": {"file", "unsaved": {path: text}, "with": [{"file", "flags"}], "flags", "models", "target", "unroll", "timeout", "memory", "jobs",
//              "robustness", "checks", "known"}}
//     -> {"compiled": {"key", "seconds"}}            once, if it compiles and is to be explored
//        {"progress": Progress}                      a few times a second, and after each model
//        {"outcome": Outcome, "done": false}         after each model but the last
//        {"outcome": Outcome, "done": true, "key"}   the key only if the same would be found another time
//     or {"same": key}                               the program and the options are those of a key in "known"
//   {"fix": as for a check, without "known"; "aim"} -> {"fixes": FixAnswer}
//   {"render": [trace, ...]} -> {"rendered": [trace with pictures, ...]}
//
// While it starts, and while it has something to do, it also says {"alive": true} every quarter of a second.
//
// A worker does one thing at a time and ends, whatever it is doing, when its standard input or the server
// does.
#pragma once

#include "lsp/Fixes.h"

#include "llvm/Support/JSON.h"

namespace picket {

struct WorkerRequest {
  std::string File;
  std::map<std::string, std::string> Unsaved;
  std::vector<ProgramFile> Others; // of the program
  Settings Options;
  std::vector<std::string> Known;  // keys of programs whose outcome need not be found out again
  std::optional<FixQuestion> Fix;  // nothing is checked, but fixes are looked for
  std::vector<std::string> Render; // traces as JSON; if there are any, nothing is checked
};

/// One line, with its end.
std::string toLine(const WorkerRequest &Request);
bool fromJSON(const llvm::json::Value &Json, WorkerRequest &Request, llvm::json::Path Path);

llvm::json::Value toJSON(const Progress &P);
bool fromJSON(const llvm::json::Value &Json, Progress &P, llvm::json::Path Path);

/// Names a program together with the options it is explored with. Equal keys: equal outcomes, places and names
/// included.
std::string keyOf(const Program &P, const Settings &Options);
/// The same also for a text that does not compile for some target.
std::string keyOf(const CompileResult &Compiled, const Settings &Options);

} // namespace picket
