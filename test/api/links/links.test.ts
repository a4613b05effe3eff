import { describe, expect, test } from "bun:test";
import type { LinkRecord } from "../../../src/http/records/link-schemas.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { openStage, runEach, runAfter, runScenarios } from "../../support/server/scenario.ts";
import { invalid, refused, refuses, type Step, step, wrongBodies } from "../../support/server/steps.ts";

const stage = openStage({ "base-url": "https://drive.test" });

const DAY_MS = 24 * 60 * 60 * 1000;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Made = Readonly<Record<"id" | "token" | "url", string>>;
type Page = { readonly data: readonly LinkRecord[]; readonly next_cursor: string | null };

function make(body: { [name: string]: Json } = {}, more: Partial<Step> = {}): Step {
  return step("POST /v0/links", {
    body: { drive_id: "{drive}", path: "notes/", ...body },
    status: 201,
    json: { token: expect.stringMatching(/^shr_/) },
    keeps: "link",
    ...more,
  });
}

const folder: Step = step("POST /v0/folders", {
  body: { drive_id: "{drive}", path: "notes/" },
  status: 201,
  json: { path: "notes/" },
});

/** A drive of one's own with `notes/a.txt`, and a link of every kind. */
async function everyKind() {
  const own = await stage.ownDrive();
  const { client, id: drive_id } = own;
  const file = await client.put(drive_id, "notes/a.txt", "Hello World!");
  const share = (body: { [name: string]: Json }) => client.post<Made>("/v0/links", { drive_id, ...body });
  const toFolder = await share({ path: "notes/" });
  const toFile = await share({ path: "notes/a.txt" });
  const presigned = await client.post<Made>(`/v0/files/${file.id}/presigned-url`, {}, 200);
  const upload = await client.post<Made>("/v0/upload-links", { drive_id, path: "in/b.txt" });
  return { ...own, file: file.id, toFolder, toFile, presigned, upload };
}

function listed(client: Client, query = ""): Promise<Page> {
  return client.get<Page>(`/v0/links${query}`);
}

/** What makes a link to something in Ada's drive. */
const toNotes = (path = "notes/") => ({ drive_id: stage.world.drives.ada, path });
const linkOf = (client: Client) => client.post<Made>("/v0/links", toNotes());
const askForLink = (client: Client, path?: string) =>
  client.status("POST", "/v0/links", { body: toNotes(path) });

/** What somebody with a link gets. */
async function statusOf({ token }: Made): Promise<number> {
  return await stage.coffer.client().status("GET", `/v0/shared/${token}`);
}

describe("making one", () => {
  const facts = {
    id: expect.stringMatching(ID),
    drive_id: "{drive}",
    has_password: false,
    one_time: false,
    used_at: null,
    uses: 0,
    last_used_at: null,
    created_by: { type: "key", id: expect.stringMatching(ID) },
  };
  const wrong = wrongBodies({
    // The past, more than 366 days, and a day that is none.
    expires_at: ["2029-12-31T23:59:59Z", "2031-01-03T00:00:00Z", "2030-02-30"],
    password: ["abc", "x".repeat(1025), 12345678],
    path: ["a\u0000b"],
  });
  runAfter(stage, [folder], {
    "to a folder, for a week by default": make(
      {},
      {
        json: {
          ...facts,
          kind: "folder",
          path: "notes/",
          url: expect.stringMatching(/^https:\/\/drive\.test\/s\/shr_[0-9a-f]{48}$/),
          token: expect.stringMatching(/^shr_[0-9a-f]{48}$/),
          expires_at: "2030-01-08T00:00:00.000Z",
        },
      },
    ),
    "to a folder without the slash at its end": make(
      { path: "notes" },
      { json: { kind: "folder", path: "notes/" } },
    ),
    "to the whole drive": make({ path: "/" }, { json: { ...facts, kind: "folder", path: "" } }),
    "for a year, with a password": make(
      { expires_at: "2031-01-01T00:00:00Z", password: "open sesame" },
      { json: { has_password: true, expires_at: "2031-01-01T00:00:00.000Z" } },
    ),
    "to what is not there": make({ path: "none" }, refused("NOT_FOUND")),
    "to a folder that is not there": make({ path: "none/" }, refused("NOT_FOUND")),
  });
  runEach(stage, wrong, ([body, field]) => [
    `${JSON.stringify(body).slice(0, 40)} is refused`,
    folder,
    make(body, invalid(field)),
  ]);
});

describe("the list", () => {
  test("has links of every kind, newest first, without their tokens, and what was used of them", async () => {
    const { client, id, file, toFolder, toFile, presigned, upload } = await everyKind();
    const once = await client.post<Made>(`/v0/files/${file}/presigned-url`, { one_time: true }, 200);
    await stage.coffer.client().send("GET", `/v0/presigned/${once.token}`);
    const { data, next_cursor } = await listed(client, `?drive_id=${id}`);
    const unused = { drive_id: id, used_at: null, uses: 0, last_used_at: null };
    const ofFile = { kind: "presigned", path: "notes/a.txt" };
    expect(data).toMatchObject([
      { ...ofFile, id: once.id, one_time: true, used_at: expect.any(String), uses: 1 },
      { ...unused, id: upload.id, kind: "upload", path: "in/b.txt", one_time: true },
      { ...unused, ...ofFile, id: presigned.id, one_time: false },
      { ...unused, id: toFile.id, kind: "file" },
      { ...unused, id: toFolder.id, kind: "folder" },
    ]);
    expect(next_cursor).toBeNull();
    expect(JSON.stringify(data)).not.toMatch(/(shr|lnk|upl)_/);
  });

  test("page by page, of several drives together, gives each link once", async () => {
    const { ada } = stage.world.clients;
    const before = (await listed(ada)).data.length;
    for (const name of ["One", "Two", "Three"]) {
      const drive = await ada.makeDrive(name);
      for (let each = 0; each < 6; each += 1) {
        stage.coffer.clock.advance(1);
        await ada.post("/v0/links", { drive_id: drive.id, path: "/" });
      }
    }
    const all = (await listed(ada, "?limit=1000")).data.map(({ id }) => id);
    expect(all).toHaveLength(before + 18);
    expect(all).toEqual(all.toSorted().toReversed());
    const pages = await ada.pages<Page>("/v0/links?limit=5");
    const found = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(found).toEqual(all);
  });

  test("shows where a file is now, and counts uses at once", async () => {
    const { client, id, file, presigned } = await everyKind();
    await client.post(`/v0/files/${file}/move`, { destination_path: "moved.txt" }, 200);
    const get = (headers = {}) =>
      stage.coffer.client().send("GET", `/v0/presigned/${presigned.token}`, { headers });
    await get();
    await get({ range: "bytes=0-2" });
    // Not the beginning, and not the content.
    await get({ range: "bytes=3-" });
    await stage.coffer.client().send("HEAD", `/v0/presigned/${presigned.token}`);
    const uses = async () => {
      const { data } = await listed(client, `?drive_id=${id}`);
      return data.find((link) => link.id === presigned.id);
    };
    expect(await uses()).toMatchObject({ path: "moved.txt", uses: 2, last_used_at: expect.any(String) });
    await stage.coffer.appliance.services.linkUses.flush();
    await get();
    await stage.coffer.appliance.services.linkUses.flush();
    await stage.coffer.appliance.services.linkUses.flush();
    expect(await uses()).toMatchObject({ uses: 3 });
    const stored = "SELECT uses FROM presigned_link WHERE id = ?";
    expect(rowsIn(stage.coffer.dataDir, stored, presigned.id)).toEqual([[3]]);
  });

  runScenarios(stage, {
    "with a cursor that is none": refuses("GET /v0/links?cursor=x", "VALIDATION_ERROR", "cursor"),
  });
});

test("revoking ends links of every kind at once, for those who see them, and the feed tells by whom", async () => {
  const { client, id, toFolder, toFile, presigned, upload } = await everyKind();
  expect(await stage.world.clients.ada.status("DELETE", `/v0/links/${toFile.id}`)).toBe(404);
  for (const link of [toFile, presigned, upload, toFolder]) {
    expect(await client.delete<Json>(`/v0/links/${link.id}`)).toEqual({ id: link.id, revoked: true });
    expect(await client.status("DELETE", `/v0/links/${link.id}`)).toBe(404);
  }
  expect(await client.status("DELETE", "/v0/links/nonsense")).toBe(404);
  expect((await listed(client, `?drive_id=${id}`)).data).toEqual([]);
  const anybody = stage.coffer.client();
  expect([
    await statusOf(toFolder),
    await statusOf(toFile),
    await anybody.status("GET", `/v0/presigned/${presigned.token}`),
    await anybody.status("PUT", `/v0/uploads/${upload.url.split("/").at(-1)}`, { body: "x" }),
  ]).toEqual([404, 404, 404, 404]);
  const { data } = await client.get<{ data: { type: string }[] }>(`/v0/changes?drive_id=${id}`);
  // Only of links that show something.
  const by = { type: "key", name: "Provisioned with the drive" };
  const [inFolder, inFile] = [toFolder, toFile].map(({ id: ref }) => ({ ref, by }));
  expect(data.filter(({ type }) => type.startsWith("link."))).toMatchObject([
    { type: "link.created", path: "notes/", ...inFolder },
    { type: "link.created", path: "notes/a.txt", ...inFile },
    { type: "link.revoked", path: "notes/a.txt", ...inFile },
    { type: "link.revoked", path: "notes/", ...inFolder },
  ]);
});

describe("in a shared drive", () => {
  test("an editor makes links, and sees and revokes only those of their own; the owner sees all", async () => {
    const { ada, dan, carol } = stage.world.clients;
    const query = `?drive_id=${stage.world.drives.ada}`;
    const [hers, his] = [await linkOf(ada), await linkOf(dan)];
    const idsOf = async (client: Client, more = query) =>
      (await listed(client, more)).data.map(({ id }) => id);
    expect(await idsOf(dan)).toEqual([his.id]);
    expect(await idsOf(dan, "")).toEqual([his.id]);
    expect((await idsOf(ada)).slice(0, 2)).toEqual([his.id, hers.id]);
    expect(await idsOf(carol)).toEqual([]);
    expect(await askForLink(carol)).toBe(403);
    expect(await dan.status("DELETE", `/v0/links/${hers.id}`)).toBe(404);
    expect(await carol.status("DELETE", `/v0/links/${his.id}`)).toBe(404);
    await ada.delete(`/v0/links/${his.id}`);
    expect(await statusOf(his)).toBe(404);
  });

  test("a key of a folder makes links in it, which show nothing else", async () => {
    const { adaPrefix, adaPrefixReader, adaBeside } = stage.world.clients;
    expect(await askForLink(adaPrefix, "/")).toBe(403);
    expect(await askForLink(adaBeside)).toBe(403);
    expect(await askForLink(adaPrefixReader)).toBe(403);
    const link = await linkOf(adaPrefix);
    expect((await listed(adaPrefix)).data.map(({ id }) => id)).toEqual([link.id]);
    expect((await listed(adaBeside)).data).toEqual([]);
    expect(await statusOf(link)).toBe(200);
    await adaPrefix.delete(`/v0/links/${link.id}`);
  });

  test("a link of somebody who leaves the drive shows nothing any more", async () => {
    const { ada, dan } = stage.world.clients;
    const link = await linkOf(dan);
    expect(await statusOf(link)).toBe(200);
    const members = `/v0/drives/${stage.world.drives.ada}/members`;
    const { data } = await ada.get<{ data: { user_id: string; username: string }[] }>(members);
    const id = data.find(({ username }) => username === "dan")?.user_id;
    await ada.delete(`${members}/${id}`);
    expect(await statusOf(link)).toBe(404);
    await ada.post(members, { username: "dan", role: "reader" });
    expect(await statusOf(link)).toBe(200);
  });
});

describe("in time", () => {
  test("an expired link is not listed, and forgotten a month later", async () => {
    const { client, id } = await everyKind();
    const { clock, appliance } = stage.coffer;
    clock.advance(7 * DAY_MS);
    expect((await listed(client, `?drive_id=${id}`)).data).toEqual([]);
    const count = () =>
      rowsIn(stage.coffer.dataDir, "SELECT count(*) FROM share_link WHERE drive_id = ?", id);
    await appliance.services.sweep.run();
    expect(count()).toEqual([[2]]);
    clock.advance(30 * DAY_MS);
    await appliance.services.sweep.run();
    expect(count()).toEqual([[0]]);
  });

  test("links go with their drive", async () => {
    const { client, id } = await everyKind();
    await client.delete(`/v0/drives/${id}`);
    await stage.coffer.appliance.services.sweep.run();
    const { dataDir } = stage.coffer;
    expect(rowsIn(dataDir, "SELECT 1 FROM share_link WHERE drive_id = ?", id)).toEqual([]);
    expect(rowsIn(dataDir, "SELECT 1 FROM drive WHERE id = ?", id)).toEqual([]);
  });
});
