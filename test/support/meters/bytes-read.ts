import { readFileSync } from "node:fs";

/** Why tests that count what is read are skipped; empty where they can run. */
export const NO_READ_COUNT = bytesRead() === null ? "there is no /proc/self/io" : "";

/** Bytes this process has read from files so far (proc_pid_io(5)); null where that is not told. */
export function bytesRead(): number | null {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1]);
  } catch {
    return null;
  }
}
