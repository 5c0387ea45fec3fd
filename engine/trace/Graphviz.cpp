// The only file that knows Graphviz' library (picket_svg in CMakeLists.txt). Its plug-ins are linked in and widths of
// text are estimated, so that a picture depends neither on plug-ins nor on fonts of the machine.
//
// Edges must not have `label=`: Graphviz 2.42 frees such a layout twice.
#include "trace/Svg.h"
#include "trace/SvgCleanup.h"

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

} // namespace

SvgResult renderSvgInProcess(const std::string &Dot) {
  std::lock_guard<std::mutex> Lock(OneAtATime);
  SvgResult Result;
  Messages = &Result.Error;
  GVC_t *Context = context();
  if (Agraph_t *Graph = agmemread(Dot.c_str())) {
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
