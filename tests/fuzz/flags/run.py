#!/usr/bin/env python3
"""Hostile repositories by chance: run.py PICKET [--seconds N | --rounds N] [--seed N] [--keep FOLDER].

Each round makes a repository whose compile_commands.json, compile_flags.txt, .picket.toml and comment hold flags that write,
read or run something, and checks a file in it. Afterwards
  - no file or folder has appeared, vanished or changed, in the repository, beside it, in the home or the temporary folder;
  - no program has run, and no plug-in was loaded (both would leave a file);
  - nobody has opened a pipe (that would take the process longer than it may);
  - the text of a secret file that no source includes is nowhere in what was printed;
  - standard output holds what the command says it prints, and nothing else.
"""
import argparse
import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time

SECRET = "velvet-kestrel-9481"
PATIENCE = 120  # seconds; only what waits for ever takes that long

# Flags of Clang's that name a file to write (W), to read (R), a folder (F), a pipe (P), a program (X) or a plug-in (L).
FLAGS = """
-Xclang -stats-file=W|-Xclang -print-stats|-save-stats|-save-stats=cwd|-save-stats=obj|-save-temps|-save-temps=obj
-serialize-diagnostics W|--serialize-diagnostics W|-MD -MF W|-MMD|-MD|-MJ W|-MM -MF W|-M -MF W|-MG|-Wp,-MD,W|-Wp,-MMD,W
-Xpreprocessor -dependency-file -Xpreprocessor W|-dependency-dot W|-dependency-file W|-module-dependency-dir F
-Xclang -dependency-file -Xclang W -Xclang -MT -Xclang x|-Xclang -header-include-file -Xclang W|-Xclang -diagnostic-log-file -Xclang W
-Xclang -emit-obj|-Xclang -emit-llvm -o W|-o W|-emit-ast -o W|-emit-llvm -S -o W|-S -o W|-E -o W|-extract-api -o W|--analyze -o W
-fmodules|-fmodules-cache-path=F|-fmodules -fmodules-cache-path=F|-fmodules-user-build-path F|-fimplicit-modules|-fimplicit-module-maps
-fmodule-map-file=R|-fmodule-file=R|-fmodule-file=x=R|-fprebuilt-module-path=F|-fbuild-session-file=R|-fmodules-validate-once-per-build-session
-fsave-optimization-record|-foptimization-record-file=W|-fsave-optimization-record=yaml|-ftime-trace|-ftime-trace=W|-ftime-report|-fproc-stat-report=W
-fcrash-diagnostics-dir=F|-gen-reproducer=always|-gen-cdb-fragment-path F|-index-store-path F|-fstack-usage|-gsplit-dwarf|-gsplit-dwarf=single
--coverage|-fprofile-arcs -ftest-coverage|-fprofile-dir=F|-fprofile-generate=F|-fprofile-use=R|-fprofile-use=F|-fprofile-instr-use=R
-fprofile-instr-generate=W|-fprofile-sample-use=R|-fprofile-remapping-file=R|-fprofile-list=R|-fmemory-profile=F|-fmemory-profile-use=R
-fcs-profile-generate=F|-fcoverage-mapping|-Xclang -coverage-data-file=W|-Xclang -coverage-notes-file=W
-fsanitize=address -fsanitize-ignorelist=R|-fsanitize=undefined|-fsanitize-coverage=trace-pc-guard -fsanitize-coverage-allowlist=R|-fxray-instrument -fxray-attr-list=R
-mllvm -info-output-file=W|-mllvm -stats|-mllvm -time-passes|-mllvm -print-after-all|-mllvm -ir-dump-directory=F|-mllvm -load=L|-mllvm -help
-mllvm -debug-only=all|-mllvm -view-cfg|-mllvm -pass-remarks-output=W|-Rpass=.*|-Rmodule-build
-fplugin=L|-fpass-plugin=L|-Xclang -load -Xclang L|-Xclang -add-plugin -Xclang x|-fplugin-arg-x-y|-Xclang -plugin -Xclang x
@R|@P|--config=R|--config=P|--config R|--config-user-dir=F|--config-system-dir=F|-specs=R|--specs=R|-B F|-BF|-fuse-ld=X|--ld-path=X|-ccc-gcc-name X
-no-integrated-as|-via-file-asm|-wrapper X|--offload-arch=native|--offload-arch-tool=X|--ptxas-path=X|--cuda-path=F|--rocm-path=F|-x cuda|-x hip
-x c++|-x objective-c|-x ir|-x ast|-x c-header|-x assembler-with-cpp|-x none|-x pcm|-xc
-ivfsoverlay R|-vfsoverlay R|-include-pch R|-iframework F|-resource-dir F|-resource-dir=F|-working-directory F|-working-directory=F|--sysroot=F|-isysroot F
-include P|-imacros P|-I F|-isystem F|-iquote F|-idirafter F|-include /dev/zero|--embed-dir=F|-iwithprefix x
--warning-suppression-mappings=R|-frandomize-layout-seed-file=R|-fembed-offload-object=R|-fbasic-block-sections=list=R|-fms-secure-hotpatch-functions-file=R
-Xclang -mlink-builtin-bitcode -Xclang R|-Xclang -fembed-bitcode=all|-Xclang -ast-dump|-Xclang -ast-dump=json|-Xclang -fdump-record-layouts
-Xclang -fdump-record-layouts-complete|-Xclang -ast-print|-Xclang -dump-tokens|-Xclang -Eonly|-Xclang -verify|-Xclang -code-completion-at=R:1:1
-Xclang -E -o W|-Xclang -P|-Xclang -remap-file -Xclang R;R|-Xclang -token-cache -Xclang R|-Xclang -fmodule-feature -Xclang x
-H|-v|-###|--help|--help-hidden|--version|-print-search-dirs|-print-resource-dir|-dumpmachine|-dumpversion|-print-file-name=x|--autocomplete=-f|-ccc-print-phases
-C|-CC|-P|-dM|-dD|-dI|-E|-fsyntax-only|-fdirectives-only|-frewrite-includes|-fminimize-whitespace|-fdriver-only|-fno-integrated-cc1
-Xlinker x|-Wl,-Map=W|-Wa,-a=W|-Wa,-MD,W|-Xassembler -a=W|-l x|-L F|-T R|-Xarch_host -fplugin=L|-Xarch_x86_64 -DX|-Xopenmp-target -march=x|-Xanalyzer x
-target x86_64-linux-gnu|-target nvptx64|--target=wasm32|-m32|-m64|-mx32|-arch x86_64|-march=native|-mcpu=help|-mtune=help|-print-supported-cpus
-D|-U|-I|-include|-D --|-I -- -fplugin=L|--|-- W|- |-o|-x|-Xclang|-mllvm|@|-DX=1|-std=c99|-std=nonsense|-Wall|-Werror|-O3|-g|-pthread
-fsanitize-system-ignorelist=R|-foffload-lto|-fthinlto-index=R|-fthin-link-bitcode=W|-flto=thin|-fsplit-dwarf-inlining|-Xclang -split-dwarf-file -Xclang W
-fapinotes|-iapinotes-modules F|-fapinotes-modules|-fdepfile-entry=R|-fcolor-diagnostics|-fdiagnostics-format=sarif|-fmessage-length=0|-ferror-limit=0
"""
PRINTED_BY_CLANG = [b"*** Dumping", b"TranslationUnitDecl", b"OVERVIEW:", b"*** IR Dump", b"clang version", b"Statistics Collected"]
CHOICES = [choice for line in FLAGS.strip().splitlines() for choice in line.split("|")]

PRAGMAS = [
    "#pragma clang module build made\nmodule made {}\n#pragma clang module contents\nint made;\n#pragma clang module endbuild\n",
    "#pragma clang module import made\n", "#pragma clang module load made\n", "#pragma clang module begin made\n",
    '#pragma GCC dependency "secret"\n', '#pragma comment(lib, "x")\n', "#pragma clang __debug dump x\n",
    "#pragma clang __debug module_map made\n", '#include "pipe"\n', "#include </dev/zero>\n", '#pragma include_alias("a", "pipe")\n',
]
MAIN = "#include <stdatomic.h>\natomic_int x;\nstruct s { int a; char b; };\nint main(void) { struct s s = {0}; return s.a + x; }\n"


def snapshot(folder):
    """Every file with its kind, permissions, time of change and text. Pipes are not opened."""
    seen = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            status = os.lstat(path)
            text = b""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    text = hashlib.sha256(file.read()).digest()
            elif stat.S_ISLNK(status.st_mode):
                text = os.readlink(path).encode()
            seen[path] = (status.st_mode, text, 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns)
    return seen


class Repository:
    def __init__(self, chance, root):
        self.chance, self.root = chance, root
        self.folder = os.path.join(root, "repository")
        for name in ("repository", "home", "tmp", "beside"):
            os.makedirs(os.path.join(root, name))
        self.write("beside/precious", "mine\n")
        self.write("beside/secret", f"-D{SECRET}\nfun:{SECRET}\n{SECRET}\n")
        self.write("beside/program", f"#!/bin/sh\ntouch {root}/tmp/ran\n", 0o755)
        os.mkfifo(os.path.join(self.folder, "pipe"))
        self.file = os.path.join(self.folder, "program.c")
        self.write("repository/program.c", self.source())
        for make in chance.sample([self.commands, self.flags_text, self.toml], chance.randint(1, 3)):
            make()

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.root, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def words(self):
        """Some flags, with names of files in the places that are for them."""
        beside = os.path.join(self.root, "beside")
        names = {
            "W": lambda: self.chance.choice([f"{beside}/made", f"{beside}/precious", "made", f"{self.root}/home/made", self.file]),
            "R": lambda: self.chance.choice([f"{beside}/secret", "../beside/secret"]),
            "F": lambda: self.chance.choice([beside, f"{beside}/folder", ".", f"{self.root}/home"]),
            "P": lambda: f"{self.folder}/pipe", "X": lambda: f"{beside}/program", "L": lambda: f"{beside}/program",
        }
        words = []
        for choice in self.chance.choices(CHOICES, k=self.chance.randint(1, 6)):
            for word in choice.split(" "):
                kind = next((k for k in names if word == k or word.endswith(("=" + k, "," + k, "@" + k, "B" + k))), None)
                if kind:
                    word = word[:-1] + names[kind]()
                word = word.replace("R:1:1", names["R"]() + ":1:1").replace("R;R", "a;" + names["R"]())
                words.append(word)
        if self.chance.random() < 0.2:  # torn apart
            self.chance.shuffle(words)
        return [word for word in words if word]

    def source(self):
        text = MAIN
        if self.chance.random() < 0.3:
            text = self.chance.choice(PRAGMAS) + text
        if self.chance.random() < 0.4:
            text = "// picket: flags=" + ",".join(self.words()) + "\n" + text
        return text

    def commands(self):
        words = [self.chance.choice(["cc", "gcc", "clang", f"{self.root}/beside/program", "g++", "clang-cl"])] + self.words()
        if self.chance.random() < 0.8:
            words += ["-c", "program.c"]
        entry = {"directory": self.chance.choice([self.folder, self.root, "/"]), "file": self.file}
        if self.chance.random() < 0.5:
            entry["arguments"] = words
        else:
            entry["command"] = " ".join(words)
        if self.chance.random() < 0.3:
            entry["output"] = f"{self.root}/beside/made"
        self.write("repository/compile_commands.json", json.dumps([entry]))

    def flags_text(self):
        self.write("repository/compile_flags.txt", "\n".join(self.words()) + "\n")

    def toml(self):
        self.write("repository/.picket.toml", "flags = " + json.dumps(self.words()) + "\n")


def check(picket, repository, jsonOutput, own):
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.path.join(repository.root, "home"), "LANG": "C.UTF-8",
                   "TMPDIR": os.path.join(repository.root, "tmp"), "XDG_CACHE_HOME": os.path.join(repository.root, "home")}
    command = [picket, "check", "--model", "sc", "--timeout", "20s"] + (["--format", "json"] if jsonOutput else []) + [repository.file]
    before = snapshot(repository.root)
    try:
        done = subprocess.run(command + own, cwd=repository.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return ["it waits: a pipe was opened"]
    after = snapshot(repository.root)
    problems = [f"appeared: {path}" for path in after if path not in before]
    problems += [f"vanished: {path}" for path in before if path not in after]
    problems += [f"changed: {path}" for path in after if path in before and after[path] != before[path]]
    printed = done.stdout + done.stderr
    if SECRET.encode() in printed:
        problems.append("the secret was printed")
    if done.returncode < 0 or done.returncode > 4:
        problems.append(f"exit code {done.returncode}")
    if jsonOutput and done.returncode != 2:
        try:
            json.loads(done.stdout)
        except ValueError:
            problems.append("standard output is no JSON")
    if any(text in done.stdout for text in PRINTED_BY_CLANG):
        problems.append("Clang printed something")
    return [f"{problem}\n  {' '.join(command + own)}\n{printed.decode(errors='replace')[:2000]}" for problem in problems]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("picket")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep", help="a folder for the repositories that make it fail")
    arguments = parser.parse_args()
    picket, rounds, failures = os.path.abspath(arguments.picket), 0, 0
    end = time.monotonic() + (arguments.seconds if arguments.seconds is not None else 1e9)
    while time.monotonic() < end and (arguments.rounds is None or rounds < arguments.rounds):
        chance = random.Random(arguments.seed + rounds)
        root = tempfile.mkdtemp(prefix="picket-flags-")
        repository = Repository(chance, root)
        own = repository.words() if chance.random() < 0.3 else []
        problems = check(picket, repository, chance.random() < 0.5, ["--"] + own if own else [])
        for problem in problems:
            print(f"seed {arguments.seed + rounds}: {problem}", file=sys.stderr)
        failures += bool(problems)
        rounds += 1
        if problems and arguments.keep:
            shutil.copytree(root, os.path.join(arguments.keep, f"flags-{arguments.seed + rounds - 1}"), symlinks=True,
                            ignore=shutil.ignore_patterns("pipe"), dirs_exist_ok=True)
        shutil.rmtree(root)
    print(f"flags: {rounds} repositories, {failures} failures (seed {arguments.seed})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
