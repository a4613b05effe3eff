import { hasCode } from "../blobs/system-error.ts";
import { requireDescriptors } from "../process/descriptors.ts";
import { traced } from "../tracing/traced.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { Service } from "./service.ts";

/** How much longer than its limit a process may take before it is killed, in milliseconds. */
const GRACE_MS = 5000;

/** What a process has written. `isLate`: it took too long. */
interface Ended {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isLate: boolean;
}

interface Task {
  /** The command of this program, and its arguments. */
  readonly command: readonly string[];
  /** On its standard input. */
  readonly content: Blob;
  /** What the process allows itself, in milliseconds. */
  readonly ms: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts this program again, with one content in a process that gets nothing else: a hostile one can take time and
 * memory there as it likes, and bring the process down.
 */
export class OwnProcesses extends Service<{ program: readonly string[]; tracer: Tracer | null }> {
  readonly #running = new Set<Bun.Subprocess>();
  #isStopped = false;

  /**
   * What a process writes; nothing if it was ended or could not start. Rejects with UNAVAILABLE without file descriptors
   * for a process.
   */
  run(task: Task): Promise<Ended> {
    const [command = ""] = task.command;
    return traced(this.parts.tracer, command, () => this.#run(task));
  }

  async #run(task: Task): Promise<Ended> {
    requireDescriptors();
    const ended = { bytes: new Uint8Array(), isLate: false };
    if (this.#isStopped || task.signal?.aborted === true) return ended;
    const child = this.#start(task);
    if (child === null) return ended;
    this.#running.add(child);
    const kill = () => child.kill("SIGKILL");
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, task.ms + GRACE_MS);
    task.signal?.addEventListener("abort", kill);
    try {
      const [bytes] = await Promise.all([child.stdout.bytes(), child.exited]);
      return { bytes, isLate };
    } finally {
      clearTimeout(timer);
      task.signal?.removeEventListener("abort", kill);
      this.#running.delete(child);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const child of this.#running) child.kill("SIGKILL");
    await Promise.all(Array.from(this.#running, ({ exited }) => exited));
  }

  /** Null if the system has no room for a process. */
  #start({ command, content }: Task) {
    try {
      return Bun.spawn([...this.parts.program, ...command], {
        stdin: content,
        stdout: "pipe",
        stderr: "ignore",
        // Secrets of the server are in its environment.
        env: {},
      });
    } catch (error) {
      if (hasCode(error, "ENOMEM") || hasCode(error, "EAGAIN")) return null;
      throw error;
    }
  }
}
