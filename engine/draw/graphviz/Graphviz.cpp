// The only file that knows Graphviz' library. Its plug-ins are linked in and widths of
// text are estimated, so that a picture depends neither on plug-ins nor on fonts of the machine.
//
// Edges must not have `label=`: Graphviz 2.42 frees such a layout twice.
#include "draw/graphviz/Graphviz.h"

#include "draw/graphviz/SvgCleanup.h"

#include <deque>
#include <map>
#include <mutex>

#include <gvc.h>
#include <gvplugin.h>

extern "C" {
extern gvplugin_library_t gvplugin_dot_layout_LTX_library, gvplugin_neato_layout_LTX_library, gvplugin_core_LTX_library;
}

namespace picket {

namespace {

std::mutex OneAtATime;
std::string *Messages = nullptr; // guarded by OneAtATime

int addMessage(char *Fragment) {
  if (Messages)
    *Messages += Fragment;
  return 0;
}

GVC_t *context() {
  static GVC_t *Context = [] {
    static lt_symlist_t Plugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                                     {"gvplugin_neato_layout_LTX_library", &gvplugin_neato_layout_LTX_library},
                                     {"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
                                     {nullptr, nullptr}};
    agseterrf(addMessage);
    agseterr(AGWARN);
    return gvContextPlugins(Plugins, /*demand_loading=*/0);
  }();
  return Context;
}

/// Numbers for names, in the order in which they come. Graphviz' own numbers are addresses, by which it sorts: the same graph would
/// come out in another order, depending on what the process did before.
class Numbering {
public:
  static void *open(Agraph_t *, Agdisc_t *) { return new Numbering; }
  static void close(void *State) { delete static_cast<Numbering *>(State); }
  static long map(void *State, int, char *Name, IDTYPE *Id, int Create) {
    auto &Self = *static_cast<Numbering *>(State);
    if (!Name) { // something without a name: odd
      *Id = 2 * Self.Nameless++ + 1;
      return 1;
    }
    auto Known = Self.Numbers.find(Name);
    if (Known == Self.Numbers.end() && Create) {
      Self.Names.emplace_back(Name);
      Known = Self.Numbers.emplace(Name, 2 * Self.Names.size()).first;
    }
    *Id = Known == Self.Numbers.end() ? 0 : Known->second;
    return 1;
  }
  static char *print(void *State, int, IDTYPE Id) {
    auto &Names = static_cast<Numbering *>(State)->Names;
    return Id % 2 == 0 && Id > 0 && Id / 2 <= Names.size() ? Names[Id / 2 - 1].data() : nullptr;
  }
  static long alloc(void *, int, IDTYPE) { return 0; }
  static void free(void *, int, IDTYPE) {}
  static void registered(void *, int, void *) {}

private:
  std::deque<std::string> Names; // they stay where they are
  std::map<std::string, IDTYPE> Numbers;
  IDTYPE Nameless = 0;
};

struct Text {
  const std::string &Dot;
  size_t Read = 0;
};

int readText(void *From, char *Buffer, int Size) {
  auto &Input = *static_cast<Text *>(From);
  const size_t Taken = Input.Dot.copy(Buffer, static_cast<size_t>(Size), Input.Read);
  Input.Read += Taken;
  return static_cast<int>(Taken);
}

Agraph_t *readGraph(const std::string &Dot) {
  static Agiddisc_t Numbers = {Numbering::open,  Numbering::map,   Numbering::alloc,     Numbering::free,
                               Numbering::print, Numbering::close, Numbering::registered};
  static Agiodisc_t Reading = {readText, AgIoDisc.putstr, AgIoDisc.flush};
  Agdisc_t How = {nullptr, &Numbers, &Reading};
  Text Input{Dot};
  return agread(&Input, &How);
}

} // namespace

SvgResult renderSvgInProcess(const std::string &Dot) {
  std::lock_guard<std::mutex> Lock(OneAtATime);
  SvgResult Result;
  Messages = &Result.Error;
  GVC_t *Context = context();
  if (Agraph_t *Graph = readGraph(Dot)) {
    char Attribute[] = "layout";
    const char *Engine = agget(Graph, Attribute);
    if (gvLayout(Context, Graph, Engine && *Engine ? Engine : "dot") == 0) {
      char *Data = nullptr;
      unsigned Length = 0;
      if (gvRenderData(Context, Graph, "svg", &Data, &Length) == 0 && Data) {
        Result.Svg = cleanSvg({Data, Length});
        Result.Ok = true;
      }
      if (Data)
        gvFreeRenderData(Data);
      gvFreeLayout(Context, Graph);
    }
    agclose(Graph);
  }
  Messages = nullptr;
  if (Result.Ok)
    Result.Error.clear();
  else if (Result.Error.empty())
    Result.Error = "this is no graph";
  return Result;
}

} // namespace picket
