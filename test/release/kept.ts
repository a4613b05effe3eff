import { expect } from "bun:test";
import { OAuthTestClient, tokensIn } from "../support/peers/oauth.ts";
import type { RequestOptions } from "../support/server/client.ts";
import { addAccount } from "../support/server/accounts.ts";
import { type Agent, type Server, signUp } from "../support/server/executable.ts";
import { sessionIn } from "../support/server/sign-in.ts";
import { systemClock } from "../../src/process/clock.ts";

/** What a person and an agent have put into a store, and how to reach it. */
export interface Kept extends Agent {
  /** Ada's session, as a cookie. */
  readonly cookie: string;
  /** An application that Ada let in, with what it was given. */
  readonly app: { readonly clientId: string; readonly accessToken: string; readonly refreshToken: string };
  /** The key of an agent for one folder. */
  readonly folderKey: string;
  /** A page that shows a folder to all, by its address. */
  readonly shared: string;
  /** Paths that say all that is in the store, for Ada's key. */
  readonly paths: readonly string[];
}

/** Of 20 MB, which repeat only after 256 KB. */
const LARGE = Buffer.alloc(
  20_000_000,
  Uint8Array.from({ length: 262_139 }, (_, index) => (index * index) % 251),
);

/** Puts something of every kind into a new store: what a version after this one must keep. */
export async function fill(server: Server): Promise<Kept> {
  const agent = await signUp(server, "ada");
  addAccount({ dataDir: server.dataDir, clock: systemClock }, "bob");
  const { client, drive } = agent;
  const { id: file } = await client.put(drive, "notes/plan.md", "A plan with a walrus.");
  await client.store(drive, "notes/plan.md", "A better plan with a walrus.");
  const { id: large } = await client.put(drive, "large.bin", new Uint8Array(LARGE));
  const { id: gone } = await client.put(drive, "notes/gone.md", "Gone.");
  await client.delete(`/v0/files/${gone}`);
  const { data: snapshot } = await client.post<{ data: { id: string } }>(`/v0/drives/${drive}/snapshots`, {
    name: "Before",
  });
  await client.post(`/v0/files/${file}/comments`, { text: "Why?", start_line: 1 });
  await client.post(`/v0/drives/${drive}/members`, { username: "bob", role: "reader" });
  const hook = { url: "https://example.com/hook", events: ["file.deleted"], drive_id: drive };
  const { id: webhook } = await client.post<{ id: string }>("/v0/webhooks", hook);
  const { token } = await client.post<{ token: string }>("/v0/links", { drive_id: drive, path: "notes/" });
  const ofFolder = { drive_id: drive, path_prefix: "notes/" };
  const { key: folderKey } = await client.post<{ key: string }>("/v0/keys", ofFolder);
  const login = { body: { username: "ada", password: "ada's password" } };
  const session = sessionIn(await server.client().send("POST", "/auth/login", login));
  const cookie = `coffer_session=${session}`;
  return {
    ...agent,
    cookie,
    app: await letInApp(server, cookie),
    folderKey,
    shared: `/v0/shared/${token}`,
    paths: [
      "/v0/drives",
      `/v0/files?drive_id=${drive}`,
      `/v0/files/${file}/download`,
      `/v0/files/${file}/versions`,
      `/v0/files/${file}/versions/1/download`,
      `/v0/files/${file}/comments`,
      `/v0/files/${large}/download`,
      `/v0/trash?drive_id=${drive}`,
      `/v0/drives/${drive}/snapshots/${snapshot.id}`,
      `/v0/drives/${drive}/members`,
      `/v0/webhooks/${webhook}`,
      `/v0/links?drive_id=${drive}`,
      `/v0/changes?drive_id=${drive}`,
      `/v0/search?q=walrus&drive_id=${drive}`,
      "/v0/keys",
    ],
  };
}

async function letInApp(server: Server, cookie: string): Promise<Kept["app"]> {
  const headers = { cookie, origin: server.url };
  const person = {
    send: (method: string, path: string, options: RequestOptions = {}) =>
      server.client().send(method, path, { ...options, headers }),
  };
  const app = await OAuthTestClient.register(server);
  const { access_token: accessToken, refresh_token: refreshToken } = await app.signIn(person);
  return { clientId: app.id, accessToken, refreshToken };
}

/** Gives an application new tokens for those that it had, at the end: those work no more. */
export async function expectRefreshed(server: Pick<Server, "client">, { app }: Kept): Promise<void> {
  const { clientId: client_id, refreshToken: refresh_token } = app;
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await server.client().send("POST", "/oauth/token", { body: form.toString(), headers });
  const { access_token: token } = tokensIn(answer);
  expect(await server.client(token).status("GET", "/v0/account")).toBe(200);
  expect(await server.client(app.accessToken).status("GET", "/v0/account")).toBe(401);
}

/** What everybody is answered: of large contents their hash, and nothing that says when they asked. */
export async function answersOf(server: Pick<Server, "client">, kept: Kept): Promise<Record<string, string>> {
  const { key, cookie, app, folderKey, shared, paths } = kept;
  const answers: Record<string, string> = {};
  const ask = async (who: string, path: string, headers: Record<string, string>) => {
    const { status, text } = await server.client().send("GET", path, { headers });
    const shown = text.length > 100_000 ? new Bun.CryptoHasher("sha256").update(text).digest("hex") : text;
    answers[`${who} ${path}`] = `${status} ${shown.replaceAll(/"(?:last_\w+|uses)":[^,}]+/g, "")}`;
  };
  for (const path of paths) await ask("ada", path, { authorization: `Bearer ${key}` });
  await ask("agent", paths[2] ?? "", { authorization: `Bearer ${folderKey}` });
  await ask("app", "/v0/account", { authorization: `Bearer ${app.accessToken}` });
  await ask("browser", "/v0/account", { cookie });
  await ask("anybody", shared, {});
  return answers;
}
