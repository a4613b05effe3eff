import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageJson from "../../../package.json";

const HOME = join(tmpdir(), `coffer-chromium-${packageJson.devDependencies["@sparticuz/chromium"]}`);
const EXECUTABLE = join(HOME, "chromium");

/**
 * The path of the Chromium from the packages. The first test that needs it unpacks it. The package itself would use a file
 * that another process is still writing, or has left incomplete.
 */
export async function chromiumPath(): Promise<string> {
  if (await Bun.file(EXECUTABLE).exists()) return EXECUTABLE;
  const draft = await mkdtemp(`${HOME}-`);
  try {
    await unpack(draft);
    await rename(draft, HOME);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!(await Bun.file(EXECUTABLE).exists())) throw error;
  }
  return EXECUTABLE;
}

/** In a separate process: the package unpacks to the directory for temporary files. */
async function unpack(directory: string): Promise<void> {
  const script = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    cwd: import.meta.dir,
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`Chromium was not unpacked: ${stderr}`);
}
