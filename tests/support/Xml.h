// A strict parser for the XML of pictures: elements, attributes, text, the predefined and numeric
// entities. No prolog, comments or CDATA: pictures have none.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace picket::testing {

struct XmlElement {
  std::string Name;
  std::map<std::string, std::string> Attributes;
  std::string Text; // directly in it
  std::vector<XmlElement> Children;

  const std::string &attribute(const std::string &Key) const {
    static const std::string None;
    auto Found = Attributes.find(Key);
    return Found == Attributes.end() ? None : Found->second;
  }
  const XmlElement *child(const std::string &Of) const {
    for (const XmlElement &C : Children)
      if (C.Name == Of)
        return &C;
    return nullptr;
  }
  /// Calls Use for this element and all below.
  template <typename Callback> void forEach(Callback Use) const {
    Use(*this);
    for (const XmlElement &C : Children)
      C.forEach(Use);
  }
  const XmlElement *withId(const std::string &Id) const {
    const XmlElement *Found = nullptr;
    forEach([&](const XmlElement &E) {
      if (E.attribute("id") == Id)
        Found = &E;
    });
    return Found;
  }
};

class XmlReader {
public:
  /// Throws std::runtime_error if the text is not well-formed.
  static XmlElement read(const std::string &Text) {
    XmlReader Reader(Text);
    Reader.skipSpace();
    XmlElement Root = Reader.element();
    Reader.skipSpace();
    Reader.require(Reader.At == Text.size(), "text behind the root");
    return Root;
  }

private:
  explicit XmlReader(const std::string &Text) : Text(Text) {}

  void require(bool Condition, const char *What) const {
    if (!Condition)
      throw std::runtime_error("not well-formed at " + std::to_string(At) + ": " + What + ": ..." +
                               Text.substr(At < 20 ? 0 : At - 20, 60));
  }
  char peek() const { return At < Text.size() ? Text[At] : '\0'; }
  void expect(const std::string &Word) {
    require(Text.compare(At, Word.size(), Word) == 0, Word.c_str());
    At += Word.size();
  }
  void skipSpace() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t')
      ++At;
  }
  std::string name() {
    const size_t Begin = At;
    while (isalnum(static_cast<unsigned char>(peek())) || peek() == ':' || peek() == '-' || peek() == '_')
      ++At;
    require(At > Begin, "a name");
    return Text.substr(Begin, At - Begin);
  }

  /// Characters up to one of `Stop`, entities decoded.
  std::string characters(const std::string &Stop) {
    std::string Decoded;
    while (At < Text.size() && Stop.find(Text[At]) == std::string::npos) {
      const unsigned char C = static_cast<unsigned char>(Text[At]);
      require(C >= 0x20 || C == '\n' || C == '\t', "no control character");
      require(C != '<', "no '<' here");
      if (C == '&')
        Decoded += entity();
      else
        Decoded += Text[At++];
    }
    return Decoded;
  }
  std::string entity() {
    const size_t End = Text.find(';', At);
    require(End != std::string::npos && End - At < 12, "an entity");
    const std::string Name = Text.substr(At + 1, End - At - 1);
    static const std::map<std::string, std::string> Known = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
    std::string Decoded;
    if (auto Found = Known.find(Name); Found != Known.end()) {
      Decoded = Found->second;
    } else {
      require(Name.size() > 1 && Name[0] == '#', "a known entity");
      const unsigned long Code = Name[1] == 'x' ? std::stoul(Name.substr(2), nullptr, 16) : std::stoul(Name.substr(1));
      require(Code == '\n' || (Code >= 0x20 && Code < 0x100), "a character of XML");
      if (Code == 0xa0)
        Decoded = " "; // Graphviz writes the second of two spaces so
      else if (Code < 0x80)
        Decoded = static_cast<char>(Code);
      else
        Decoded = {static_cast<char>(0xc0 | Code >> 6), static_cast<char>(0x80 | (Code & 0x3f))};
    }
    At = End + 1;
    return Decoded;
  }

  XmlElement element() {
    XmlElement E;
    expect("<");
    E.Name = name();
    while (true) {
      const size_t Before = At;
      skipSpace();
      if (peek() == '/') {
        expect("/>");
        return E;
      }
      if (peek() == '>')
        break;
      require(At > Before, "a space before an attribute");
      const std::string Key = name();
      expect("=\"");
      const std::string Value = characters("\"");
      expect("\"");
      require(E.Attributes.emplace(Key, Value).second, "an attribute that was not there yet");
    }
    expect(">");
    while (true) {
      E.Text += characters("<");
      if (Text.compare(At, 2, "</") == 0)
        break;
      E.Children.push_back(element());
    }
    expect("</" + E.Name);
    skipSpace();
    expect(">");
    return E;
  }

  const std::string &Text;
  size_t At = 0;
};

} // namespace picket::testing
