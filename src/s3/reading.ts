import type { ByteRange } from "../domain/contents/content.ts";
import { PassingFailure, S3Refused } from "./errors.ts";
import { objectBody } from "./object-body.ts";
import { S3ErrorReply, type S3Reply } from "./replies.ts";
import type { S3Request, S3Requests } from "./requests.ts";

/** What the head of an answer says of an object. */
export interface ObjectFacts {
  /** Bytes. */
  readonly size: number;
  /** As the store writes it. */
  readonly etag: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
}

/** An object that is read. */
export interface S3Content extends Pick<ObjectFacts, "size" | "etag"> {
  /** As many bytes as `size` says; ends with S3Unavailable or S3Refused unless all of them came. */
  readonly body: ReadableStream<Uint8Array>;
  /** How many bytes the whole object has. */
  readonly total: number;
}

/**
 * Reads some bytes of an object, or all; null if there is no object, "outside" if there are no bytes in the range.
 *
 * @param key the name in the bucket
 */
export async function readObject(
  requests: S3Requests,
  key: string,
  range: ByteRange | undefined,
): Promise<S3Content | "outside" | null> {
  const request = getting(key, range);
  const answer = await requests.try(request, async (reply) => requireRange(reply, range));
  if (answer instanceof S3ErrorReply) {
    if (answer.isMissing) return null;
    if (answer.status === 416) return "outside";
    throw requests.refusal(request, answer);
  }
  const { size, etag } = factsOf(answer);
  const start = range?.start ?? 0;
  const body = objectBody({
    first: answer,
    size,
    resume: (at) => resume(requests, key, { start: start + at, end: start + size }, etag),
    failure: (cause) => requests.unavailable(request, cause),
  });
  return { body, size, etag, total: totalOf(answer, size) };
}

/** Asks for the rest of an object that was read before: the bytes of another one would not fit. */
async function resume(requests: S3Requests, key: string, range: ByteRange, etag: string): Promise<S3Reply> {
  const request = getting(key, range, { "if-match": etag });
  const answer = await requests.try(request, async (reply) => requireRange(reply, range));
  if (!(answer instanceof S3ErrorReply)) return answer;
  if (answer.status === 412 || answer.isMissing) {
    throw requests.unavailable(request, new PassingFailure("the object was replaced while it was read"));
  }
  throw requests.refusal(request, answer);
}

function getting(
  name: string,
  range: ByteRange | undefined,
  headers: Readonly<Record<string, string>> = {},
): S3Request {
  const asked = range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
  return { method: "GET", name, headers: { ...asked, ...headers } };
}

/** Returns an answer that begins where it was asked to, and throws S3Refused for another one. */
function requireRange(reply: S3Reply, range: ByteRange | undefined): S3Reply {
  const start = /^bytes (\d+)-/.exec(reply.headers.get("content-range") ?? "")?.[1];
  const isAsAsked =
    range === undefined ? reply.status === 200 : reply.status === 206 && Number(start) === range.start;
  if (isAsAsked) return reply;
  throw new S3Refused("The store does not send the bytes that it was asked for.");
}

/** How many bytes an object has of which these were sent. */
function totalOf({ headers }: S3Reply, size: number): number {
  const total = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  return total === undefined ? size : Number(total);
}

/** Throws S3Refused if the head does not say them. */
export function factsOf({ headers }: S3Reply): ObjectFacts {
  const size = headers.get("content-length");
  const etag = headers.get("etag");
  if (size === null || etag === null) throw new S3Refused("The store does not say how long its objects are.");
  return { size: Number(size), etag, modifiedAt: Date.parse(headers.get("last-modified") ?? "") };
}
