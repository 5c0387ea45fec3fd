// Processes as /proc shows them.
import { readdirSync, readFileSync } from "node:fs";

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined; // it has ended
  }
}

/** All processes below this one, zombies included. */
export function descendants(root) {
  const parents = new Map();
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : undefined;
    if (stat) parents.set(Number(entry), stat.parent);
  }
  const found = [];
  const below = (pid) => {
    for (const [child, parent] of parents) {
      if (parent !== pid) continue;
      found.push(child);
      below(child);
    }
  };
  below(root);
  return found;
}

export function isZombie(pid) {
  return statOf(pid)?.state === "Z";
}

export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/** Zombies do not run any more. */
export function alive(pid) {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== "Z";
}

/** The processes of a server that check. */
export function workersOf(server) {
  return descendants(server).filter((pid) => commandLine(pid)[1] === "worker");
}

/** How long a process has used the processor, in hundredths of a second. */
export function ticksOf(pid) {
  return statOf(pid)?.ticks ?? 0;
}

/** Resident memory in megabytes. */
export function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
