/** What the browser of someone signed in keeps. */
export const SESSION_COOKIE = "coffer_session";

/**
 * As long as browsers keep cookies at all (RFC 6265bis, section 5.5), in seconds: how long a session
 * lives after its last use is for the server to say, which need not tell the browser at every use.
 */
const SESSION_COOKIE_SECONDS = 400 * 24 * 60 * 60;

/** What our tokens are made of, and nothing that a header would have to quote. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** Makes `Set-Cookie` values: for this host alone, out of scripts' reach, not sent along by other sites' forms. */
export interface Cookies {
  session(token: string): string;
  set(name: string, token: string, seconds: number): string;
  clear(name: string): string;
}

/** @param baseUrl the configured one: over https alone where it is an https URL */
export function cookiesFor(baseUrl: string | null): Cookies {
  const secure = baseUrl?.startsWith("https:") === true;
  const set = (name: string, token: string, maxAge: number) =>
    new Bun.Cookie(name, token, { path: "/", maxAge, secure, httpOnly: true, sameSite: "lax" }).serialize();
  return {
    set,
    session: (token) => set(SESSION_COOKIE, token, SESSION_COOKIE_SECONDS),
    clear: (name) => set(name, "", 0),
  };
}

/** The token in a request's cookie; null where there is none that could be one of ours. */
export function tokenIn(request: Request, name: string): string | null {
  const header = request.headers.get("cookie");
  const token = header === null ? null : new Bun.CookieMap(header).get(name);
  return token !== null && TOKEN.test(token) ? token : null;
}
