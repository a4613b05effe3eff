export const SESSION_COOKIE = "coffer_session";

/**
 * The longest that browsers keep cookies (RFC 6265bis, section 5.5), in seconds. The server decides when a session
 * ends, so the cookie need not be set again at every use.
 */
const SESSION_COOKIE_SECONDS = 400 * 24 * 60 * 60;

/** The characters of our tokens; a header need not quote them. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** Makes `Set-Cookie` values: for this host only, hidden from scripts, not sent with other sites' forms. */
export interface Cookies {
  session(token: string): string;
  set(name: string, token: string, seconds: number): string;
  clear(name: string): string;
  /** One for a single path and what is below it, which no other site's page can have sent. */
  setAt(path: string, name: string, token: string, seconds: number): string;
}

/** @param baseUrl the configured one; if it is an https URL, cookies are sent over https only */
export function cookiesFor(baseUrl: string | null): Cookies {
  const secure = baseUrl?.startsWith("https:") === true;
  const set = (name: string, token: string, maxAge: number) =>
    new Bun.Cookie(name, token, { path: "/", maxAge, secure, httpOnly: true, sameSite: "lax" }).serialize();
  return {
    set,
    session: (token) => set(SESSION_COOKIE, token, SESSION_COOKIE_SECONDS),
    clear: (name) => set(name, "", 0),
    setAt: (path, name, token, maxAge) =>
      new Bun.Cookie(name, token, { path, maxAge, secure, httpOnly: true, sameSite: "strict" }).serialize(),
  };
}

/** The token in a request's cookie; null if there is none, or it cannot be one of ours. */
export function tokenIn(request: Request, name: string): string | null {
  const header = request.headers.get("cookie");
  const token = header === null ? null : new Bun.CookieMap(header).get(name);
  return token !== null && TOKEN.test(token) ? token : null;
}
