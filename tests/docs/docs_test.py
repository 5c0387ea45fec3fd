#!/usr/bin/env python3
"""Runs every command of the documentation.

Usage: docs_test.py PICKET REPOSITORY

In a block ```console, `$ command` is run and its output (both streams) is compared with the lines below it: a line of `...`
stands for any number of lines, `…` within a line for any text. In other blocks, lines that begin with `picket` or
`build/picket` are run and must not end with bad usage (2) or a program that cannot be checked (3), unless the command has a
placeholder ([options], FILE). Scripts that are named must be there. Links between the pages must lead somewhere. Types, functions
and folders that docs/architecture.md and docs/how-to-add-a-memory-model.md name must be in the sources.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLACEHOLDER = re.compile(r"\[|\bFILE\b|…")
SCRIPT = re.compile(r"(?:^|\s|`)((?:scripts|tests)/[\w./+-]+)")
NAME = re.compile(r"`([A-Z]\w+|\w+::\w+|(?:engine|server)/[\w./]+)(?:\(\))?`")
ABOUT_SOURCES = ("architecture.md", "how-to-add-a-memory-model.md")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages(repository):
    found = [repository / "README.md", repository / "CONTRIBUTING.md", repository / "vscode-extension/README.md"]
    return found + sorted((repository / "docs").glob("*.md"))


def blocks(text):
    """(kind, first line number, lines) of fenced and indented blocks."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = re.match(r"```(\w*)\s*$", lines[at])
        if fence:
            end = at + 1
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            yield fence.group(1), at + 2, lines[at + 1 : end]
            at = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield "", at + 1, [line[4:] for line in lines[at:end]]
            at = end
        else:
            at += 1


def session(lines):
    """(offset, command, expected lines) of a console block."""
    found = []
    for offset, line in enumerate(lines):
        if line.startswith("$ "):
            found.append((offset, line[2:], []))
        elif found:
            found[-1][2].append(line)
    return found


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(matches(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    if not actual:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("…"))
    return re.fullmatch(pattern, actual[0]) is not None and matches(expected[1:], actual[1:])


def make_workplace(folder, picket, repository):
    """A directory in which the commands find what they name."""
    (folder / "bin").mkdir()
    (folder / "bin/picket").symlink_to(picket)
    work = folder / "work"
    work.mkdir()
    (work / "build").mkdir()
    (work / "build/picket").symlink_to(picket)
    for name in ("examples", "models", "tests/programs", "tests/litmus"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(repository / name, work / name)
    programs = repository / "tests/programs"
    (work / "src").mkdir()
    for name in ("queue.c", "src/queue.c"):
        shutil.copy(programs / "spsc_ring.c", work / name)
    shutil.copy(programs / "spsc_ring.c", work / "fixed_queue.c")
    shutil.copy(programs / "peterson_c11.c", work / "lock.c")
    shutil.copy(repository / "examples/dekker.c", work / "dekker.c")
    return work


class Test:
    def __init__(self, picket, repository, folder):
        self.repository = repository
        self.work = make_workplace(folder, picket, repository)
        self.environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", NO_COLOR="1",
                                XDG_CACHE_HOME=str(folder / "cache"))
        self.ran = 0
        self.failures = []

    def run(self, command):
        self.ran += 1
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
        return done.returncode, done.stdout

    def fail(self, page, line, message):
        self.failures.append(f"{page.relative_to(self.repository)}:{line}: {message}")

    def check_session(self, page, first, lines):
        for offset, command, expected in session(lines):
            _, output = self.run(command)
            actual = output.rstrip("\n").split("\n") if output.strip() else []
            while expected and not expected[-1].strip():
                expected.pop()
            if not matches(expected, actual):
                self.fail(page, first + offset, f"'{command}' printed\n{output}")

    def check_lines(self, page, first, lines):
        for offset, line in enumerate(lines):
            command = re.sub(r"\s{2,}#.*$", "", line).strip()
            if re.match(r"(build/)?picket ", command) and not PLACEHOLDER.search(command):
                code, output = self.run(command)
                if code not in (0, 1, 4):
                    self.fail(page, first + offset, f"'{command}' ended with {code}\n{output}")

    def check_page(self, page):
        text = page.read_text()
        for kind, first, lines in blocks(text):
            if kind == "console":
                self.check_session(page, first, lines)
            elif kind in ("", "sh"):
                self.check_lines(page, first, lines)
        for number, line in enumerate(text.split("\n"), 1):
            for name in SCRIPT.findall(line):
                if not (self.repository / name.rstrip(".")).exists():
                    self.fail(page, number, f"there is no {name}")
            for target in LINK.findall(line):
                if "://" not in target and not (page.parent / target).exists():
                    self.fail(page, number, f"the link to {target} leads nowhere")

    def check_names(self, page):
        """What a page about the sources names is in them."""
        folders = ("engine", "server", "tests/property", "tests/support")
        files = [file for folder in folders for file in (self.repository / folder).rglob("*") if file.suffix in (".h", ".cpp")]
        words = {file.stem for file in files}
        for file in files:
            words.update(re.findall(r"\w+", file.read_text()))
        for number, line in enumerate(page.read_text().split("\n"), 1):
            for name in NAME.findall(line):
                there = (self.repository / name).exists() if "/" in name else words.issuperset(name.split("::"))
                if not there and not name.startswith("Your"):
                    self.fail(page, number, f"there is no {name}")


def main():
    picket, repository = (Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        test = Test(picket, repository, Path(folder))
        for page in pages(repository):
            test.check_page(page)
            if page.name in ABOUT_SOURCES:
                test.check_names(page)
    for failure in test.failures:
        print(failure)
    print(f"{test.ran} commands, {len(test.failures)} failures")
    return 1 if test.failures or test.ran < 20 else 0


sys.exit(main())
