import { CofferError } from "../../domain/errors.ts";
import { METADATA_BODY } from "../json/body-limits.ts";

/** The most bytes of all fields other than the content in one upload, before parsing. */
export const MAX_FIELD_BYTES = METADATA_BODY.bytes;

/** The fields that may be the content: bytes, in JSON as base64; or text; or `content` by the name that MCP gives it. */
export const CONTENT_KEYS = ["content", "text", "base64"] as const;

export type ContentKey = (typeof CONTENT_KEYS)[number];

/** The fields of an upload other than the content, not yet validated. */
export interface UploadEnvelope {
  /**
   * An object, whatever the encoding of the upload. The content's field is `""` in it if a content was streamed. One
   * that is not a string stays here as sent, for the schema to reject.
   */
  readonly fields: unknown;
  /** The name under which a content was streamed, even an empty one; null if there was none. */
  readonly contentKey: ContentKey | null;
}

/** The error for an upload whose other fields exceed `MAX_FIELD_BYTES`. */
export function fieldsTooLarge(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The fields other than the content exceed ${MAX_FIELD_BYTES} bytes. Shorten them.`,
  );
}
