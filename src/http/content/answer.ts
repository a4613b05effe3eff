import { essenceOf, isCodeType, isTextType } from "../../domain/contents/media-type.ts";
import { MIB } from "../../domain/limits.ts";
import { CofferError } from "../../domain/errors.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import type { Files } from "../../services/files/files.ts";
import { etagOf, httpDate, isNotModified, rangeAllowed } from "./conditions.ts";
import { CONTAINED, contentDisposition, isInertType } from "./containment.ts";
import { heldBack, piecewise } from "./piecewise.ts";
import { redirect, type RedirectParts } from "./redirect.ts";
import type { RequestContext, Sending } from "../gate/request-context.ts";
import type { ByteRange } from "../../domain/contents/content.ts";
import { HttpRefusal } from "../gate/errors.ts";

/** Shorter contents are sent from memory: their files cannot change meanwhile. */
const MEMORY_BYTES = 64 * 1024;

/**
 * After a longer blob the connection is closed: where a file has become shorter while it is sent, the runtime takes its
 * end for that of the response, and the client would wait for the rest. For shorter ones new connections cost more.
 */
const CLOSED_BYTES = 8 * MIB;

interface ContentParts extends RedirectParts {
  readonly files: Files;
}

interface ContentRequest {
  readonly request: Request;
  readonly context: RequestContext;
  /** Whether to show it instead of saving it; only types that cannot run script are shown. */
  readonly query: { readonly inline: boolean };
}

/** To whom it is sent, after the access check. */
interface ContentReader {
  /** Whether pages of other origins may show it: not with the session of whoever looks at them. */
  readonly isForAnyPage: boolean;
  /** Asked twice a second while a long content is sent; once it says no, the connection is closed. */
  readonly mayGoOn: () => boolean;
  /** Called when content has been opened and will be sent, before any is; may throw. With it, this server sends it. */
  readonly beforeContent?: () => Promise<void>;
  /** Called when content is sent from its beginning, so not for the later parts of a download. */
  readonly onStart?: () => void;
}

/**
 * Answers with a file's content: all of it, a range, 304, or a redirect to where it is kept. It is not trusted: no
 * browser may sniff its type, nor run it in our origin. Throws FORBIDDEN, PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE.
 */
export function contentAnswer(
  parts: ContentParts,
  input: ContentRequest,
  file: FileFacts,
  reader: ContentReader,
): Response | Promise<Response> {
  const { request, context, query } = input;
  refuseAsCode(request);
  if (isNotModified(request, file))
    return new Response(null, { status: 304, headers: validatorsOf(file, reader.isForAnyPage) });
  const isHead = context.method === "HEAD";
  const wanted = isHead || !rangeAllowed(request, file) ? null : request.headers.get("range");
  const range = parseRange(wanted, file.size);
  // An address works more than once.
  const isForOnce = reader.beforeContent !== undefined;
  const { mayGoOn, onStart } = reader;
  const redirected =
    isHead || isForOnce ? null : redirect(parts, { request, context, query, file, range, mayGoOn });
  const send = () => sentFromHere(parts.files, input, file, { ...reader, range });
  if (redirected === null) return send();
  return redirected.then((response) => {
    if (response === null) return send();
    if ((range?.start ?? 0) === 0) onStart?.();
    return response;
  });
}

/** Sends a content, or a range of it if that is not null. */
function sentFromHere(
  files: Files,
  { context, query: { inline } }: ContentRequest,
  file: FileFacts,
  {
    isForAnyPage,
    mayGoOn,
    beforeContent,
    onStart,
    range,
  }: ContentReader & { readonly range: ByteRange | null },
): Response | Promise<Response> {
  const isHead = context.method === "HEAD";
  const { start, end } = range ?? { start: 0, end: file.size };
  const hasKey = (context.caller?.keyId ?? null) !== null;
  const shared = headersOf(file, { inline, isForAnyPage, hasKey });
  const hasMore = isHead || range !== null || end - start > CLOSED_BYTES;
  const headers = hasMore ? new Headers(shared) : shared;
  if (range !== null) headers.set("content-range", `bytes ${start}-${end - 1}/${file.size}`);
  if (end - start > CLOSED_BYTES) headers.set("connection", "close");
  // The runtime sets the length of what it sends itself.
  if (isHead) headers.set("content-length", String(end - start));
  if (isHead) return new Response(null, { headers });
  const init = { status: range === null ? 200 : 206, headers };
  const body = files.content(context.caller, file, range ?? undefined);
  const send = (content: Blob | ReadableStream<Uint8Array>) => {
    if (start === 0) onStart?.();
    if (!(content instanceof Blob)) {
      return streamedResponse(content, end - start, { files, file, context, mayGoOn }, init);
    }
    const check = files.runningCheck(file);
    if (check !== null) return heldResponse(content, { check, files, file, context, mayGoOn }, init);
    if (file.size > MEMORY_BYTES) context.allowSlowReader(sendingOf({ files, file, mayGoOn }));
    return new Response(content, init);
  };
  if (beforeContent === undefined) return body instanceof Promise ? body.then(send) : send(body);
  return Promise.resolve(body).then(async (content) => {
    try {
      await beforeContent();
    } catch (error) {
      // Nobody else ends it.
      if (!(content instanceof Blob)) await content.cancel();
      throw error;
    }
    return send(content);
  });
}

/** The values of `Sec-Fetch-Dest` for what a browser runs or applies (Fetch Metadata Request Headers). */
const CODE = /^(script|style|worker|sharedworker|serviceworker|audioworklet|paintworklet|xslt|object|embed)$/;

/** Our pages run code of our own origin, so no content is sent as code. Over plain http see `describeContent`. */
function refuseAsCode({ headers }: Request): void {
  if (!CODE.test(headers.get("sec-fetch-dest") ?? "")) return;
  throw new CofferError(
    "FORBIDDEN",
    "Contents are not given out as scripts, styles or plug-ins. Download the file instead.",
  );
}

/** What a client compares its copy with, and who may keep one. */
function validatorsOf(file: FileFacts, isForAnyPage: boolean): Record<string, string> {
  return {
    etag: etagOf(file.digest),
    "last-modified": httpDate(file.updatedAt),
    "cache-control": "private, no-cache",
    ...(isForAnyPage ? {} : { "cross-origin-resource-policy": "same-origin" }),
  };
}

type Sent = Readonly<Record<"inline" | "isForAnyPage" | "hasKey", boolean>>;

/** The headers of contents as programs ask for them, by the file as it was read: many requests share one. */
const usualHeaders = new WeakMap<FileFacts, Headers>();

/** The headers of a whole content. They are shared: not to be changed. */
function headersOf(file: FileFacts, sent: Sent): Headers {
  const isUsual = sent.hasKey && !sent.inline && !sent.isForAnyPage;
  const known = isUsual ? usualHeaders.get(file) : undefined;
  if (known !== undefined) return known;
  const headers = new Headers({ ...validatorsOf(file, sent.isForAnyPage), ...describeContent(file, sent) });
  if (isUsual) usualHeaders.set(file, headers);
  return headers;
}

function describeContent(file: FileFacts, sent: Sent): Record<string, string> {
  const shown = sent.inline && isInertType(file.mimeType);
  // A page can fetch contents without a key. Code among them is sent as plain text, which browsers do not run.
  const isPlain = !sent.hasKey && isCodeType(file.mimeType);
  return {
    "content-type": isPlain ? "text/plain" : shown ? shownType(file.mimeType) : file.mimeType,
    "content-disposition": contentDisposition(shown ? "inline" : "attachment", file.filename),
    "accept-ranges": "bytes",
    "repr-digest": `sha-256=:${Uint8Array.fromHex(file.digest).toBase64()}:`,
    ...CONTAINED,
  };
}

/** Adds a charset: without one a browser reads text as Windows-1252, but agents write UTF-8. */
function shownType(mimeType: string): string {
  return isTextType(mimeType) && !/charset=/i.test(mimeType)
    ? `${essenceOf(mimeType)}; charset=utf-8`
    : mimeType;
}

interface ResponseParts {
  readonly status: number;
  readonly headers: Headers;
}

interface SentContent extends Pick<ContentReader, "mayGoOn"> {
  readonly files: Files;
  readonly file: FileFacts;
}

function sendingOf({ files, file, mayGoOn }: SentContent): Sending {
  return {
    mayGoOn: () => mayGoOn() && !files.isDamaged(file),
    isCutShort: () => files.isCutShort(file),
  };
}

/** A blob whose check is still running. Its end is held back until then: wrong bytes never make a complete response. */
async function heldResponse(
  content: Blob,
  { check, ...sent }: SentContent & Pick<ContentRequest, "context"> & { readonly check: Promise<void> },
  init: ResponseParts,
): Promise<Response> {
  const { files, file, context } = sent;
  const pieces = heldBack(content, async () => {
    context.suspendIdleTimeout();
    await check;
    context.keepAlive();
    if (files.isDamaged(file)) throw new Error("the content is damaged");
  });
  return brokenOffResponse(pieces, content.size, sent, init);
}

/** Bytes that come from elsewhere while they are sent. What is wrong with them shows only then. */
function streamedResponse(
  content: ReadableStream<Uint8Array>,
  length: number,
  sent: SentContent & Pick<ContentRequest, "context">,
  init: ResponseParts,
): Promise<Response> {
  return brokenOffResponse(piecesOf(content), length, sent, init);
}

async function* piecesOf(content: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* content;
}

/** A response whose connection is broken off where its pieces fail. An error in the first piece is thrown. */
async function brokenOffResponse(
  pieces: AsyncGenerator<Uint8Array>,
  length: number,
  { context, ...sent }: SentContent & Pick<ContentRequest, "context">,
  init: ResponseParts,
): Promise<Response> {
  const body = await piecewise(pieces, { onFailure: () => context.breakOff() });
  context.allowSlowReader(sendingOf(sent));
  const headers = new Headers(init.headers);
  headers.set("content-length", String(length));
  return new Response(body, { ...init, headers });
}

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * A Range header (RFC 9110, 14.2). Null if the whole content is to be sent, as for several ranges. Throws
 * RANGE_NOT_SATISFIABLE, with Content-Range.
 */
export function parseRange(header: string | null, size: number): ByteRange | null {
  const [, first = "", last = ""] = SINGLE_RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new HttpRefusal(
    "RANGE_NOT_SATISFIABLE",
    `The range is outside the content, which has ${size} bytes. Ask for a part of these.`,
    { "content-range": `bytes */${size}` },
  );
}
