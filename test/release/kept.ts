import { addAccount } from "../support/server/accounts.ts";
import { type Agent, type Server, signUp } from "../support/server/executable.ts";
import { sessionIn } from "../support/server/sign-in.ts";
import { systemClock } from "../../src/process/clock.ts";

/** What a person and an agent have put into a store, and how to reach it. */
export interface Kept extends Agent {
  /** Ada's session, as a cookie. */
  readonly cookie: string;
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
  return {
    ...agent,
    cookie: `coffer_session=${session}`,
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

/** What everybody is answered: of large contents their hash, and nothing that says when they asked. */
export async function answersOf(server: Pick<Server, "client">, kept: Kept): Promise<Record<string, string>> {
  const { key, cookie, folderKey, shared, paths } = kept;
  const answers: Record<string, string> = {};
  const ask = async (who: string, path: string, headers: Record<string, string>) => {
    const { status, text } = await server.client().send("GET", path, { headers });
    const shown = text.length > 100_000 ? new Bun.CryptoHasher("sha256").update(text).digest("hex") : text;
    answers[`${who} ${path}`] = `${status} ${shown.replaceAll(/"(?:last_\w+|uses)":[^,}]+/g, "")}`;
  };
  for (const path of paths) await ask("ada", path, { authorization: `Bearer ${key}` });
  await ask("agent", paths[2] ?? "", { authorization: `Bearer ${folderKey}` });
  await ask("browser", "/v0/account", { cookie });
  await ask("anybody", shared, {});
  return answers;
}
