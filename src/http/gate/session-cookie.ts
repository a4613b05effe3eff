import { basePathOf } from "../../domain/network/base-path.ts";

export const SESSION_COOKIE = "coffer_session";

/** The longest that browsers keep cookies (RFC 6265bis, 5.5): the server decides when a session ends. */
const SESSION_COOKIE_SECONDS = 400 * 24 * 60 * 60;

/** The characters of our tokens; a header need not quote them. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

export type Cookies = ReturnType<typeof cookiesFor>;

/**
 * Makes what makes `Set-Cookie` values: for this host and our base path only, hidden from scripts, and of an https address over
 * https.
 *
 * @param address of the server
 */
export function cookiesFor(address: string) {
  const secure = address.startsWith("https:");
  const base = basePathOf(address);
  const cookie = (name: string, token: string, options: Bun.CookieInit) =>
    new Bun.Cookie(name, token, { secure, httpOnly: true, ...options }).serialize();
  const set = (name: string, token: string, maxAge: number) =>
    cookie(name, token, { path: base || "/", maxAge, sameSite: "lax" });
  return {
    set,
    session: (token: string) => set(SESSION_COOKIE, token, SESSION_COOKIE_SECONDS),
    clear: (name: string) => set(name, "", 0),
    /** One for a single path of ours and what is below it, which no other site's page can have sent. */
    setAt: (path: string, name: string, token: string, maxAge: number) =>
      cookie(name, token, { path: base + path, maxAge, sameSite: "strict" }),
  };
}

/** The token in a request's cookie; null if there is none, or it cannot be one of ours. */
export function tokenIn(request: Request, name: string): string | null {
  const header = request.headers.get("cookie");
  const token = header === null ? null : new Bun.CookieMap(header).get(name);
  return token !== null && TOKEN.test(token) ? token : null;
}
