import type { Digest } from "../domain/contents/content.ts";
import { inParallel } from "../process/in-parallel.ts";
import { base64Of, checksumOf, type Dialect } from "./dialect.ts";
import { PassingFailure, S3Refused } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { S3ErrorReply, type S3Reply } from "./replies.ts";
import { type S3Requests, takeHead, takeXml } from "./requests.ts";
import { readXml, textOf } from "./xml.ts";

/** A store takes this many parts of one object. */
const MOST_PARTS = 10_000;
/** How many parts of one object are on their way at once. */
const AT_ONCE = 3;
/** How much is read at once to compute digests, in bytes. */
const PIECE_BYTES = 64 * 1024;
/** How long a store may take to put the parts together, in milliseconds. */
const COMPLETION_MS = 5 * 60_000;

interface PartsOptions {
  readonly requests: S3Requests;
  readonly dialect: Dialect;
  /** The name in the bucket. */
  readonly key: string;
  readonly body: Blob;
  readonly sha256: Digest;
  /** Bytes of a part, unless there would be too many. */
  readonly partBytes: number;
  /** Through which the parts of all objects go. */
  readonly gate: Gate;
}

interface Part {
  readonly number: number;
  readonly bytes: Blob;
  readonly sha256: string;
}

interface SentPart extends Pick<Part, "number" | "sha256"> {
  readonly etag: string;
}

/** Writes an object in parts. If that fails, none are left. Throws S3Refused or S3Unavailable. */
export async function putInParts(options: PartsOptions): Promise<void> {
  const upload = await PartsUpload.begin(options);
  let isDone = false;
  try {
    await upload.sendAll();
    await upload.complete();
    isDone = true;
  } finally {
    if (!isDone) await upload.abort();
  }
}

/** Aborts an upload, and removes its parts. One that is over is none. */
export async function abortUpload(requests: S3Requests, key: string, uploadId: string): Promise<void> {
  const request = { method: "DELETE", name: key, query: { uploadId } } as const;
  const answer = await requests.try(request, takeHead);
  if (answer instanceof S3ErrorReply && !answer.isMissing) throw requests.refusal(request, answer);
}

class PartsUpload {
  readonly #options: PartsOptions;
  readonly #uploadId: string;
  readonly #sent: SentPart[] = [];

  private constructor(options: PartsOptions, uploadId: string) {
    this.#options = options;
    this.#uploadId = uploadId;
  }

  static async begin(options: PartsOptions): Promise<PartsUpload> {
    const { requests, dialect, key } = options;
    const sent = { checksum: dialect.takesChecksums, condition: false };
    const headers = sent.checksum ? { "x-amz-checksum-algorithm": "SHA256" } : {};
    const request = { method: "POST", name: key, query: { uploads: "" }, headers } as const;
    const answer = await requests.try(request, takeXml);
    if (answer instanceof S3ErrorReply) {
      if (dialect.learnsFrom(answer, sent)) return PartsUpload.begin(options);
      throw requests.refusal(request, answer);
    }
    const uploadId = textOf(answer, "UploadId");
    if (uploadId === null) throw new S3Refused("The store began an upload in parts without naming it.");
    return new PartsUpload(options, uploadId);
  }

  async sendAll(): Promise<void> {
    await inParallel(this.#parts(), AT_ONCE, (part) => this.#options.gate.run(() => this.#send(part)));
  }

  /** The parts, with their digests. Throws S3Refused at the end if all together are not what the digest names. */
  async *#parts(): AsyncGenerator<Part> {
    const { body, sha256, key } = this.#options;
    const partBytes = Math.max(this.#options.partBytes, Math.ceil(body.size / MOST_PARTS));
    const whole = new Bun.CryptoHasher("sha256");
    for (let at = 0, number = 1; at < body.size; at += partBytes, number++) {
      const bytes = body.slice(at, at + partBytes);
      const hash = new Bun.CryptoHasher("sha256");
      for (let read = 0; read < bytes.size; read += PIECE_BYTES) {
        const piece = await bytes.slice(read, read + PIECE_BYTES).bytes();
        whole.update(piece);
        hash.update(piece);
      }
      yield { number, bytes, sha256: hash.digest("hex") };
    }
    if (whole.digest("hex") !== sha256)
      throw new S3Refused(`The bytes for ${key} do not match their SHA-256.`);
  }

  async #send(part: Part): Promise<void> {
    const { requests, dialect, key } = this.#options;
    const { number, bytes, sha256 } = part;
    const sent = { checksum: dialect.takesChecksums, condition: false };
    const headers = sent.checksum ? checksumOf(sha256) : {};
    const query = { partNumber: String(number), uploadId: this.#uploadId };
    const request = { method: "PUT", name: key, query, headers, body: bytes, sha256 } as const;
    const answer = await requests.try(request, takeHead);
    if (answer instanceof S3ErrorReply) {
      if (dialect.learnsFrom(answer, sent)) return this.#send(part);
      throw requests.refusal(request, answer);
    }
    const etag = answer.headers.get("etag");
    if (etag === null) throw new S3Refused("The store took a part without an ETag.");
    this.#sent.push({ number, sha256, etag });
  }

  async complete(): Promise<void> {
    const { requests, dialect, key } = this.#options;
    const sent = { checksum: dialect.takesChecksums, condition: false };
    const body = this.#list(sent.checksum);
    const request = {
      method: "POST",
      name: key,
      query: { uploadId: this.#uploadId },
      body,
      sha256: Bun.SHA256.hash(await body.bytes(), "hex"),
      answerMs: COMPLETION_MS,
    } as const;
    const answer = await requests.try(request, takeCompletion);
    if (!(answer instanceof S3ErrorReply)) return;
    if (dialect.learnsFrom(answer, sent)) return this.complete();
    // An answer that was lost is not given again.
    if (answer.code === "NoSuchUpload" && (await this.#isThere())) return;
    throw requests.refusal(request, answer);
  }

  /** An upload that cannot be aborted now is aborted later, by `abortUploads`. What failed before counts. */
  async abort(): Promise<void> {
    const { requests, key } = this.#options;
    await abortUpload(requests, key, this.#uploadId).catch(() => {});
  }

  #list(withChecksums: boolean): Blob {
    const parts = this.#sent
      .toSorted((a, b) => a.number - b.number)
      .map(({ number, etag, sha256 }) => {
        const checksum = withChecksums ? element("ChecksumSHA256", base64Of(sha256)) : "";
        return element(
          "Part",
          element("PartNumber", String(number)) + element("ETag", escaped(etag)) + checksum,
        );
      });
    return new Blob([element("CompleteMultipartUpload", parts.join(""))]);
  }

  async #isThere(): Promise<boolean> {
    const { requests, key, body } = this.#options;
    const answer = await requests.try({ method: "HEAD", name: key }, takeHead);
    return !(answer instanceof S3ErrorReply) && Number(answer.headers.get("content-length")) === body.size;
  }
}

/** The answer begins before the store has done it, so its status says nothing. */
async function takeCompletion(reply: S3Reply): Promise<void> {
  const xml = await readXml(reply.pieces());
  if (xml.name === "CompleteMultipartUploadResult") return;
  throw new PassingFailure(`the upload was not completed: ${textOf(xml, "Code") ?? xml.name}`);
}

function element(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
