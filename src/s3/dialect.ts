import type { S3ErrorReply } from "./replies.ts";

/** What a request had that not every store takes. */
interface Special {
  readonly checksum: boolean;
  readonly condition: boolean;
}

/** What a store takes of what not every store does: it is found out by use, and remembered. */
export class Dialect {
  /** Whether it takes `x-amz-checksum-sha256`. The signed digest of a body is checked by every store. */
  takesChecksums = true;
  /** Whether it keeps to `If-None-Match: *` when it writes. Some ignore that without a word. */
  conditions: "unknown" | "kept" | "ignored" = "unknown";

  /** Learns from an error to a request. Returns whether to send it again, without what the store does not take. */
  learnsFrom({ status, code, message, isMismatch }: S3ErrorReply, sent: Special): boolean {
    // A checksum that does not match was taken.
    if (isMismatch || (status !== 501 && status !== 400)) return false;
    const says = (word: RegExp) => word.test(message);
    // A list of parts with checksums is malformed to some.
    if (sent.checksum && (says(/checksum/i) || code === "MalformedXML")) {
      this.takesChecksums = false;
    } else if (sent.condition && (status === 501 || says(/none-match/i))) {
      this.conditions = "ignored";
    } else if (sent.checksum && status === 501) {
      this.takesChecksums = false;
    } else {
      return false;
    }
    return true;
  }
}

/** The header by which a store checks a body, and keeps what it found. @param sha256 in hex */
export function checksumOf(sha256: string): Readonly<Record<string, string>> {
  return { "x-amz-checksum-sha256": base64Of(sha256) };
}

/** A digest in hex as it stands in headers and XML. */
export function base64Of(sha256: string): string {
  return Buffer.from(sha256, "hex").toString("base64");
}
