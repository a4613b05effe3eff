import { AcmeError, quoted } from "./acme-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What authorities offer, as far as it is used (RFC 8555, 7.1.1). Addresses are not checked yet. */
export interface Directory {
  readonly newNonce: unknown;
  readonly newAccount: unknown;
  readonly newOrder: unknown;
  /** Undefined if the authority does not tell when to renew (RFC 9773). */
  readonly renewalInfo: unknown;
}

/** An order, as it stands (RFC 8555, 7.1.3). */
export interface Order {
  readonly status: string;
  readonly authorizations: readonly unknown[];
  readonly finalize: unknown;
  readonly certificate: unknown;
  /** Why it failed; null if nothing was said. */
  readonly failure: string | null;
}

/** Whether this server may have a name in a certificate (RFC 8555, 7.1.4). */
export interface Authorization {
  readonly status: string;
  /** The host name that it is for. */
  readonly name: string;
  /** The challenge that is answered by HTTP; null if there is none. */
  readonly challenge: { readonly url: unknown; readonly token: string } | null;
  /** Why it failed; null if nothing was said. */
  readonly failure: string | null;
}

/** When the authority would have a certificate renewed (RFC 9773, 4.2); milliseconds since the epoch. */
export interface SuggestedWindow {
  readonly start: number;
  readonly end: number;
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readDirectory(text: string): Directory {
  const { newNonce, newAccount, newOrder, renewalInfo } = recordIn(text);
  return { newNonce, newAccount, newOrder, renewalInfo };
}

export function readOrder(text: string): Order {
  const { status, authorizations, finalize, certificate, error } = recordIn(text);
  if (!Array.isArray(authorizations)) throw unreadable();
  return {
    status: wordIn(status),
    authorizations,
    finalize,
    certificate,
    failure: failureIn(error),
  };
}

export function readAuthorization(text: string): Authorization {
  const { status, identifier, challenges } = recordIn(text);
  if (!isRecord(identifier) || !Array.isArray(challenges)) throw unreadable();
  const found = challenges.filter(isRecord).find(({ type }) => type === "http-01");
  return {
    status: wordIn(status),
    name: quoted(wordIn(identifier["value"])),
    challenge: found === undefined ? null : { url: found["url"], token: wordIn(found["token"]) },
    failure: found === undefined ? null : failureIn(found["error"]),
  };
}

export function readSuggestedWindow(text: string): SuggestedWindow {
  const { suggestedWindow } = recordIn(text);
  if (!isRecord(suggestedWindow)) throw unreadable();
  const start = Date.parse(wordIn(suggestedWindow["start"]));
  const end = Date.parse(wordIn(suggestedWindow["end"]));
  // What ends before it begins is to be ignored (RFC 9773, 4.2).
  if (!(end >= start)) throw unreadable();
  return { start, end };
}

/** When to ask again at the earliest (RFC 9110, 10.2.3), in milliseconds since the epoch; null if nothing is said. */
export function retryAtOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const at = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function recordIn(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw unreadable(cause);
  }
  throw unreadable();
}

function wordIn(value: unknown): string {
  if (typeof value !== "string") throw unreadable();
  return value;
}

/** What a problem says that is part of an answer. */
function failureIn(problem: unknown): string | null {
  const detail = isRecord(problem) ? problem["detail"] : null;
  return typeof detail === "string" ? quoted(detail) : null;
}

function unreadable(cause?: unknown): AcmeError {
  return new AcmeError("the authority's answer cannot be read: is its address that of an ACME directory?", {
    cause,
  });
}
