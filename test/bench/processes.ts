import { readdirSync, readFileSync } from "node:fs";

/** A process and all that it started, directly and indirectly. Linux only. */
export function processesOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processesOf)];
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).flatMap((task) =>
      readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // It has ended.
    return [];
  }
}

/**
 * MB that a process and all that it started hold (`VmRSS`), what of it is their own (`RssAnon`: not read from a file, as
 * the pages of an executable are, which the system drops when it needs them), or what they held at most so far (`VmHWM`).
 */
export function memoryOf(pid: number, field: "VmRSS" | "RssAnon" | "VmHWM"): number {
  const kib = processesOf(pid).map((each) => {
    const status = readFileSync(`/proc/${each}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
  });
  return (kib.reduce((sum, each) => sum + each, 0) * 1024) / 1e6;
}
