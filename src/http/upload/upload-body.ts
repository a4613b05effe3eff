import { setImmediate as nextTurn } from "node:timers/promises";
import { CofferError } from "../../domain/errors.ts";
import { METADATA_BODY, METADATA_ITEMS } from "../json/body-limits.ts";
import { requireExactNumbers } from "../json/exact-numbers.ts";
import { parseJson, withoutMark } from "../json/json-text.ts";

/**
 * Takes the next piece of the content, in order; never an empty one. The piece's memory may be reused once the promise
 * has resolved, so keep a copy, not the piece. A rejection ends the upload and is passed on to the code that reads it.
 */
export type WriteContent = (piece: Uint8Array) => Promise<void>;

/** The most bytes of all fields other than the content in one upload, before parsing. */
export const MAX_FIELD_BYTES = METADATA_BODY.bytes;

/** The fields that may be the content: bytes, in JSON as base64; or text; or `content` by the name that MCP gives it. */
export const CONTENT_KEYS = ["content", "text", "base64"] as const;

export type ContentKey = (typeof CONTENT_KEYS)[number];

/** The fields of an upload other than the content, not yet validated. */
export interface UploadEnvelope {
  /**
   * An object, whatever the encoding of the upload. The content's field is `""` in it if the content was streamed. One
   * that is not a string stays here as sent, for the schema to reject.
   */
  readonly fields: unknown;
  /** The name under which the content was streamed, even an empty one; null if there was none. */
  readonly contentKey: ContentKey | null;
}

export function fieldsTooLarge(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The fields other than the content exceed ${MAX_FIELD_BYTES} bytes. Shorten them.`,
  );
}

/**
 * The JSON value that is sent as text for metadata, where a request has no JSON around it. Throws VALIDATION_ERROR on
 * `metadata` or a number in it.
 */
export function parseMetadata(sent: string): unknown {
  const text = withoutMark(sent);
  const metadata = parseJson(text, "metadata", METADATA_ITEMS);
  requireExactNumbers(text, metadata, "metadata");
  return metadata;
}

/** How much is parsed in one turn: each escape of JSON, and each line of a form, takes as long as many other bytes. */
const TURN_BYTES = 128 * 1024;

/** A body in short chunks, between which others have their turn: what has arrived already comes without a wait. */
export async function* inTurns(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parsed = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      const piece = chunk.subarray(at, at + TURN_BYTES);
      yield piece;
      parsed += piece.length;
      if (parsed < TURN_BYTES) continue;
      parsed = 0;
      await nextTurn();
    }
  }
}
