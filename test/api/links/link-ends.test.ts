import { describe, expect, test } from "bun:test";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import type { TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { expectNowhere } from "../../support/server/nowhere.ts";
import { contentsOnDisk, openStage, runEach } from "../../support/server/scenario.ts";
import { refused, step } from "../../support/server/steps.ts";
import { beginSession, signIn } from "../../support/server/sign-in.ts";

const stage = openStage();

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A kind of link. */
interface Kind {
  /** How it is used. */
  readonly use: "GET /v0/presigned/" | "PUT /v0/uploads/" | "GET /v0/shared/";
  readonly prefix: string;
  /** The status of its first use, and of the next one. */
  readonly statuses: readonly [first: number, next: number];
  /** Where it is made, to a file of a drive, and what is sent for it to end after a minute. */
  readonly made: (drive_id: string, file: string, expires_at: string) => readonly [string, Json];
}

const presigned: Kind = {
  use: "GET /v0/presigned/",
  prefix: "lnk_",
  statuses: [200, 200],
  made: (_, file) => [`/v0/files/${file}/presigned-url`, { expires_in: 60 }],
};
const upload: Kind = {
  use: "PUT /v0/uploads/",
  prefix: "upl_",
  statuses: [201, 410],
  made: (drive_id) => ["/v0/upload-links", { drive_id, path: crypto.randomUUID(), expires_in: 60 }],
};
const shared: Kind = {
  use: "GET /v0/shared/",
  prefix: "shr_",
  statuses: [200, 200],
  made: (drive_id, _, expires_at) => ["/v0/links", { drive_id, path: "f.txt", expires_at }],
};

/** A drive of a client's with a file; makes links to it, by this client or by another. */
async function place(coffer: TestAppliance, { made }: Kind, client: Client, drive: string) {
  const file = await client.store(drive, "f.txt", "Hello World!");
  return async (by = client): Promise<string> => {
    const [path, body] = made(drive, file, coffer.clock.iso(MINUTE_MS));
    const { url }: { url: string } = JSON.parse((await by.send("POST", path, { body })).text);
    return url.split("/").at(-1) ?? "";
  };
}

/** The status of a link's use. */
function usedAt(coffer: TestAppliance, { use }: Kind): (token: string) => Promise<number> {
  const [method = "", path = ""] = use.split(" ");
  return (token) => coffer.client().status(method, path + token, method === "PUT" ? { body: "x" } : {});
}

describe.each([
  ["a presigned URL", presigned],
  ["a link to upload to", upload],
  ["a shared link", shared],
])("%s", (_, kind) => {
  const [ok, next] = kind.statuses;
  const use = (token: string) => usedAt(stage.coffer, kind)(token);

  test("ends when it expires, to the millisecond, and is told apart for 30 days, used or not", async () => {
    // Of a drive with an owner, which outlives its links.
    const { ada } = stage.world.clients;
    const { clock, appliance } = stage.coffer;
    const link = await place(stage.coffer, kind, ada, (await ada.makeDrive("Links")).id);
    const [used, old] = [await link(), await link()];
    clock.advance(MINUTE_MS - 1);
    expect(await use(used)).toBe(ok);
    clock.advance(1);
    expect([await use(used), await use(old)]).toEqual([410, 410]);
    const young = await link();
    clock.advance(30 * DAY_MS - 1);
    await appliance.services.sweep.run();
    expect([await use(used), await use(old), await use(young)]).toEqual([410, 410, 410]);
    clock.advance(1);
    await appliance.services.sweep.run();
    expect([await use(used), await use(old), await use(young)]).toEqual([404, 404, 410]);
  });

  test("ends with its drive, before the sweep and after", async () => {
    const own = await stage.ownDrive();
    const link = await place(stage.coffer, kind, own.client, own.id);
    const token = await link();
    await own.client.delete(`/v0/drives/${own.id}`);
    expect(await use(token)).toBe(404);
    await stage.coffer.appliance.services.sweep.run();
    expect(await use(token)).toBe(404);
  });

  test("ends when the key that made it is revoked, and not when another is", async () => {
    const own = await stage.ownDrive();
    const other = await own.client.makeKey();
    const link = await place(stage.coffer, kind, own.client, own.id);
    const by = stage.coffer.client(other.key);
    const [mine, before, after] = [await link(), await link(by), await link(by)];
    expect(await use(before)).toBe(ok);
    await own.client.delete(`/v0/keys/${other.id}`);
    expect([await use(after), await use(mine)]).toEqual([404, ok]);
  });

  test("made by somebody who is signed in outlives the session, and ends when they are shut out", async () => {
    await using coffer = await startWithAda();
    const ada = await signIn(coffer, "ada");
    const link = await place(coffer, kind, ada, (await ada.makeDrive("Notes")).id);
    const [first, second] = [await link(), await link()];
    expect(await ada.status("POST", "/auth/logout")).toBe(200);
    expect(await usedAt(coffer, kind)(first)).toBe(ok);
    // What no route does yet.
    changeDatabase(coffer.dataDir, "UPDATE user SET disabled_at = 1");
    expect(await usedAt(coffer, kind)(second)).toBe(404);
  });

  test("has a token that is in no log line and in no file, and is as it was after a restart", async () => {
    await using coffer = await startWithAda();
    const ada = await accountClient(coffer, "ada");
    const link = await place(coffer, kind, ada, (await ada.makeDrive("Notes")).id);
    const token = await link();
    expect(await usedAt(coffer, kind)(token)).toBe(ok);
    await coffer.client().send("GET", `/v0/files/${token}`);
    const heart = token.slice(kind.prefix.length);
    await expectNowhere(coffer, [heart]);
    await coffer.restart();
    await expectNowhere(coffer, [heart]);
    expect((await contentsOnDisk(coffer.dataDir)).tmp).toEqual([]);
    expect(await usedAt(coffer, kind)(token)).toBe(next);
  });

  const unknown = [kind.prefix, kind.prefix + "0".repeat(48), "x", "%00", "..%2f"];
  runEach(stage, unknown, (token) => [
    `${token} is not found`,
    step(`nobody ${kind.use}${token}`, {
      ...(kind.use.startsWith("PUT") ? { body: "x" } : {}),
      ...refused("NOT_FOUND"),
    }),
  ]);
});

type Made = Readonly<Record<"id" | "token" | "url", string>>;

/** A link that shows all of Ada's drive. */
const shownBy = (client: Client) =>
  client.post<Made>("/v0/links", { drive_id: stage.world.drives.ada, path: "/" });

describe("an address is shown again", () => {
  test("of links of every kind to people who may revoke them, and to no key", async () => {
    const { ada, dan } = stage.world.clients;
    const [hers, his] = [await shownBy(ada), await shownBy(dan)];
    const file = await ada.put(stage.world.drives.ada, "notes/shown.txt", "x");
    const download = await ada.post<Made>(`/v0/files/${file.id}/presigned-url`, {}, 200);
    const taking = await ada.post<Made>("/v0/upload-links", {
      drive_id: stage.world.drives.ada,
      path: "up.txt",
    });
    const session = (name: string) => beginSession(stage.coffer, name).browser;
    const [owner, editor, reader] = [session("ada"), session("dan"), session("carol")];
    for (const { id, url } of [hers, his, download, taking])
      expect(await owner.get<Json>(`/v0/links/${id}/url`)).toEqual({ url });
    expect(await editor.get<Json>(`/v0/links/${his.id}/url`)).toEqual({ url: his.url });
    expect(await editor.status("GET", `/v0/links/${hers.id}/url`)).toBe(404);
    expect(await reader.status("GET", `/v0/links/${his.id}/url`)).toBe(404);
    expect(await ada.status("GET", `/v0/links/${hers.id}/url`)).toBe(403);
    expect(await stage.coffer.client().status("GET", `/v0/links/${hers.id}/url`)).toBe(401);
    await ada.delete(`/v0/links/${hers.id}`);
    expect(await owner.status("GET", `/v0/links/${hers.id}/url`)).toBe(404);
  });

  test("unless it was not kept, or another secret sealed it", async () => {
    const [old, strange] = [await shownBy(stage.world.clients.ada), await shownBy(stage.world.clients.ada)];
    const { dataDir } = stage.coffer;
    changeDatabase(dataDir, `UPDATE share_link SET sealed_token = NULL WHERE id = '${old.id}'`);
    changeDatabase(dataDir, `UPDATE share_link SET sealed_token = zeroblob(80) WHERE id = '${strange.id}'`);
    const { browser } = beginSession(stage.coffer, "ada");
    for (const { id } of [old, strange]) {
      expect(await browser.status("GET", `/v0/links/${id}/url`)).toBe(404);
    }
    const { data } = await stage.world.clients.ada.get<{ data: { id: string; has_url: boolean }[] }>(
      "/v0/links",
    );
    const kept = (id: string) => data.find((link) => link.id === id)?.has_url;
    expect([kept(old.id), kept(strange.id)]).toEqual([false, true]);
    expect(await stage.coffer.client().status("GET", `/v0/shared/${old.token}`)).toBe(200);
  });
});
