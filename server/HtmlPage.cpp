#include "HtmlPage.h"

#include "PageBundle.h"

namespace picket {

/// What stands between script tags must not end them. In JSON '<' is only found within texts.
static std::string escapedForScript(const std::string &Json) {
  std::string Result;
  Result.reserve(Json.size() + Json.size() / 16);
  for (char C : Json)
    if (C == '<')
      Result += "\\u003c";
    else
      Result += C;
  return Result;
}

static void append(std::string &Page, std::string_view Open, std::string_view Content, std::string_view Close) {
  Page += Open;
  Page += Content;
  Page += Close;
}

std::string htmlPage(const std::string &Json) {
  std::string Page;
  std::string_view Rest = bundle::Template;
  static constexpr std::string_view Mark = "<!--PICKET-";
  for (size_t At; (At = Rest.find(Mark)) != Rest.npos;) {
    Page += Rest.substr(0, At);
    Rest.remove_prefix(At);
    size_t End = Rest.find("-->");
    std::string_view Name = Rest.substr(Mark.size(), End - Mark.size());
    if (Name == "STYLE")
      append(Page, "<style>", bundle::Style, "</style>");
    else if (Name == "SCRIPT")
      append(Page, "<script>", bundle::Script, "</script>");
    else if (Name == "DATA")
      append(Page, "<script type=\"application/json\" id=\"counterexample\">", escapedForScript(Json), "</script>");
    Rest.remove_prefix(End == Rest.npos ? Rest.size() : End + 3);
  }
  return Page += Rest;
}

} // namespace picket
