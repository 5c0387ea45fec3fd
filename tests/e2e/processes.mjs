// Processes of the extension's own picket, as /proc shows them.
import { readdirSync, readFileSync } from "node:fs";

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return []; // it has ended
  }
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), time: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return { parent: 0, time: 0 };
  }
}

/** The language servers that run from a folder of extensions, and their workers, the one that worked most first. */
export function workersAndServers(folder) {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const servers = pids.filter((pid) => {
    const [program, verb] = commandLine(pid);
    return program?.startsWith(`${folder}/`) && verb === "lsp";
  });
  const workers = pids
    .filter((pid) => commandLine(pid)[1] === "worker" && servers.includes(statOf(pid).parent))
    .sort((one, other) => statOf(other).time - statOf(one).time);
  return { servers, workers };
}
