import { describe, expect, test } from "bun:test";
import { rowsIn } from "../../support/faults/change-database.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { openStage, runEach, runAfter, runScenarios } from "../../support/server/scenario.ts";
import { refused, refuses, type Step, step } from "../../support/server/steps.ts";

const stage = openStage({ "base-url": "https://drive.test" });

const DAY_MS = 24 * 60 * 60 * 1000;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Link {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly kind: string;
  readonly uses: number;
}

interface Page {
  readonly data: readonly Link[];
  readonly next_cursor: string | null;
}

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
  const share = (body: { [name: string]: Json }) => client.post<Link>("/v0/links", { drive_id, ...body });
  const toFolder = await share({ path: "notes/" });
  const toFile = await share({ path: "notes/a.txt" });
  const presigned = await client.post<Link>(`/v0/files/${file.id}/presigned-url`, {}, 200);
  const upload = await client.post<Link>("/v0/upload-links", { drive_id, path: "in/b.txt" });
  return { ...own, file: file.id, toFolder, toFile, presigned, upload };
}

function listed(client: Client, query = ""): Promise<Page> {
  return client.get<Page>(`/v0/links${query}`);
}

/** Asks for a link to something in Ada's drive. */
function askForLink(client: Client, path = "notes/"): Promise<Answer> {
  return client.send("POST", "/v0/links", { body: { drive_id: stage.world.drives.ada, path } });
}

async function linkOf(client: Client, path?: string): Promise<Link> {
  const { status, text } = await askForLink(client, path);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text);
}

/** What somebody with a link gets. */
async function statusOf({ token }: Link): Promise<number> {
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
  const wrong: [name: string, body: { [name: string]: Json }, field: string][] = [
    ["a time that has passed", { expires_at: "2029-12-31T23:59:59Z" }, "expires_at"],
    ["more than 366 days", { expires_at: "2031-01-03T00:00:00Z" }, "expires_at"],
    ["a day that is none", { expires_at: "2030-02-30" }, "expires_at"],
    ["a password of three characters", { password: "abc" }, "password"],
    ["an endless password", { password: "x".repeat(1025) }, "password"],
    ["a password that is none", { password: 12345678 }, "password"],
    ["a path with control characters", { path: "a\u0000b" }, "path"],
  ];
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
  runEach(stage, wrong, ([name, body, field]) => [
    `${name} is refused`,
    folder,
    make(body, refused("VALIDATION_ERROR", field)),
  ]);
});

describe("the list", () => {
  test("has links of every kind, newest first, without their tokens", async () => {
    const { client, id, toFolder, toFile, presigned, upload } = await everyKind();
    const { data, next_cursor } = await listed(client, `?drive_id=${id}`);
    expect(data.map(({ kind }) => kind)).toEqual(["upload", "presigned", "file", "folder"]);
    expect(data.map((link) => link.id)).toEqual([upload.id, presigned.id, toFile.id, toFolder.id]);
    expect(data[1]).toMatchObject({ path: "notes/a.txt", drive_id: id, one_time: false });
    expect(data[0]).toMatchObject({ path: "in/b.txt", one_time: true, used_at: null });
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

  test("has what a link for one use was used", async () => {
    const { client, id, upload, file } = await everyKind();
    const one = await client.post<Link>(`/v0/files/${file}/presigned-url`, { one_time: true }, 200);
    await stage.coffer.client().send("GET", `/v0/presigned/${one.token}`);
    const { data } = await listed(client, `?drive_id=${id}`);
    const used = { one_time: true, used_at: expect.any(String), uses: 1 };
    expect(data.find((link) => link.id === one.id)).toMatchObject(used);
    expect(data.find((link) => link.id === upload.id)).toMatchObject({ used_at: null, uses: 0 });
  });

  runScenarios(stage, {
    "with a cursor that is none": refuses("GET /v0/links?cursor=x", "VALIDATION_ERROR", "cursor"),
  });
});

describe("revoking", () => {
  test("ends links of every kind at once", async () => {
    const { client, id, toFolder, toFile, presigned, upload } = await everyKind();
    for (const link of [toFolder, toFile, presigned, upload]) {
      expect(await client.delete<Json>(`/v0/links/${link.id}`)).toEqual({ id: link.id, revoked: true });
      expect(await client.status("DELETE", `/v0/links/${link.id}`)).toBe(404);
    }
    expect((await listed(client, `?drive_id=${id}`)).data).toEqual([]);
    expect([await statusOf(toFolder), await statusOf(toFile)]).toEqual([404, 404]);
    const anybody = stage.coffer.client();
    expect(await anybody.status("GET", `/v0/presigned/${presigned.token}`)).toBe(404);
    expect(await anybody.status("PUT", `/v0/uploads/${upload.url.split("/").at(-1)}`, { body: "x" })).toBe(
      404,
    );
  });

  test("is only for those who see the link", async () => {
    const { toFile, client } = await everyKind();
    const { ada } = stage.world.clients;
    expect(await ada.status("DELETE", `/v0/links/${toFile.id}`)).toBe(404);
    expect(await client.status("DELETE", "/v0/links/nonsense")).toBe(404);
  });
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
    expect((await askForLink(carol)).status).toBe(403);
    expect(await dan.status("DELETE", `/v0/links/${hers.id}`)).toBe(404);
    expect(await carol.status("DELETE", `/v0/links/${his.id}`)).toBe(404);
    await ada.delete(`/v0/links/${his.id}`);
    expect(await statusOf(his)).toBe(404);
  });

  test("a key of a folder makes links in it, which show nothing else", async () => {
    const { adaPrefix, adaPrefixReader, adaBeside } = stage.world.clients;
    expect((await askForLink(adaPrefix, "/")).status).toBe(403);
    expect((await askForLink(adaBeside, "notes/")).status).toBe(403);
    expect((await askForLink(adaPrefixReader)).status).toBe(403);
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

test("the feed tells of links that show something, and by whom they were made and revoked", async () => {
  const { client, id, toFile, toFolder, presigned } = await everyKind();
  for (const link of [toFile, presigned]) await client.delete(`/v0/links/${link.id}`);
  const { data } = await client.get<{ data: { type: string }[] }>(`/v0/changes?drive_id=${id}`);
  const by = { type: "key", name: "Provisioned with the drive" };
  expect(data.filter(({ type }) => type.startsWith("link."))).toMatchObject([
    { type: "link.created", path: "notes/", ref: toFolder.id, by },
    { type: "link.created", path: "notes/a.txt", ref: toFile.id, by },
    { type: "link.revoked", path: "notes/a.txt", ref: toFile.id, by },
  ]);
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
