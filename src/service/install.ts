import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Installation } from "./description.ts";

/**
 * Writes the files of an installation, and runs its commands. Throws an Error for the operator.
 *
 * @param root where the files are put instead, and nothing is run; null for the system itself
 * @param tell is given a line for each step
 */
export async function install(
  { files, commands }: Installation,
  root: string | null,
  tell: (line: string) => void,
): Promise<void> {
  for (const { path: wanted, text, mode, isKept } of files) {
    const path = root === null ? wanted : join(root, wanted);
    if (isKept && existsSync(path)) {
      tell(`kept ${path}`);
      continue;
    }
    makeDirectory(dirname(path));
    writeFileSync(path, text, { mode });
    // Whatever the umask is, and for a file that was there.
    chmodSync(path, mode);
    tell(`wrote ${path}`);
  }
  if (root !== null) return;
  for (const { run, unless } of commands) {
    if (unless !== undefined && (await codeOf(unless)) === 0) continue;
    tell(`ran ${run.join(" ")}`);
    const code = await codeOf(run);
    if (code !== 0) throw new Error(`${run.join(" ")} ended with ${code}.`);
  }
}

/** Others may look into what is made, whatever the umask is. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
  chmodSync(path, 0o755);
}

function codeOf(command: readonly string[]): Promise<number> {
  return Bun.spawn([...command], { stdin: "ignore", stdout: "ignore", stderr: "inherit" }).exited;
}
