import { Database } from "bun:sqlite";
import { join } from "node:path";
import { hashSecret } from "../../../src/domain/accounts/api-key.ts";
import type { TestAppliance } from "./appliance.ts";
import { type Answer, Client, type RequestOptions } from "./client.ts";

/** A signed-in user: sends the session's cookie, from a page of this server. */
export class SignedInBrowser extends Client {
  /** The `Cookie` header. */
  readonly cookie: string;
  readonly token: string;
  readonly #coffer: TestAppliance;

  constructor(coffer: TestAppliance, token: string) {
    super(coffer.appliance.url);
    this.cookie = `coffer_session=${token}`;
    this.token = token;
    this.#coffer = coffer;
  }

  /** To where the server is now: a restart can give it another address. */
  override fetch(method: string, path: string, { headers = {}, ...rest }: RequestOptions = {}) {
    const own = { cookie: this.cookie, origin: this.#coffer.appliance.url };
    return this.#coffer.client().fetch(method, path, { ...rest, headers: { ...own, ...headers } });
  }
}

/** The token in a response's `Set-Cookie`; null if no session starts. */
export function sessionIn({ headers }: Answer): string | null {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith("coffer_session="));
  return /^coffer_session=([^;]+)/.exec(line ?? "")?.[1] ?? null;
}

/** Signs in with a password. */
export async function signIn(coffer: TestAppliance, username: string, password = `${username}'s password`) {
  const answer = await coffer.client().send("POST", "/auth/login", { body: { username, password } });
  const token = sessionIn(answer);
  if (token === null) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return browserWith(coffer, token);
}

/** Signs in as each of these, one after another. */
export async function signInAll<Names extends readonly string[]>(
  coffer: TestAppliance,
  ...usernames: Names
): Promise<{ [Name in keyof Names]: SignedInBrowser }>;
export async function signInAll(coffer: TestAppliance, ...usernames: string[]): Promise<SignedInBrowser[]> {
  return Array.fromAsync(usernames, (username) => signIn(coffer, username));
}

/** Stores a session directly: hashing a password each time would take too long. */
export function beginSession(coffer: TestAppliance, username: string) {
  const { id, token } = storeSession(coffer.dataDir, username);
  return { id, browser: browserWith(coffer, token) };
}

/** Stores a session in a data directory, even while a server uses it. */
export function storeSession(dataDir: string, username: string): { id: string; token: string } {
  const [id, token] = [Bun.randomUUIDv7(), crypto.randomUUID()];
  using sql = new Database(join(dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run(
    `INSERT INTO session (id, hash, user, user_agent, created_at, last_used_at, expires_at)
     SELECT ?, ?, pk, '', 1, 1, 9e15 FROM user WHERE username = ?`,
    [id, hashSecret(token), username],
  );
  return { id, token };
}

/** A browser with this session's token. */
export function browserWith(coffer: TestAppliance, token: string): SignedInBrowser {
  return new SignedInBrowser(coffer, token);
}

/** Whether a user's session is still valid. */
export async function isSignedIn(browser: SignedInBrowser): Promise<boolean> {
  return (await browser.status("GET", "/v0/account")) === 200;
}

/** Which of these sessions are still valid. */
export function areSignedIn(...browsers: readonly SignedInBrowser[]): Promise<boolean[]> {
  return Promise.all(browsers.map(isSignedIn));
}
