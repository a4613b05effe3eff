import { readFileSync } from "node:fs";
import { eventually } from "../server/scenario.ts";

/** Resolves once a process has been stopped, as by SIGSTOP. Linux only. */
export function isStopped({ pid }: Bun.Subprocess): Promise<void> {
  return eventually(() => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
}
