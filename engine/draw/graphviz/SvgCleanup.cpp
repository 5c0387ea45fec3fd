#include "draw/graphviz/SvgCleanup.h"

#include <string_view>
#include <vector>

namespace picket {

namespace {

bool startsWith(std::string_view Text, std::string_view Prefix) { return Text.substr(0, Prefix.size()) == Prefix; }

/// Where the value of an attribute is in a tag; npos if it has none of that name.
size_t attribute(std::string_view Tag, std::string_view Name, size_t &Length) {
  const std::string Opening = " " + std::string(Name) + "=\"";
  size_t Begin = Tag.find(Opening);
  if (Begin == std::string_view::npos)
    return Begin;
  Begin += Opening.size();
  Length = Tag.find('"', Begin) - Begin;
  return Begin;
}

void removeAttribute(std::string &Tag, std::string_view Name) {
  size_t Length = 0, Begin = attribute(Tag, Name, Length);
  if (Begin != std::string::npos)
    Tag.erase(Begin - Name.size() - 3, Length + Name.size() + 4);
}

void replaceAll(std::string &Text, std::string_view From, std::string_view To) {
  for (size_t At = 0; (At = Text.find(From, At)) != std::string::npos; At += To.size())
    Text.replace(At, From.size(), To);
}

std::string cleanTag(std::string_view Tag) {
  std::string Clean(Tag);
  replaceAll(Clean, "\n ", " "); // between attributes
  replaceAll(Clean, "\n", " ");
  if (startsWith(Clean, "<svg ")) {
    removeAttribute(Clean, "width");
    removeAttribute(Clean, "height");
    removeAttribute(Clean, "xmlns:xlink"); // only links have used it
  }
  size_t Length = 0;
  if (size_t Id = attribute(Clean, "id", Length); Id != std::string::npos) {
    std::string Plain = Clean.substr(Id, Length);
    replaceAll(Plain, "&#45;", "-");
    Clean.replace(Id, Length, Plain);
  }
  replaceAll(Clean, " stroke=\"transparent\"", " stroke=\"none\"");
  // Courier gives the widths, which all fixed-pitch fonts share; these are better to read.
  replaceAll(Clean, " font-family=\"Courier,monospace\"",
             " font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\"");
  return Clean;
}

} // namespace

std::string cleanSvg(const std::string &Svg) {
  std::string Clean;
  std::vector<bool> Kept; // per open element
  const std::string_view Text = Svg;
  for (size_t At = 0; At < Text.size();) {
    size_t Open = Text.find('<', At);
    if (Open == std::string_view::npos)
      break;
    if (!Kept.empty()) // text, and the line breaks between elements
      Clean += Text.substr(At, Open - At);
    const std::string_view Rest = Text.substr(Open);
    if (startsWith(Rest, "<!--")) {
      const size_t End = Text.find("-->", Open);
      At = End == std::string_view::npos ? Text.size() : End + 3;
      if (At < Text.size() && Text[At] == '\n')
        ++At;
      continue;
    }
    if (startsWith(Rest, "<title>")) {
      const size_t End = Text.find("</title>", Open);
      At = End == std::string_view::npos ? Text.size() : End + 8;
      if (At < Text.size() && Text[At] == '\n')
        ++At;
      continue;
    }
    const size_t End = Text.find('>', Open);
    if (End == std::string_view::npos)
      break;
    const std::string_view Tag = Text.substr(Open, End + 1 - Open);
    At = End + 1;
    if (startsWith(Tag, "<?") || startsWith(Tag, "<!"))
      continue;
    if (startsWith(Tag, "</")) {
      const bool Keep = !Kept.empty() && Kept.back();
      if (Keep)
        Clean += Tag;
      else if (At < Text.size() && Text[At] == '\n')
        ++At;
      if (!Kept.empty())
        Kept.pop_back();
      continue;
    }
    // A tooltip: <g id="a_..."><a xlink:title="...">...</a></g> in the group it belongs to.
    const bool Link = startsWith(Tag, "<a ") || Tag == "<a>";
    const bool Wrapper = startsWith(Tag, "<g id=\"a_") && startsWith(Text.substr(At), "<a");
    if (Link) {
      size_t Length = 0, Title = attribute(Tag, "xlink:title", Length);
      if (Title != std::string_view::npos && Length)
        Clean += "<title>" + std::string(Tag.substr(Title, Length)) + "</title>";
    } else if (!Wrapper) {
      Clean += cleanTag(Tag);
    }
    if (Tag[Tag.size() - 2] != '/')
      Kept.push_back(!Link && !Wrapper);
  }
  return Clean + "\n";
}

} // namespace picket
