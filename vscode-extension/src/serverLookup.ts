// Finds the `picket` program to start, and explains why if there is none. Independent of VS Code.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export interface LookupInput {
  setting: string; // picket.server.path
  bundled: string; // where the extension has its own
  pathVariable: string; // $PATH
  home?: string;
}

export type Lookup =
  | { found: true; program: string; from: "setting" | "extension" | "path" }
  | { found: false; problem: "setting" | "nowhere"; detail: string };

export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

const programName = "picket";

/// The setting, then the extension's own, then PATH. A setting that does not name a program is an error, and is
/// not skipped: the user wants that program.
export function lookUpServer(input: LookupInput, exists: (file: string) => boolean = isProgram): Lookup {
  const setting = input.setting.trim();
  if (setting !== "") {
    const program = setting.replace(/^~(?=\/|$)/, input.home ?? os.homedir());
    // A bare name is looked for on PATH, as a shell would.
    const candidates = program.includes("/") ? [path.resolve(program)] : onPath(input.pathVariable, program);
    const found = candidates.find(exists);
    return found
      ? { found: true, program: found, from: "setting" }
      : { found: false, problem: "setting", detail: setting };
  }
  if (exists(input.bundled)) return { found: true, program: input.bundled, from: "extension" };
  const found = onPath(input.pathVariable, programName).find(exists);
  return found
    ? { found: true, program: found, from: "path" }
    : { found: false, problem: "nowhere", detail: input.bundled };
}

function onPath(variable: string, name: string): string[] {
  return variable
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name));
}

export const runtimePackages = "libclang-cpp22 libllvm22 libgvc6 libclang-common-22-dev libc6-dev";
export const installCommand = `sudo apt-get install --no-install-recommends ${runtimePackages}`;

export type Advice = "install" | "choose" | "settings" | "output" | "restart";

export interface Problem {
  message: string;
  advice: Advice[]; // buttons, the most helpful first
}

export function problemOfLookup(lookup: Extract<Lookup, { found: false }>): Problem {
  return lookup.problem === "setting"
    ? {
        message: `Picket: the setting picket.server.path names '${lookup.detail}', which is not an executable program.`,
        advice: ["settings", "choose"],
      }
    : {
        message: "Picket: the picket program was found neither in the extension nor on PATH.",
        advice: ["choose", "settings"],
      };
}

/// Why a program that is there does not answer: `output` is what it wrote when asked for its version.
export function problemOfProgram(program: string, output: string): Problem {
  const library = /error while loading shared libraries: ([^\s:]+)/.exec(output)?.[1];
  if (library)
    return {
      message: `Picket: ${program} needs ${library}, which is not installed. On Debian the packages ${runtimePackages} are needed.`,
      advice: ["install", "output"],
    };
  const line = output.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  return { message: `Picket: ${program} cannot be run${line ? `: ${line}` : "."}`, advice: ["settings", "output"] };
}

export function problemOfCrashes(count: number): Problem {
  return {
    message: `Picket: the server stopped ${count} times within a few minutes and is not started again.`,
    advice: ["restart", "output"],
  };
}
