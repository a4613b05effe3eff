import { OAuthError } from "./oauth-error.ts";
import { redirectTarget, requireRedirectUri } from "./redirect-uri.ts";
import { NAME_CHARACTERS } from "../limits.ts";

/** A program that asks people for access. None has a secret. */
export interface OAuthClient {
  /** The URL of its metadata document, or what it got when it registered. */
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export type ClientMetadata = Omit<OAuthClient, "id">;

const REDIRECT_URIS = 10;

/** How many registered clients are kept; beyond that the oldest that nobody let in are dropped. */
export const REGISTERED_CLIENTS = 5000;
/** How long a registration is kept in which nobody let the client in, in milliseconds. */
export const NEW_CLIENT_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** How long it is kept after the client was last let in or refreshed its access, in milliseconds. */
export const USED_CLIENT_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;

/** Reads the metadata of a client (RFC 7591, 2); what is not known is ignored. Throws OAuthError. */
export function parseClientMetadata(json: unknown): ClientMetadata {
  if (!isObject(json)) throw wrong("must be a JSON object");
  const redirectUris = textsIn(json, "redirect_uris");
  if (redirectUris === null || redirectUris.length === 0 || redirectUris.length > REDIRECT_URIS) {
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must name 1 to ${REDIRECT_URIS} URIs.`);
  }
  for (const uri of redirectUris) requireRedirectUri(uri);
  requireAmong(json, "grant_types", "authorization_code");
  requireAmong(json, "response_types", "code");
  return { name: nameIn(json) ?? redirectTarget(redirectUris[0] ?? "")?.name ?? "", redirectUris };
}

/** Control characters, line ends, and what is not seen: among it all that changes the direction of a text (UAX #9). */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A client's name as people may see it: in one line, and in the order in which it is read. */
export function shownName(name: string): string {
  return name.toWellFormed().replaceAll(/\s+/g, " ").replaceAll(UNSEEN, "").trim();
}

/** The name to show, shortened; null if there is none. */
function nameIn(json: Readonly<Record<string, unknown>>): string | null {
  const name = json["client_name"];
  if (name === undefined || name === null) return null;
  if (typeof name !== "string") throw wrong("client_name must be a text");
  // A name of a megabyte is not read whole.
  const shown = Array.from(shownName(name.slice(0, 8 * NAME_CHARACTERS)))
    .slice(0, NAME_CHARACTERS)
    .join("")
    .trim();
  return /[\p{L}\p{N}]/u.test(shown) ? shown : null;
}

function requireAmong(json: Readonly<Record<string, unknown>>, field: string, value: string): void {
  if (json[field] === undefined || json[field] === null) return;
  if (textsIn(json, field)?.includes(value) !== true) throw wrong(`${field} must include ${value}`);
}

function textsIn(json: Readonly<Record<string, unknown>>, field: string): string[] | null {
  const value = json[field];
  if (!Array.isArray(value)) return null;
  const texts = value.filter((each) => typeof each === "string");
  return texts.length === value.length ? texts : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(problem: string): OAuthError {
  return new OAuthError("invalid_client_metadata", `The client's metadata is not valid: ${problem}.`);
}
