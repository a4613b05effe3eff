import { CofferError } from "../errors.ts";
import { NAME_CHARACTERS } from "../limits.ts";

/** Error codes of OAuth: RFC 6749 (4.1.2.1 and 5.2), RFC 7591 (3.2.2) and RFC 8707 (2). */
type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** An error for an OAuth client. The message is shown as it is, as for any `CofferError`. */
export class OAuthError extends CofferError {
  readonly oauthCode: OAuthErrorCode;

  constructor(oauthCode: OAuthErrorCode, message: string) {
    super("VALIDATION_ERROR", message);
    this.oauthCode = oauthCode;
  }
}

const LONGEST = 512;

/** Printable ASCII without those that URL parsers drop, turn into others or disagree about. */
const CHARACTERS = /^[!#-;=?-[\]_a-z~]+$/;

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?=[/?]|$)(.*)$/;

/** Schemes of applications that are no reversed domain (RFC 8252, 7.1). Browsers act on others: `javascript:`. */
const APP_SCHEMES: ReadonlySet<string> = new Set([
  "claude",
  "cursor",
  "vscode",
  "vscode-insiders",
  "windsurf",
  "zed",
]);

/**
 * A domain name in reverse, from the top: `com.example.app`. Top-level domains have letters alone, or are an encoded name
 * (RFC 1123, 2.1; RFC 5891, 4.4), so `ms-msdt.x` and `search-ms.x` have not this form; each other label begins and ends
 * with a letter or digit.
 */
const REVERSE_DOMAIN = /^(?:[a-z]{2,63}|xn--[a-z0-9-]*[a-z0-9])(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** Where a redirect leads: a web site, a program on the same computer, or an application by its own scheme. */
interface RedirectTarget {
  readonly kind: "site" | "computer" | "app";
  /** The host with its port, or the scheme. */
  readonly name: string;
}

/** Where a redirect URI leads; null for one that is not allowed. */
export function redirectTarget(uri: string): RedirectTarget | null {
  if (uri.length > LONGEST || !CHARACTERS.test(uri) || uri.includes("#") || !URL.canParse(uri)) return null;
  const { protocol, host, username, password } = new URL(uri);
  // An empty user name or password leaves only its sign.
  if (username !== "" || password !== "" || /^[^/]*\/\/[^/?]*@/.test(uri)) return null;
  if (LOOPBACK.test(uri)) return { kind: "computer", name: host };
  if (protocol === "https:") return uri.startsWith("https://") ? { kind: "site", name: host } : null;
  const scheme = protocol.slice(0, -1);
  const isApp = uri.startsWith(`${protocol}/`) && (APP_SCHEMES.has(scheme) || REVERSE_DOMAIN.test(scheme));
  return isApp ? { kind: "app", name: scheme } : null;
}

/** Compared exactly, but for the port on the same computer, which a program chooses at its start (RFC 8252, 7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const portless = withoutPort(uri);
  return registered.some((each) => each === uri || (portless !== null && withoutPort(each) === portless));
}

function withoutPort(uri: string): string | null {
  const [, host, rest] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? null : `${host}${rest ?? ""}`;
}

/** The redirect URI with parameters added to its query, which otherwise stays as it is. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) added.set(name, value);
  return `${uri}${uri.includes("?") ? "&" : "?"}${added.toString()}`;
}

/** A program that asks people for access. None has a secret. */
export interface OAuthClient {
  /** The URL of its metadata document, or what it got when it registered. */
  readonly id: string;
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
  if (redirectUris.some((uri) => redirectTarget(uri) === null)) {
    throw new OAuthError(
      "invalid_redirect_uri",
      "Every redirect URI must be an https URL, an http URL of this computer (localhost, 127.0.0.1 or [::1]), or have an application's own scheme such as com.example.app:/; without a fragment or credentials.",
    );
  }
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
