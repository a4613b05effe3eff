import { readdirSync, readFileSync } from "node:fs";

/** What a process uses at a moment. Linux only. */
export interface ProcessUse {
  /** Resident memory in bytes. */
  readonly memory: number;
  /** The part of it that is in no file, in bytes: the process has written it. */
  readonly anonymous: number;
  /** Open descriptors. */
  readonly descriptors: number;
  /** Threads. */
  readonly threads: number;
  /** Time of all cores so far, in seconds. */
  readonly seconds: number;
}

export function processUse(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    memory: field("VmRSS") * 1024,
    anonymous: field("RssAnon") * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field("Threads"),
    seconds: processSeconds(pid),
  };
}

/** How much time of all cores a process has used so far, in seconds. Linux only. */
export function processSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Behind the name in parentheses: user and system time are the 12th and 13th, in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
