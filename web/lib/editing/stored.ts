import { asApiError, ask, isPassing } from "../api/api.ts";
import { randomKey } from "../api/random-key.ts";
import type { FileRecord } from "../api/types.ts";
import { downloadAddress, etagOf } from "../files.ts";
import { canBeLaidOut } from "./layout.ts";
import { EDITABLE_BYTES } from "./limits.ts";
import { type ReadText, readText, writeText } from "./text-format.ts";

/** A text as it stands on the server. */
export interface StoredText extends ReadText {
  /** The ETag of its content, without quotes; null where nothing stands there yet. */
  readonly etag: string | null;
}

/** Why the content of a file cannot be edited. */
export type Unreadable = "too-large" | "no-text" | "too-complex";

/** Reads the text of a file, or why it cannot be edited. */
export async function readStored(file: FileRecord, signal?: AbortSignal): Promise<StoredText | Unreadable> {
  if (file.size > EDITABLE_BYTES) return "too-large";
  const address = `${downloadAddress(file.id)}?inline=1`;
  // It may have changed since: the answer says which content it is.
  const response = await ask(address, { cache: "no-store", ...(signal === undefined ? {} : { signal }) });
  const etag = response.headers.get("etag")?.replaceAll('"', "") ?? etagOf(file.content_hash);
  const read = readText(new Uint8Array(await response.arrayBuffer()));
  if (read === null) return "no-text";
  return canBeLaidOut(read.text) ? { ...read, etag } : "too-complex";
}

/** Where a text is written to. */
export interface WritePlace {
  /** The drive's id. */
  readonly drive: string;
  readonly path: string;
}

/** Writes texts. What got no answer is sent again as the same request, so that it changes nothing twice. */
export class TextWriter {
  #unanswered: { readonly said: string; readonly key: string } | null = null;

  /**
   * Writes a text to a place where the content of its ETag stands, or nothing if that is null. The type of a file stays.
   *
   * @throws ApiError with status 412 where something else stands there
   */
  async write({ drive, path }: WritePlace, { etag, ...text }: StoredText): Promise<FileRecord> {
    const said = JSON.stringify([path, etag, text]);
    const key = this.#unanswered?.said === said ? this.#unanswered.key : randomKey();
    this.#unanswered = { said, key };
    try {
      const response = await ask(`/v0/files?${new URLSearchParams({ drive_id: drive, path })}`, {
        method: "PUT",
        headers: {
          // Says nothing about the type.
          "content-type": "application/octet-stream",
          "idempotency-key": key,
          ...(etag === null ? { "if-none-match": "*" } : { "if-match": `"${etag}"` }),
        },
        body: writeText(text),
      });
      this.#unanswered = null;
      return JSON.parse(await response.text());
    } catch (error) {
      if (!isPassing(asApiError(error))) this.#unanswered = null;
      throw error;
    }
  }
}
