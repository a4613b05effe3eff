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

/** Milliseconds of the processor that each thread of a process has used so far. Linux only. */
export function threadTimes(pid: number): ReadonlyMap<string, number> {
  const tasks = `/proc/${pid}/task`;
  const times = new Map<string, number>();
  for (const task of readdirSync(tasks)) {
    try {
      times.set(task, Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6);
    } catch {
      // It has ended.
    }
  }
  return times;
}

/** Milliseconds of the processor that a server uses while this is done: other work on the machine changes them little. */
export async function processorTime(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = threadTimes(pid);
  await work();
  return [...threadTimes(pid)].reduce((sum, [task, ms]) => sum + ms - (before.get(task) ?? 0), 0);
}
