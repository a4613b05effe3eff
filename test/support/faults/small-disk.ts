import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Output } from "../server/executable.ts";
import { whyCannot } from "../server/skip.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

/** Why tests that need a small disk are skipped; empty if they can run. */
export const NO_SMALL_DISK = whyCannot(
  ["unshare", "-rm", "mount", "-t", "tmpfs", "none", tmpdir()],
  "tmpfs may not be mounted",
  ["unshare", "mount", "nsenter"],
);

/** A file system of a few MiB. Only processes started with its `wrapper` see it. */
export class SmallDisk implements AsyncDisposable {
  /** Where it is mounted, for those processes. */
  readonly path: string;
  /** The same directory, for this process. */
  readonly outside: string;
  /** The start of a command line that can see the disk. */
  readonly wrapper: readonly string[];
  readonly #keeper: Bun.Subprocess;
  readonly #mountPoint: AsyncDisposable;

  private constructor(path: string, keeper: Bun.Subprocess, mountPoint: AsyncDisposable) {
    this.path = path;
    this.outside = `/proc/${keeper.pid}/root${path}`;
    this.wrapper = ["nsenter", "-t", String(keeper.pid), "-U", "-m", "--preserve-credentials"];
    this.#keeper = keeper;
    this.#mountPoint = mountPoint;
  }

  static async mount(mib: number): Promise<SmallDisk> {
    const mountPoint = await temporaryDirectory();
    const script = `mount -t tmpfs -o size=${mib}m none '${mountPoint.path}' && echo mounted && exec cat`;
    const keeper = Bun.spawn(["unshare", "-rm", "sh", "-c", script], { stdin: "pipe", stdout: "pipe" });
    const said = new Output(keeper.stdout);
    if ((await said.until(/mounted/)) === null) throw new Error("the small disk could not be mounted");
    return new SmallDisk(mountPoint.path, keeper, mountPoint);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.outside);
    return bavail * bsize;
  }

  /** Fills the disk with a file of another program. */
  fill(): void {
    const file = openSync(join(this.outside, "filler"), "a");
    const bytes = new Uint8Array(64 * 1024);
    try {
      for (;;) writeSync(file, bytes);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Deletes that file. */
  clear(): void {
    rmSync(join(this.outside, "filler"));
  }

  /** Mounts it read-only. No file may be open for writing. */
  makeReadOnly(): void {
    const { success, stderr } = Bun.spawnSync([...this.wrapper, "mount", "-o", "remount,ro", this.path]);
    if (!success) throw new Error(`the disk could not be made read-only: ${stderr.toString()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#keeper.kill("SIGKILL");
    await this.#keeper.exited;
    await this.#mountPoint[Symbol.asyncDispose]();
  }
}
