import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageJson from "../../package.json";

const HOME = join(tmpdir(), `coffer-chromium-${packageJson.devDependencies["@sparticuz/chromium"]}`);
const EXECUTABLE = join(HOME, "chromium");

/**
 * The path of the Chromium that comes with the packages, which is unpacked by the first test that needs it.
 * Its package takes a file that another process is still writing, or has left half written, for the whole.
 */
export async function chromiumPath(): Promise<string> {
  if (await Bun.file(EXECUTABLE).exists()) return EXECUTABLE;
  const draft = await mkdtemp(`${HOME}-`);
  try {
    await unpack(draft);
    await rename(draft, HOME);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was quicker.
    if (!(await Bun.file(EXECUTABLE).exists())) throw error;
  }
  return EXECUTABLE;
}

/** In a process of its own, since the package unpacks to what is the directory for temporary files. */
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
