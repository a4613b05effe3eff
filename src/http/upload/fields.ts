import { CofferError } from "../../domain/errors.ts";

/** The most bytes of all fields other than the content in one upload, before parsing: 256 KiB. */
export const MAX_FIELD_BYTES = 256 * 1024;

/** The fields of an upload other than the content, not yet validated. */
export interface UploadEnvelope {
  /**
   * An object, whatever the encoding of the upload. `content` is `""` in it if a content was streamed. A JSON
   * `content` that is not a string stays here as sent, for the schema to reject.
   */
  readonly fields: unknown;
  /** Whether a content was streamed, even an empty one. */
  readonly hasContent: boolean;
}

/** The error for an upload whose other fields exceed `MAX_FIELD_BYTES`. */
export function fieldsTooLarge(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The fields other than the content exceed ${MAX_FIELD_BYTES} bytes. Shorten them.`,
  );
}
