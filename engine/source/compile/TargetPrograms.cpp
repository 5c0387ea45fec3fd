#include "source/compile/TargetPrograms.h"

namespace picket {

const CompileResult &TargetPrograms::get(Architecture For) {
  std::shared_ptr<Entry> Mine;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Only)
      return *Only;
    std::shared_ptr<Entry> &Known = Entries[For];
    if (!Known)
      Known = std::make_shared<Entry>();
    Mine = Known;
  }
  std::call_once(Mine->Once, [&] {
    CompileRequest Request = Text;
    Request.For = For;
    Mine->Result = compileProgram(Request);
  });
  if (Mine->Result.Compiled && Mine->Result.Compiled->TargetNamed) {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Only)
      Only = std::shared_ptr<const CompileResult>(Mine, &Mine->Result);
    return *Only;
  }
  return Mine->Result;
}

} // namespace picket
