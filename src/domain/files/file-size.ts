import { CofferError } from "../errors.ts";

/** How long a content may be, in bytes. */
interface SizeLimits {
  readonly maxFileSize: number;
  /** The most that its drive or account can hold; null for no limit. */
  readonly room: number | null;
}

/** Throws PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED if a content has more bytes than it may have. */
export function requireFits(received: number, limits: SizeLimits): void {
  if (received > limits.maxFileSize) {
    throw new CofferError(
      "PAYLOAD_TOO_LARGE",
      `A file may have at most ${limits.maxFileSize} bytes: split it into smaller files.`,
    );
  }
  // A file of this size can never fit, so the rest of it is not read.
  if (limits.room !== null && received > limits.room) {
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `The storage limit is ${limits.room} bytes: this file alone has more. Send a smaller one, or claim the drive or change the plan for a higher limit.`,
    );
  }
}
