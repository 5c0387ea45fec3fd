#!/usr/bin/env python3
"""scripts/modules on small sources that are wrong."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts/modules"


def module(name, folder, sources=(), depends=()):
    return {"name": name, "folder": folder, "depends": list(depends), "sources": [f"{folder}/{source}" for source in sources]}


class Modules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("engine/low/Low.h", "")
        self.write("engine/low/Low.cpp", '#include "low/Low.h"\n#include <vector>\n#include "llvm/Other.h"\n')
        self.write("engine/high/High.h", '#pragma once\n#include "low/Low.h"\n')
        self.write("server/Report.h", '#include "high/High.h"\n')
        self.write("server/Report.cpp", '#include "Report.h"\n')
        self.write("server/main.cpp", '#include "Report.h"\n')
        self.modules = [
            module("low", "engine/low", ["Low.cpp"]),
            module("high", "engine/high", [], ["low"]),
            module("server", "server", ["Report.cpp"], ["high"]),
            module("program", "server", ["main.cpp"], ["server"]),
        ]

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def run_script(self, *arguments):
        description = self.root / "modules.json"
        description.write_text(json.dumps(self.modules))
        return subprocess.run([sys.executable, SCRIPT, *arguments, "--root", self.root, "--description", description],
                              stderr=subprocess.PIPE, text=True)

    def expect(self, complaint):
        done = self.run_script("check")
        self.assertEqual((done.returncode, done.stderr), (1 if complaint else 0, complaint and complaint + "\n"))

    def test_what_is_declared_is_right(self):
        self.expect("")

    def test_reaching_back(self):
        self.write("engine/low/Low.h", '\n#include "high/High.h"\n')
        self.expect("engine/low/Low.h:2: module low does not depend on high, to which engine/high/High.h belongs")

    def test_what_a_dependency_depends_on(self):
        self.write("server/Report.cpp", '#include "Report.h"\n#include "low/Low.h"\n')
        self.expect("server/Report.cpp:2: module server does not depend on low, to which engine/low/Low.h belongs")

    def test_a_program_in_the_folder_of_a_module(self):
        self.write("server/main.cpp", '#include "Report.h"\n#include "high/High.h"\n')
        self.expect("server/main.cpp:2: module program does not depend on high, to which engine/high/High.h belongs")

    def test_a_dependency_that_is_none(self):
        self.write("engine/high/High.h", "")
        self.expect("engine/high/CMakeLists.txt: module high includes nothing of low")

    def test_a_file_that_is_not_listed(self):
        self.write("engine/low/Other.cpp", "")
        self.expect("engine/low/Other.cpp: not listed in engine/low/CMakeLists.txt")

    def test_a_folder_that_is_no_module(self):
        self.write("engine/other/Other.h", "")
        self.expect("engine/other/Other.h: in a folder that is no module")

    def test_a_cycle(self):
        self.write("engine/low/Low.h", '#include "high/High.h"\n')
        self.modules[0]["depends"] = ["high"]
        self.expect("modules depend on each other: low -> high -> low")

    def test_a_stamp_only_if_all_is_well(self):
        stamp = self.root / "stamp"
        self.write("engine/low/Other.cpp", "")
        self.run_script("check", "--stamp", stamp)
        self.assertFalse(stamp.exists())
        (self.root / "engine/low/Other.cpp").unlink()
        self.run_script("check", "--stamp", stamp)
        self.assertTrue(stamp.exists())
        self.assertIn("engine/low/Low.h", Path(f"{stamp}.d").read_text())

    def test_a_picture_that_is_old(self):
        picture = self.root / "docs/images/modules.svg"
        self.write("docs/images/modules.svg", "<!-- scripts/modules picture. low:; high: low; server: high; program: server -->\n")
        self.assertEqual(self.run_script("picture", "--check").returncode, 0)
        self.modules[2]["depends"].append("low")
        self.assertEqual(self.run_script("picture", "--check").returncode, 1)
        picture.unlink()
        self.assertEqual(self.run_script("picture", "--check").returncode, 1)


if __name__ == "__main__":
    unittest.main()
