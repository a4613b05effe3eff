import { OAuthError } from "./oauth-error.ts";

/** Characters. */
const LONGEST = 512;

/** Printable ASCII without those that URL parsers drop, turn into others or disagree about. */
const CHARACTERS = /^[!#-;=?-[\]_a-z~]+$/;

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?=[/?]|$)(.*)$/;

/**
 * Schemes of applications that are not a domain name in reverse, as RFC 8252 (7.1) asks for. Others are refused:
 * browsers and systems act on many, such as `javascript:`.
 */
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

/**
 * Checks a redirect URI that a client registers: https, http to the same computer, or the scheme of an application;
 * without a fragment or credentials. Throws OAuthError.
 */
export function requireRedirectUri(uri: string): void {
  if (redirectTarget(uri) !== null) return;
  throw new OAuthError(
    "invalid_redirect_uri",
    "Every redirect URI must be an https URL, an http URL of this computer (localhost, 127.0.0.1 or [::1]), or have an application's own scheme such as com.example.app:/; without a fragment or credentials.",
  );
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

/**
 * Whether a redirect URI is a registered one: compared exactly, except for the port on the same computer, which a
 * program can only choose when it starts (RFC 8252, 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  const portless = withoutPort(uri);
  return registered.some((each) => each === uri || (portless !== null && withoutPort(each) === portless));
}

/** A URI of the same computer without its port; null for others. */
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
