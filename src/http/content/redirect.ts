import type { ByteRange } from "../../domain/contents/content.ts";
import { essenceOf, isActiveType, UNKNOWN_TYPE } from "../../domain/contents/media-type.ts";
import { notFound } from "../../domain/errors.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import type { Redirects } from "../../services/contents/redirects.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { contentDisposition, isInertType } from "./containment.ts";

export interface RedirectParts {
  readonly redirects: Redirects;
  readonly linkBase: LinkBase;
}

interface Asked {
  readonly request: Request;
  readonly context: RequestContext;
  readonly query: { readonly inline: boolean };
  readonly file: FileFacts;
  /** Null for the whole content. */
  readonly range: ByteRange | null;
  /** Whether the content may still be sent. */
  readonly mayGoOn: () => boolean;
}

/**
 * Sends the client to the store where a content is kept; null if this server sends it. All that this server compares and
 * counts was, or is, compared and counted here. Throws DamagedFile, UNAVAILABLE, and NOT_FOUND once it may not be sent.
 */
export function redirect(
  { redirects, linkBase }: RedirectParts,
  asked: Asked,
): Promise<Response | null> | null {
  if (!redirects.isOn || !mayLeave(asked)) return null;
  const { context, file, mayGoOn } = asked;
  const range = asked.range ?? { start: 0, end: file.size };
  const signed = redirects.addressOf(file, range, sentAs(file));
  if (signed === null) return null;
  return signed.then(async (address) => {
    if (!isElsewhere(address, [linkBase(context), context.usedAddress])) return null;
    await redirects.leave(context.caller, file, range);
    if (!mayGoOn()) throw notFound("file");
    const headers = { location: address, "cache-control": "no-store", "referrer-policy": "no-referrer" };
    return new Response(null, { status: 307, headers });
  });
}

/** Clients send them again to the store, which would compare them with an ETag and a date of its own. */
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"];

/**
 * Whether the answer can come from a store, which says nothing of what a browser may do with it: it is saved and not
 * shown, and no browser would run it, whatever becomes of what the address says of it.
 */
function mayLeave({ request, query, file, range }: Asked): boolean {
  const { headers } = request;
  if (query.inline || isActiveType(file.mimeType) || isOfPage(request) || takesKeyAlong(request))
    return false;
  if (CONDITIONS.some((name) => headers.has(name))) return false;
  // Of several ranges this server sends the whole content, and stores send what they like.
  return range !== null || !headers.has("range");
}

/** Whether a page asks, which may not read what comes from elsewhere. Programs, and people who save, go anywhere. */
function isOfPage({ headers }: Request): boolean {
  if (headers.has("origin")) return true;
  // Some programs send the mode alone.
  return headers.has("sec-fetch-site") && headers.get("sec-fetch-mode") !== "navigate";
}

/** Programs that send all their headers on to wherever they are led. A store would see the key, and refuse two at once. */
const CARRIERS = /^(wget|python-urllib)/i;

function takesKeyAlong({ headers }: Request): boolean {
  return headers.has("authorization") && CARRIERS.test(headers.get("user-agent") ?? "");
}

/** What the store is to say of a content: that it is to be saved, and a type in whose place no browser looks for another. */
function sentAs({ filename, mimeType }: FileFacts) {
  return {
    "cache-control": "private, no-cache",
    "content-disposition": contentDisposition("attachment", filename),
    "content-type": isInertType(mimeType) ? essenceOf(mimeType) : UNKNOWN_TYPE,
  };
}

/**
 * Whether an address has another host than this server, to which clients send neither key nor cookies: cookies go to all
 * ports of a host, and some programs send keys to the hosts below it. Nor may it be less secure.
 */
function isElsewhere(address: string, own: readonly (string | null)[]): boolean {
  const store = new URL(address);
  return own.every((base) => {
    if (base === null) return true;
    const { hostname, protocol } = new URL(base);
    const isOurs = `.${store.hostname}`.endsWith(`.${hostname}`);
    return !isOurs && (protocol === "http:" || store.protocol === "https:");
  });
}
