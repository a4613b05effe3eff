/** How many sign-ins may be in progress in one browser: their cookies are part of each of its requests. */
export const FLOWS_PER_BROWSER = 8;

/** The cookie of the sign-in with this state. Each has its own, so that those in other tabs do not end it. */
export function flowCookie(state: string): string {
  return `coffer_sign_in_${state}`;
}

/** The names of the cookies of a browser's sign-ins, oldest first: the order of RFC 6265, section 5.4. */
export function flowCookiesIn({ headers }: Request): string[] {
  const names = new Bun.CookieMap(headers.get("cookie") ?? "").keys();
  return [...names].filter((name) => /^coffer_sign_in_[\w-]{43}$/.test(name));
}
