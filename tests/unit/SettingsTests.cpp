// Settings of checks: where they come from and which one counts.
#include "lsp/ClientSettings.h"
#include "settings/Toml.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace picket;

namespace {

SettingsLayer fromJson(llvm::StringRef Text, std::vector<SettingsProblem> &Problems) {
  return layerOfJson(llvm::cantFail(llvm::json::parse(Text)), Problems);
}

TEST(Settings, TheNearestPlaceWinsSettingBySetting) {
  std::vector<SettingsProblem> Problems;
  Settings S;
  apply(S, fromJson(R"({"picket": {"models": ["sc"], "unroll": 3, "timeout": "5s", "check": {"trigger": "change"}}})",
                    Problems));
  apply(S, layerOfToml("models = [\"tso\", \"pso\"]\nunroll = 4\n", Problems));
  apply(S, layerOfComment("// picket: unroll=5\nint main(void);\n", Problems));
  EXPECT_TRUE(Problems.empty());
  EXPECT_EQ((std::vector{MemoryModel::TSO, MemoryModel::PSO}), S.Models);
  EXPECT_EQ(5u, S.Unroll);
  EXPECT_EQ(5.0, S.TimeoutSeconds);
  EXPECT_EQ(Trigger::Change, S.When);
  EXPECT_EQ(Settings().MemoryBytes, S.MemoryBytes);
}

TEST(DataRaceSettings, ComeFromEveryPlace) {
  std::vector<SettingsProblem> Problems;
  Settings S;
  apply(S, fromJson(R"({"picket": {"races": "off", "volatile": "relaxed", "release-sequences": "c11"}})", Problems));
  EXPECT_EQ(S.Races, RaceReporting::Off);
  apply(S, layerOfToml("races = \"warning\"\nvolatile = \"plain\"\n", Problems));
  EXPECT_EQ(S.Races, RaceReporting::Warning);
  EXPECT_EQ(S.Volatile, VolatileMeaning::Plain);
  apply(S, layerOfComment("// picket: races=error\n// picket: benign-race\nint x; // picket: benign-race\n", Problems));
  EXPECT_EQ(S.Races, RaceReporting::Error);
  EXPECT_TRUE(Problems.empty());
  const CheckOptions Options = checkOptionsOf(S);
  EXPECT_EQ(Options.Races, RaceReporting::Error);
  EXPECT_EQ(Options.Sequences, ReleaseSequences::C11);
  layerOfComment("// picket: races=maybe volatile=atomic release-sequences=c++11\n", Problems);
  EXPECT_EQ(Problems.size(), 3u);
}

TEST(StubSettings, BecomeFlags) {
  std::vector<SettingsProblem> Problems;
  Settings S;
  apply(S, fromJson(R"({"picket": {"flags": ["-DN=2"], "stub": ["poll_device"], "nondet": ""}})", Problems));
  EXPECT_EQ(flagsOf(S), (std::vector<std::string>{"-DN=2", "-fpicket-stub=poll_device"}));
  apply(S, layerOfToml("stub = [\"foo\", \"bar=-1\"]\nstubs = \"stubs.c\"\n", Problems));
  apply(S, layerOfComment("// picket: nondet=0..2\n", Problems));
  EXPECT_TRUE(Problems.empty());
  EXPECT_EQ(flagsOf(S), (std::vector<std::string>{"-DN=2", "-fpicket-stub=foo", "-fpicket-stub=bar=-1",
                                                  "-fpicket-stubs=stubs.c", "-fpicket-nondet=0..2"}));
  const SettingsLayer Comment = layerOfComment("// picket: stub=foo,bar=1 stubs=a.c,b.c\n", Problems);
  EXPECT_EQ(flagsOf(Comment), (std::vector<std::string>{"-fpicket-stub=foo", "-fpicket-stub=bar=1",
                                                        "-fpicket-stubs=a.c", "-fpicket-stubs=b.c"}));
  EXPECT_TRUE(Problems.empty());
  for (const char *Wrong : {"stub=4x", "stub=foo=bar", "nondet=2..0", "nondet=2", "nondet=a..b"})
    layerOfComment(std::string("// picket: ") + Wrong + "\n", Problems);
  EXPECT_EQ(Problems.size(), 5u);
}

TEST(ProgramSettings, NameTheOtherFiles) {
  std::vector<SettingsProblem> Problems;
  using Files = std::vector<std::string>;
  EXPECT_EQ(layerOfComment("// picket: with=queue.c\n", Problems).With, Files{"queue.c"});
  EXPECT_EQ(layerOfComment("// picket: unroll=3 with=a.c,b.c ../c.c benign-race d.c models=tso\n", Problems).With,
            (Files{"a.c", "b.c", "../c.c", "d.c"}));
  const char *const Toml = "[program]\nwith = [\"a.c\"]\n\"test_*.c\" = [\"b.c\", \"c.c\"]\n\"x/y.c\" = \"d.c\"\n";
  EXPECT_EQ(layerOfToml(Toml, Problems).With, Files{"a.c"});
  EXPECT_EQ(layerOfToml(Toml, Problems, "/p/main.c").With, Files{"a.c"});
  EXPECT_EQ(layerOfToml(Toml, Problems, "/p/test_queue.c").With, (Files{"b.c", "c.c"}));
  EXPECT_EQ(layerOfToml(Toml, Problems, "/p/x/y.c").With, Files{"d.c"});
  EXPECT_EQ(layerOfToml("with = [\"e.c\"]\n", Problems).With, Files{"e.c"});
  EXPECT_TRUE(Problems.empty());
  layerOfComment("// picket: with= a.c\n", Problems);
  EXPECT_EQ(Problems.size(), 2u);
  layerOfToml("[program]\nwith = [\"\"]\n\"[\" = [\"a.c\"]\n", Problems, "/p/a.c");
  EXPECT_EQ(Problems.size(), 4u);
}

TEST(Checks, AreASettingOfEveryPlace) {
  std::vector<SettingsProblem> Problems;
  Settings S;
  EXPECT_EQ(Checks(), S.Looked);
  apply(S, fromJson(R"({"picket": {"checks": ["default", "leak"]}})", Problems));
  EXPECT_TRUE(S.Looked.has(CheckGroup::Leak) && S.Looked.has(CheckGroup::Memory));
  apply(S, layerOfToml("checks = [\"memory\", \"leak\"]\n", Problems));
  EXPECT_EQ((std::vector<std::string>{"memory", "leak"}), S.Looked.names());
  apply(S, layerOfComment("// picket: checks=-deadlock,no-hang unroll=5\n", Problems));
  EXPECT_EQ((std::vector<std::string>{"deadlock", "hang"}), S.Looked.namesLeftOut());
  EXPECT_TRUE(Problems.empty());
  EXPECT_EQ(S.Looked, checkOptionsOf(S).Looked);
  EXPECT_FALSE(layerOfComment("// picket: checks=memoy\n", Problems).Looked);
  EXPECT_FALSE(layerOfToml("checks = []\n", Problems).Looked);
  EXPECT_EQ(2u, Problems.size());
}

/// The text of a file of the project.
std::string textOf(const std::string &Name) {
  auto Buffer = llvm::MemoryBuffer::getFile(std::string(PICKET_SOURCE_DIR) + "/" + Name);
  EXPECT_TRUE(Buffer) << Name;
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

TEST(Checks, TheExtensionOffersThoseOfTheTable) {
  const llvm::json::Value Manifest = llvm::cantFail(llvm::json::parse(textOf("vscode-extension/package.json")));
  const llvm::json::Object *Items = Manifest.getAsObject();
  for (const char *Key : {"contributes", "configuration", "properties", "picket.checks", "items"})
    ASSERT_TRUE(Items = Items->getObject(Key)) << Key;
  llvm::json::Array Names{"default", "all", "none"};
  for (const char *Prefix : {"", "no-"})
    for (const CheckGroupInfo &G : CheckGroups)
      Names.push_back(Prefix + std::string(G.Name));
  EXPECT_EQ(*Items->getArray("enum"), Names);
  ASSERT_EQ(Items->getArray("enumDescriptions")->size(), Names.size());
  for (size_t K = 0; K < CheckGroups.size(); ++K) {
    const llvm::StringRef Meaning = CheckGroups[K].Meaning,
                          Told = *(*Items->getArray("enumDescriptions"))[K + 3].getAsString();
    EXPECT_TRUE(Told.contains(Meaning.drop_front())) << Told.str();
    EXPECT_EQ(Told.contains("Off by default"), !CheckGroups[K].ByDefault) << Told.str();
  }
}

TEST(Checks, ThePageAboutThemNamesEveryKindWithItsGroup) {
  std::string Page = textOf("docs/supported-c.md");
  Page.erase(0, Page.find("## What counts as a bug"));
  for (const BugKindInfo &K : BugKinds) {
    const size_t At = Page.find("`" + std::string(K.Name) + "`"), End = Page.find('\n', At);
    ASSERT_NE(At, std::string::npos) << K.Name;
    const std::string Row = Page.substr(At, End - At), Group = std::string("| `") + nameOf(K.Group) + "`";
    EXPECT_NE(Row.find(Group), std::string::npos) << Row;
    EXPECT_EQ(Row.find(Group + ", off |") != std::string::npos, !CheckGroups[static_cast<size_t>(K.Group)].ByDefault)
        << Row;
  }
}

TEST(SettingsComment, IsReadFromTheFirstLines) {
  std::vector<SettingsProblem> Problems;
  SettingsLayer L =
      layerOfComment("/* A story.\n * picket: models=TSO,pso timeout=500ms memory=1G jobs=2 */\n", Problems);
  EXPECT_TRUE(Problems.empty());
  EXPECT_EQ((std::vector{MemoryModel::TSO, MemoryModel::PSO}), L.Models);
  EXPECT_EQ(0.5, L.TimeoutSeconds);
  EXPECT_EQ(1ull << 30, L.MemoryBytes);
  EXPECT_EQ(2u, L.Jobs);
  EXPECT_FALSE(L.Unroll);

  const std::string Late = std::string(20, '\n') + "// picket: unroll=3\n";
  EXPECT_EQ(SettingsLayer(), layerOfComment(Late, Problems));
  EXPECT_EQ(SettingsLayer(), layerOfComment("char *s = \"// picket: unroll=3\";\n", Problems));
  EXPECT_EQ(3u, layerOfComment("\r\n//picket:unroll=3 flags=-DN=2,-DM\r\n", Problems).Unroll);
  EXPECT_TRUE(Problems.empty());
}

TEST(SettingsComment, SaysWhatIsWrongAndWhere) {
  std::vector<SettingsProblem> Problems;
  SettingsLayer L = layerOfComment("//\n// picket: models=arm unroll=0 color=red timeout unroll=7\n", Problems);
  ASSERT_EQ(4u, Problems.size());
  for (const SettingsProblem &P : Problems)
    EXPECT_EQ(2u, P.Line);
  EXPECT_EQ("'arm' is no memory model (sc, tso, pso, armv8, power, c11)", Problems[0].Message);
  EXPECT_NE(std::string::npos, Problems[1].Message.find("'0' is no value of 'unroll'"));
  EXPECT_NE(std::string::npos, Problems[2].Message.find("'color' is no setting"));
  EXPECT_NE(std::string::npos, Problems[3].Message.find("key=value"));
  EXPECT_EQ(7u, L.Unroll) << "what is right counts";
}

TEST(ClientSettings, TakeNumbersTextsAndDottedKeys) {
  std::vector<SettingsProblem> Problems;
  SettingsLayer L = fromJson(R"({"check.trigger": "manual", "timeout": 2.5, "memory": "512M", "models": "sc,tso",
                                 "server": {"path": "x"}, "unroll": null, "trace": "off", "flags": ["-DN=2"]})",
                             Problems);
  EXPECT_TRUE(Problems.empty()) << Problems[0].Message;
  EXPECT_EQ(Trigger::Manual, L.When);
  EXPECT_EQ(2.5, L.TimeoutSeconds);
  EXPECT_EQ(512ull << 20, L.MemoryBytes);
  EXPECT_EQ((std::vector{MemoryModel::SC, MemoryModel::TSO}), L.Models);
  EXPECT_EQ((std::vector<std::string>{"-DN=2"}), L.Flags);
  EXPECT_FALSE(L.Unroll);

  EXPECT_EQ(SettingsLayer(), fromJson("null", Problems));
  EXPECT_EQ(SettingsLayer(), fromJson(R"({"models": [], "jobs": -1, "check": {"trigger": 3}})", Problems));
  EXPECT_EQ(3u, Problems.size());
}

TEST(Toml, ReadsTablesKeysAndValues) {
  TomlText T = readToml("# comment\n a = 1_000 # more\n\"b c\" = 'x\\y'\n[check]\ntrigger = \"sa\\\"ve\"\r\n"
                        "list = [ \"p\", 2,\n  # inside\n  true,\n]\n[ d . e ]\nf.g = -1.5\n");
  ASSERT_TRUE(T.Problems.empty()) << T.Problems[0].Message;
  ASSERT_EQ(5u, T.Entries.size());
  auto Is = [&](size_t K, const char *Key, std::vector<std::string> Values, uint32_t Line) {
    EXPECT_EQ(Key, T.Entries[K].Key);
    EXPECT_EQ(Values, T.Entries[K].Values);
    EXPECT_EQ(Line, T.Entries[K].Line);
  };
  Is(0, "a", {"1000"}, 2);
  Is(1, "b c", {"x\\y"}, 3);
  Is(2, "check.trigger", {"sa\"ve"}, 5);
  Is(3, "check.list", {"p", "2", "true"}, 6);
  Is(4, "d.e.f.g", {"-1.5"}, 11);
}

TEST(Toml, SkipsWhatIsWrongAndSaysWhere) {
  TomlText T =
      readToml("a = \nb = yes\nc 1\nd = \"x\ne = [1, \nf = 2\n\ng = 3 4\ng = 3\ng = 5\n[[t]]\n[u\nh = \"\\q\"\n");
  std::vector<uint32_t> Lines;
  for (const TomlProblem &P : T.Problems)
    Lines.push_back(P.Line);
  EXPECT_EQ((std::vector<uint32_t>{1, 2, 3, 4, 5, 8, 10, 11, 12, 13}), Lines);
}

TEST(Toml, ProblemsOfSettingsHaveTheirLines) {
  std::vector<SettingsProblem> Problems;
  layerOfToml("unroll = 3\n[check]\ntrigger = \"never\"\n\nsize = 3\nx\n", Problems);
  ASSERT_EQ(3u, Problems.size());
  EXPECT_EQ(6u, Problems[0].Line);
  EXPECT_EQ(3u, Problems[1].Line);
  EXPECT_EQ(5u, Problems[2].Line);
}

TEST(Toml, AllOfTomlIsUnderstoodButNotAllIsASetting) {
  TomlText T =
      readToml("check = {trigger = \"save\"}\nunroll = 0x10\ntimeout = 0.5\nflags = [\n  \"\"\"-DN=1\"\"\", # one\n]\n"
               "day = 1979-05-27\nlist = [[1]]\n");
  ASSERT_EQ(4u, T.Entries.size());
  EXPECT_EQ("check.trigger", T.Entries[0].Key);
  EXPECT_EQ("16", T.Entries[1].Values[0]);
  EXPECT_EQ("0.5", T.Entries[2].Values[0]);
  EXPECT_EQ("-DN=1", T.Entries[3].Values[0]);
  ASSERT_EQ(2u, T.Problems.size());
  EXPECT_EQ("'day' is not a string, a number, true, false or a list of these", T.Problems[0].Message);
  EXPECT_EQ(8u, T.Problems[1].Line);
}

TEST(Toml, HostileTextsCostLittle) {
  std::string Deep = "a";
  while (Deep.size() < 60'000)
    Deep += ".a";
  EXPECT_EQ(1u, readToml(Deep + " = 1\n").Problems.size());
  EXPECT_EQ(1u, readToml(std::string(70'000, '\n')).Problems.size());
  std::string Wrong;
  for (unsigned K = 0; K < 5'000; ++K)
    Wrong += "x [\n";
  EXPECT_EQ(20u, readToml(Wrong).Problems.size());
}

TEST(Toml, CharactersOutsideAsciiAreReadOrRefused) {
  EXPECT_EQ(1u, readToml("# \xce\x9b\nunroll = 3\n").Entries.size());
  EXPECT_EQ(1u, readToml("flags = '-D\xce\x9b'\n").Entries.size());
  EXPECT_EQ(1u, readToml("fl\xce\x9b = 3\nunroll = 3\n").Problems.size());
}

TEST(Toml, ATableWithoutANameIsAMistakeOfItsLine) {
  for (const char *Text :
       {"[\nunroll = 3\n", "[[\nunroll = 3\n", "a.\nunroll = 3\n", "[a.\nunroll = 3\n", "[\xff]\nunroll = 3\n"}) {
    const TomlText T = readToml(Text);
    ASSERT_EQ(1u, T.Problems.size()) << Text;
    EXPECT_EQ(1u, T.Problems[0].Line) << Text;
    ASSERT_EQ(1u, T.Entries.size()) << Text;
    EXPECT_EQ("unroll", T.Entries[0].Key) << Text;
  }
}

TEST(Toml, AnyTextIsRead) {
  const std::string Odd = "a=[\"\\\n'#].\t\r\"[[\"";
  for (size_t Begin = 0; Begin < Odd.size(); ++Begin)
    for (size_t Length = 0; Length <= Odd.size() - Begin; ++Length)
      readToml(Odd.substr(Begin, Length) + Odd.substr(0, Begin)); // ends, and stays within the text
}

} // namespace
