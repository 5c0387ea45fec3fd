#!/usr/bin/env python3
"""What runs by itself, and how: the workflow of a public host, the hooks of pre-commit, the templates, and scripts/nightly.

They are read as their programs read them, and what they call must be there, with the options they give. Exit code 77: Python has
no module for YAML.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("python3-yaml is not installed (scripts/install-deps)")
    sys.exit(77)

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def calls_in(text):
    """Commands that begin with a script of the repository, each as a list of words. Comments are left out."""
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", line)
        for call in re.findall(r"(?:^|[\s;&|(`])((?:scripts|tests/fuzz)/[\w/.-]+(?: +--?[\w-]+(?:=[\w,-]+)?)*)", line):
            if not call.split()[0].endswith((".mjs", ".json")):
                yield shlex.split(call)


class Automation(unittest.TestCase):
    def expect_call(self, call, where):
        script = os.path.join(ROOT, call[0])
        self.assertTrue(os.access(script, os.X_OK) and os.path.isfile(script), f"{where} calls {call[0]}, which is no script")
        for option in call[1:]:
            name = option.split("=")[0]
            self.assertRegex(text_of(call[0]), rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"{where}: {call[0]} has no {name}")

    def test_the_workflow_calls_what_is_there(self):
        files = glob.glob(os.path.join(ROOT, ".github/workflows/*.yml"))
        self.assertTrue(files)
        called = set()
        for file in files:
            name = os.path.relpath(file, ROOT)
            workflow = yaml.safe_load(text_of(name))
            self.assertEqual(set(workflow[True]), {"push", "pull_request"}, name)  # YAML 1.1 reads `on` as true
            for job in workflow["jobs"].values():
                self.assertIn("runs-on", job, name)
                for step in job["steps"]:
                    self.assertEqual(len({"uses", "run"} & set(step)), 1, f"{name}: {step}")
                    if "uses" in step:
                        self.assertRegex(step["uses"], r"^[\w-]+/[\w-]+@v\d+$", name)
                        continue
                    checked = subprocess.run(["bash", "-n", "-c", step["run"]], capture_output=True, text=True)
                    self.assertEqual(checked.returncode, 0, f"{name}: {checked.stderr}")
                    for call in calls_in(step["run"]):
                        self.expect_call(call, name)
                        called.add(call[0])
        self.assertIn("scripts/test", called)

    def hooks(self):
        for repository in yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]:
            self.assertEqual(repository["repo"], "local", "hooks of others would need the network")
            yield from repository["hooks"]

    def test_hooks_call_what_is_there(self):
        hooks = list(self.hooks())
        self.assertTrue(hooks)
        for hook in hooks:
            self.assertLessEqual({"id", "name", "entry", "language"}, set(hook))
            self.assertEqual(hook["language"], "system", hook["id"])
            self.assertIs(hook["pass_filenames"], False, f"{hook['id']}: {hook['entry']} finds out itself what was changed")
            self.expect_call(shlex.split(hook["entry"]), ".pre-commit-config.yaml")

    def test_hooks_stop_a_commit_that_is_not_in_order_and_no_other(self):
        if not shutil.which("git") or not shutil.which("clang-format-22"):
            self.skipTest("git or clang-format-22 is not installed")
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
            environment.update(GIT_CEILING_DIRECTORIES=os.path.dirname(folder), PICKET_BUILD=os.path.join(folder, "none"))

            def run(*command):
                return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

            shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(folder, "scripts"))
            shutil.copy(os.path.join(ROOT, ".clang-format"), folder)
            run("git", "init", "-q")
            run("git", "add", "-A")
            run("git", "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "core.hooksPath=/dev/null", "commit", "-qm", "x")
            for text, expected in (("int  bad;\n", 1), ("int good;\n", 0)):
                with open(os.path.join(folder, "new.cpp"), "w", encoding="utf-8") as file:
                    file.write(text)
                run("git", "add", "new.cpp")
                for hook in self.hooks():
                    done = run(*shlex.split(hook["entry"]))
                    self.assertEqual(done.returncode, expected, f"{hook['id']}: {done.stdout}{done.stderr}")

    def test_templates_have_a_head(self):
        templates = glob.glob(os.path.join(ROOT, ".github/ISSUE_TEMPLATE/*.md"))
        self.assertTrue(templates)
        for template in templates:
            _, head, body = text_of(template).split("---\n", 2)
            self.assertLessEqual({"name", "about"}, set(yaml.safe_load(head)), template)
            self.assertTrue(body.strip(), template)
        self.assertTrue(text_of(".github/PULL_REQUEST_TEMPLATE.md").strip())

    def test_scripts_call_what_is_there(self):
        for name in ("README.md", "CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE.md", *(f"scripts/{name}" for name in os.listdir(f"{ROOT}/scripts"))):
            if os.path.isfile(os.path.join(ROOT, name)):
                for call in calls_in(text_of(name)):
                    self.expect_call(call, name)

    def test_the_nightly_run_names_suites_that_are_there(self):
        suites = re.search(r"^for suite in (.*); do$", text_of("scripts/nightly"), re.M).group(1).split()
        sources = "".join(text_of(os.path.relpath(file, ROOT)) for file in glob.glob(os.path.join(ROOT, "tests/property/*.cpp")))
        for suite in suites:
            self.assertRegex(sources, rf"TEST(_F|_P)?\({suite},", f"scripts/nightly runs {suite}")
        for fuzzer in re.search(r"^for fuzzer in (.*); do\n.*run\.py", text_of("scripts/nightly"), re.M).group(1).split():
            self.expect_call([f"tests/fuzz/{fuzzer}/run.py"], "scripts/nightly")


if __name__ == "__main__":
    unittest.main(verbosity=2)
