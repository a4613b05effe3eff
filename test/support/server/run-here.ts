import { runCli } from "../../../src/commands/cli.ts";
import type { Ended } from "./executable.ts";

/** Runs a command in this process, as `run` does with the executable. It must not read standard input. */
export async function runHere(args: readonly string[], dataDir?: string): Promise<Ended> {
  const written = { out: "", err: "" };
  const code = await runCli([...args, ...(dataDir === undefined ? [] : ["--data-dir", dataDir])], {
    isTerminal: false,
    out: (line) => void (written.out += `${line}\n`),
    err: (line) => void (written.err += `${line}\n`),
    progress: () => {},
    dropUnread: () => {},
    outBytes: () => Promise.reject(new Error("these bytes are for no terminal")),
    finish: () => Promise.resolve(),
  });
  return { code, stdout: written.out, stderr: written.err };
}
