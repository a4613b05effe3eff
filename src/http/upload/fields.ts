import { CofferError } from "../../domain/errors.ts";

/** Bytes that everything beside the content may take in one upload, before it is parsed: 256 KiB. */
export const MAX_FIELD_BYTES = 256 * 1024;

/** What an upload carries beside its content, still to be validated against a schema. */
export interface UploadEnvelope {
  /**
   * An object, whatever the encoding of the upload. `content` is `""` in it when a content was
   * streamed; a JSON content of another type stays here as it came, for the schema to refuse.
   */
  readonly fields: unknown;
  /** Whether a content was streamed; an empty one counts, one that is not a string does not. */
  readonly hasContent: boolean;
}

/** The refusal of an upload whose other fields pass `MAX_FIELD_BYTES`. */
export function fieldsTooLarge(): CofferError {
  return new CofferError("PAYLOAD_TOO_LARGE", `The fields beside the content pass ${MAX_FIELD_BYTES} bytes.`);
}
