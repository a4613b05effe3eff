import {
  decodeExtraction,
  type DocumentFormat,
  type Extraction,
  EXTRACTION_LIMITS,
  type Refusal,
} from "../../domain/extraction.ts";
import { requireDescriptors } from "../../descriptors.ts";

/** How much longer than its limit a process may take before it is killed, in milliseconds. */
const GRACE_MS = 5000;

/**
 * Reads documents, each in a process of its own: a hostile one can take much time and memory, and a thread cannot be
 * kept from that. The process gets nothing but the content.
 */
export class DocumentReader {
  readonly #program: readonly string[];
  readonly #running = new Set<Bun.Subprocess>();
  #isStopped = false;

  constructor(parts: { program: readonly string[] }) {
    this.#program = parts.program;
  }

  /**
   * The text of a document. `signal` ends it early; it is refused then.
   *
   * @throws CofferError UNAVAILABLE if there are too few file descriptors for a process
   */
  async read(format: DocumentFormat, content: Blob, signal?: AbortSignal): Promise<Extraction> {
    requireDescriptors();
    if (this.#isStopped || signal?.aborted === true) return { kind: "refused", why: "time" };
    const child = Bun.spawn([...this.#program, "extract-text", format], {
      stdin: content,
      stdout: "pipe",
      stderr: "ignore",
      // Secrets of the server are in its environment.
      env: {},
    });
    this.#running.add(child);
    const kill = () => child.kill("SIGKILL");
    const timer = setTimeout(kill, EXTRACTION_LIMITS.ms + GRACE_MS);
    signal?.addEventListener("abort", kill);
    try {
      const [bytes] = await Promise.all([child.stdout.bytes(), child.exited]);
      return decodeExtraction(bytes) ?? { kind: "refused", why: whyEnded(child) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      this.#running.delete(child);
    }
  }

  /** Ends what runs; nothing more is read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const child of this.#running) child.kill("SIGKILL");
    await Promise.all(Array.from(this.#running, ({ exited }) => exited));
  }
}

/** Why a process ended without an answer. */
function whyEnded(child: Bun.Subprocess): Refusal {
  if (child.killed) return "time";
  // The kernel ends it first if the machine runs out of memory.
  return child.signalCode === "SIGKILL" ? "memory" : "damaged";
}
