import { decodeExtraction, EXTRACTION_LIMITS } from "../../domain/contents/extraction.ts";
import type { DocumentFormat, Reading } from "../../domain/contents/extraction.ts";
import type { OwnProcesses } from "../own-processes.ts";
import { Service } from "../service.ts";

/** Reads documents, each in a process of its own. */
export class DocumentReader extends Service<{ ownProcesses: OwnProcesses }> {
  /** The text of a document. `signal` ends it early. Throws UNAVAILABLE without file descriptors for a process. */
  async read(format: DocumentFormat, content: Blob, signal?: AbortSignal): Promise<Reading> {
    const { bytes, isLate } = await this.parts.ownProcesses.run({
      command: ["extract-text", format],
      content,
      ms: EXTRACTION_LIMITS.ms,
      signal,
    });
    return decodeExtraction(bytes) ?? (isLate ? { kind: "refused", why: "time" } : { kind: "ended" });
  }
}
