#!/usr/bin/env python3
"""symbols_test.py NM MODULES.JSON: the objects of a module need nothing of modules that it does not depend on.

scripts/modules compares includes; this finds what is declared by hand, too. What a module's dependencies depend on is allowed: inline
functions of headers call it.
"""
import json
import subprocess
import sys
from pathlib import Path


def symbols_of(nm, objects):
    """The symbols that objects define, and those they need."""
    listed = subprocess.run([nm, "--format=posix", "--no-weak", *objects], stdout=subprocess.PIPE, text=True, check=True)
    defined, needed = set(), set()
    for line in listed.stdout.split("\n"):
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1 and words[1] in "TDBRU":
            (needed if words[1] == "U" else defined).add(words[0])
    return defined, needed - defined


def main():
    nm, description = sys.argv[1], Path(sys.argv[2])
    modules = json.loads(description.read_text())
    reached, defined, needed = {}, {}, {}
    for module in modules:
        name = module["name"]
        reached[name] = set(module["depends"]).union(*(reached[other] for other in module["depends"]))
        target = f"module_{name.replace('/', '_')}"
        if name == "picket":
            target = name
        objects = sorted((description.parent / module["folder"] / f"CMakeFiles/{target}.dir").rglob("*.o"))
        objects = [file for file in objects if any(file.name == Path(source).name + ".o" for source in module["sources"])]
        if len(objects) != len(module["sources"]):
            print(f"{name}: {len(objects)} objects of {len(module['sources'])} sources")
            return 1
        defined[name], needed[name] = symbols_of(nm, objects) if objects else (set(), set())

    problems = 0
    for name in needed:
        for other in defined:
            if other != name and other not in reached[name] and (found := sorted(needed[name] & defined[other])):
                print(f"module {name} does not depend on {other}, and needs {found[0]}")
                problems += 1
    print(f"{sum(map(len, needed.values()))} symbols needed, {problems} problems")
    return 1 if problems else 0


sys.exit(main())
