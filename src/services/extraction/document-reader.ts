import { hasCode } from "../../blobs/system-error.ts";
import type { DocumentFormat, Reading } from "../../domain/contents/extraction.ts";
import { decodeExtraction, EXTRACTION_LIMITS } from "../../domain/contents/extraction.ts";
import { requireDescriptors } from "../../process/descriptors.ts";
import { Service } from "../service.ts";

/** How much longer than its limit a process may take before it is killed, in milliseconds. */
const GRACE_MS = 5000;

/** Reads documents, each in a process that gets nothing else: a hostile one can take time and memory as it likes. */
export class DocumentReader extends Service<{ program: readonly string[] }> {
  readonly #running = new Set<Bun.Subprocess>();
  #isStopped = false;

  /** The text of a document. `signal` ends it early. Throws UNAVAILABLE without file descriptors for a process. */
  async read(format: DocumentFormat, content: Blob, signal?: AbortSignal): Promise<Reading> {
    requireDescriptors();
    if (this.#isStopped || signal?.aborted === true) return { kind: "ended" };
    const child = this.#start(format, content);
    if (child === null) return { kind: "ended" };
    this.#running.add(child);
    const kill = () => child.kill("SIGKILL");
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, EXTRACTION_LIMITS.ms + GRACE_MS);
    signal?.addEventListener("abort", kill);
    try {
      const [bytes] = await Promise.all([child.stdout.bytes(), child.exited]);
      return decodeExtraction(bytes) ?? (isLate ? { kind: "refused", why: "time" } : { kind: "ended" });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      this.#running.delete(child);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const child of this.#running) child.kill("SIGKILL");
    await Promise.all(Array.from(this.#running, ({ exited }) => exited));
  }

  /** Null if the system has no room for a process. */
  #start(format: DocumentFormat, content: Blob) {
    try {
      return Bun.spawn([...this.parts.program, "extract-text", format], {
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
