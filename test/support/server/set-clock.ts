import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Preloaded into a process by `faketime`; Debian's package `libfaketime` has it. */
const LIBRARY = findLibrary();

/** Why tests that set the clock of the executable are skipped; empty if they can run. */
export const NO_FAKETIME = LIBRARY === null ? "faketime is not installed" : "";

function findLibrary(): string | null {
  if (Bun.which("faketime") === null) return null;
  const { stdout } = Bun.spawnSync(["faketime", "-f", "+0", "sh", "-c", 'echo "$LD_PRELOAD"']);
  const path = stdout.toString().trim().split(":").at(-1) ?? "";
  return path === "" ? null : path;
}

/** A clock for the executable, which can be set while that runs. */
export class ExecutableClock {
  readonly #file: string;
  /** For the executable. */
  readonly env: Readonly<Record<string, string>>;

  /** @param directory for the file that holds the clock's offset */
  constructor(directory: string) {
    this.#file = join(mkdtempSync(join(directory, "clock-")), "offset");
    this.env = {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      // Timers, and the times of files, are as they are.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
    this.setTo("+0");
  }

  /** @param offset from the machine's clock, as for `faketime -f`: `+31d` */
  setTo(offset: string): void {
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${offset}\n`);
    renameSync(draft, this.#file);
  }
}
