#!/usr/bin/env python3
"""package_test.py FILE.vsix: the extension's package holds what is needed to run, and nothing else."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

PACKAGE = sys.argv.pop(1)


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.archive = zipfile.ZipFile(PACKAGE)
        self.addCleanup(self.archive.close)
        self.names = self.archive.namelist()
        self.manifest = json.loads(self.read("package.json"))

    def read(self, name):
        return self.archive.read("extension/" + name).decode("utf-8")

    def test_small(self):
        self.assertLess(os.path.getsize(PACKAGE), 25_000_000)

    def test_no_source_maps_tests_or_sources(self):
        unwanted = [name for name in self.names if re.search(r"\.map$|\.tsx?$|/tests?/|\.test\.|/src/|/scripts/|node_modules", name)]
        self.assertEqual(unwanted, [])
        for name in self.names:
            if name.endswith(".js"):
                self.assertNotIn(b"sourceMappingURL", self.archive.read(name), name)

    def test_only_known_places(self):
        allowed = re.compile(r"extension\.vsixmanifest|\[Content_Types\]\.xml|extension/(package\.json|LICENSE\.txt|changelog\.md|readme\.md|ThirdPartyNotices\.txt"
                             r"|dist/extension\.js|bin/picket|examples/\w+\.c|media/icon\.(png|svg)|media/(generated|walkthrough)/[\w-]+\.(js|css|png|md))")
        self.assertEqual([name for name in self.names if not allowed.fullmatch(name)], [])

    def test_for_one_platform(self):
        self.assertIn('TargetPlatform="linux-x64"', self.archive.read("extension.vsixmanifest").decode("utf-8"))

    def test_what_the_manifest_names_is_there(self):
        steps = [step for one in self.manifest["contributes"]["walkthroughs"] for step in one["steps"]]
        for name in [self.manifest["main"], self.manifest["icon"], *(step["media"]["markdown"] for step in steps)]:
            self.assertIn("extension/" + name.removeprefix("./"), self.names)
        self.assertIn("extension/examples/dekker.c", self.names)

    def test_pictures_of_the_texts_are_there(self):
        for text in [name for name in self.names if name.endswith(".md")]:
            for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", self.archive.read(text).decode("utf-8")):
                found = os.path.normpath(os.path.join(os.path.dirname(text), picture))
                self.assertIn(found, self.names, text)

    def test_licences_of_what_is_bundled(self):
        notices = self.read("ThirdPartyNotices.txt")
        for name in ["vscode-languageclient", "vscode-languageserver-protocol", "vscode-jsonrpc"]:
            self.assertRegex(notices, rf"(?m)^{name} \d")
        self.assertIn("Permission is hereby granted", notices)

    def test_the_program_runs(self):
        info = self.archive.getinfo("extension/bin/picket")
        self.assertTrue(info.external_attr >> 16 & 0o111, "it can be executed")
        with tempfile.TemporaryDirectory() as folder:
            program = self.archive.extract(info, folder)
            os.chmod(program, 0o755)
            version = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=600, check=True).stdout
        self.assertIn(self.manifest["version"], version)


if __name__ == "__main__":
    unittest.main()
