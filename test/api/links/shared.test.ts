import { describe, expect, test } from "bun:test";
import type { SharedPage } from "../../../src/http/records/link-schemas.ts";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { openStage } from "../../support/server/scenario.ts";
import { opened } from "../../support/samples/archives.ts";
import { docx, wordParagraph } from "../../support/samples/documents.ts";

const stage = openStage({ "base-url": "https://drive.test", "trusted-proxies": "127.0.0.1" });

const HOUR_MS = 60 * 60_000;

const PASSWORD = "open sesame";
const LOCKED = { path: "photos/", password: PASSWORD };

const FILES = {
  "secret.txt": "not shared",
  "photos/a.txt": "Hello World!",
  "photos/b & c <i>.html": "<script>alert(1)</script>",
  "photos/d.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
  "photos/2030/e.txt": "deep",
  "photos-secret/f.txt": "beside",
};

/** A drive of one's own with some files, and a link. */
async function shared(body: { [name: string]: Json } = { path: "photos/" }) {
  const own = await stage.ownDrive();
  const ids = new Map<string, string>();
  for (const [path, content] of Object.entries(FILES))
    ids.set(path, (await own.client.put(own.id, path, content)).id);
  const link = await own.client.post<Record<"id" | "token", string>>("/v0/links", {
    drive_id: own.id,
    ...body,
  });
  const send = (rest = "", options: RequestOptions = {}, method = "GET") =>
    stage.coffer.client().send(method, `/v0/shared/${link.token}${rest}`, options);
  const get = async <T>(rest = "", options: RequestOptions = {}): Promise<T> => {
    const { status, text } = await send(rest, options);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text);
  };
  const unlock = (password = PASSWORD, headers: Record<string, string> = {}) =>
    send("/unlock", { body: { password }, headers }, "POST");
  /** The headers of a browser that gave the password. */
  const unlocked = async () => ({ cookie: cookieOf(await unlock()) });
  return { own, ids, link, send, get, unlock, unlocked };
}

function cookieOf({ headers }: Answer): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("a link shows the text of a document, and nothing of what it does not show", async () => {
  const { own, send, get } = await shared();
  const put = (path: string, body: string | Uint8Array<ArrayBuffer>) => own.client.put(own.id, path, body);
  for (const path of ["photos/letter.docx", "private.docx"])
    await put(path, docx(wordParagraph("Dear reader")));
  expect(await get("/extract?path=letter.docx")).toMatchObject({ content: "Dear reader\n" });
  expect(await get("/extract?path=a.txt")).toMatchObject({ content: "Hello World!" });
  const refusals = {
    "?path=../private.docx": 400,
    "?path=private.docx": 404,
    "?path=secret.txt": 404,
    "": 400,
  };
  for (const [query, status] of Object.entries(refusals))
    expect([query, (await send(`/extract${query}`)).status]).toEqual([query, status]);
  await put("photos/broken.docx", "PK");
  expect([415, 422]).toContain((await send("/extract?path=broken.docx")).status);
});

describe("a link to a folder", () => {
  test("shows what is in it, by paths that begin there, on pages as well, and nothing that is private", async () => {
    const { get, own, link } = await shared();
    expect(await get<Json>()).toEqual({
      kind: "folder",
      name: "photos",
      file_count: 4,
      total_size: 12 + 25 + FILES["photos/d.svg"].length + 4,
      file: null,
      expires_at: expect.any(String),
    });
    const page = await get<SharedPage>("/files");
    expect(page).toMatchObject({ folders: ["2030/"], total: 3, folder_total: 1, next_cursor: null });
    expect(page.data.map(({ path }) => path)).toEqual(["a.txt", "b & c <i>.html", "d.svg"]);
    expect(Object.keys(page.data[0] ?? {}).toSorted()).toEqual(
      ["content_hash", "filename", "mime_type", "path", "size", "updated_at"].toSorted(),
    );
    expect(JSON.stringify(page)).not.toContain(own.id);
    expect(await get<Json>("/files?prefix=2030/")).toMatchObject({
      data: [{ path: "2030/e.txt" }],
      folders: [],
    });
    const pages = await stage.coffer.client().pages<SharedPage>(`/v0/shared/${link.token}/files?limit=1`);
    // The cursors tell nothing of the folders above.
    for (const { next_cursor } of pages)
      expect(Buffer.from(next_cursor ?? "", "base64url").toString()).not.toContain("photos");
    const found = pages.flatMap(({ folders, data }) => [...folders, ...data.map(({ path }) => path)]);
    expect(found).toEqual([...page.folders, ...page.data.map(({ path }) => path)]);
  });

  test("downloads a file in it, and all as an archive", async () => {
    const { send, link } = await shared();
    const file = await send("/download?path=2030/e.txt");
    expect([file.status, file.text]).toEqual([200, "deep"]);
    expect((await send("/download?path=a.txt", { headers: { range: "bytes=6-10" } })).text).toBe("World");
    const response = await stage.coffer.client().fetch("GET", `/v0/shared/${link.token}/archive`);
    const names = await opened(await response.bytes(), ({ entries }) => entries.map(({ name }) => name));
    const files = ["photos/2030/e.txt", "photos/a.txt", "photos/b & c <i>.html", "photos/d.svg"];
    expect(names).toEqual(["photos/", "photos/2030/", ...files]);
  });

  const above = ["../secret.txt", "../photos-secret/f.txt", "/secret.txt", "2030/../../secret.txt"];
  const others = ["%2e%2e/secret.txt", "a.txt%00", "none"];
  const prefixes = ["../", "none/", "-secret/", "20"];
  test.each([
    "/download",
    ...[...above, ...others].map((path) => `/download?path=${path}`),
    ...prefixes.map((prefix) => `/files?prefix=${prefix}`),
    "/files?cursor=x",
    ...["../secret.txt", "-secret/", "none"].map((path) => `/archive?path=${path}`),
  ])("%s gives nothing", async (rest) => {
    const { send } = await shared();
    const { status, text } = await send(rest);
    expect([400, 404]).toContain(status);
    expect(text).not.toMatch(/not shared|beside/);
  });

  test.each(["../secret.txt", "\u0000", "folders\n../\npath", "zzz"])(
    "a cursor that names %j leads nowhere else",
    async (position) => {
      const { send } = await shared();
      const { text } = await send(`/files?cursor=${Buffer.from(position).toString("base64url")}`);
      expect(text).not.toMatch(/secret|f\.txt/);
    },
  );

  test("shows what is there now, and ends with the folder", async () => {
    const { own, get, send } = await shared();
    await own.client.put(own.id, "photos/new.txt", "new");
    expect(await get<Json>()).toMatchObject({ file_count: 5 });
    const body = { drive_id: own.id, path: "photos/", destination_path: "elsewhere/" };
    await own.client.post("/v0/folders/move", body, 200);
    expect((await send()).status).toBe(404);
  });
});

describe("a link to a file", () => {
  test("shows that file alone, also after it is moved", async () => {
    const { own, ids, get, send } = await shared({ path: "photos/a.txt" });
    expect(await get<Json>()).toMatchObject({
      kind: "file",
      name: "a.txt",
      file_count: 1,
      file: { path: "a.txt", size: 12 },
    });
    expect(await get<Json>("/files")).toMatchObject({ data: [{ path: "a.txt" }], folders: [], total: 1 });
    expect((await send("/download")).text).toBe("Hello World!");
    expect((await send("/download?path=a.txt")).text).toBe("Hello World!");
    for (const rest of ["/download?path=d.svg", "/files?prefix=2030/", "/archive?path=d.svg"])
      expect((await send(rest)).status).toBe(404);
    const body = { destination_path: "moved/b.txt" };
    await own.client.post(`/v0/files/${ids.get("photos/a.txt")}/move`, body, 200);
    expect(await get<Json>()).toMatchObject({ name: "b.txt" });
    await own.client.delete(`/v0/files/${ids.get("photos/a.txt")}`);
    expect((await send("/download")).status).toBe(404);
  });
});

test.each(["b & c <i>.html", "d.svg"])("%s never runs in our origin", async (name) => {
  const { send } = await shared();
  const { headers } = await send(`/download?inline=1&path=${encodeURIComponent(name)}`);
  expect(headers.get("content-disposition")).toStartWith("attachment");
  expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
});

test("openings of the page, downloads and archives count as uses, and nothing else", async () => {
  const { own, link, send } = await shared();
  const uses = async () =>
    (await own.client.get<{ data: { id: string; uses: number }[] }>("/v0/links")).data.find(
      ({ id }) => id === link.id,
    )?.uses;
  for (const rest of ["", "/download?path=a.txt", "/archive"]) await send(rest);
  expect(await uses()).toBe(3);
  for (const rest of ["/files", "/download?path=a.txt&inline=1", "/download?path=none"]) await send(rest);
  await send("/download?path=a.txt", { headers: { range: "bytes=3-" } });
  for (const rest of ["", "/archive"]) await send(rest, {}, "HEAD");
  expect(await uses()).toBe(3);
});

describe("a password", () => {
  test("opens the link in one browser, for twelve hours, and its address gets around nowhere", async () => {
    const { send, unlock, link } = await shared(LOCKED);
    const everything = ["", "/files", "/download?path=a.txt", "/archive", "/extract?path=a.txt"];
    for (const rest of [...everything, "/download?path=none"]) {
      const { status, text } = await send(rest);
      expect([status, JSON.parse(text).error.code]).toEqual([401, "UNAUTHORIZED"]);
    }
    const answer = await unlock();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")?.split("; ").toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=43200",
      `Path=/v0/shared/${link.token}`,
      "SameSite=Strict",
      "Secure",
      expect.stringMatching(/^coffer_share=\d+_[0-9a-f]{64}$/),
    ]);
    const headers = { cookie: cookieOf(answer) };
    expect((await send("/download?path=a.txt", { headers })).text).toBe("Hello World!");
    for (const rest of everything) {
      const { status, headers: told } = await send(rest, { headers });
      const policies = [told.get("referrer-policy"), told.get("x-robots-tag")];
      expect([rest, status, ...policies]).toEqual([rest, 200, "no-referrer", "noindex"]);
    }
    stage.coffer.clock.advance(12 * HOUR_MS);
    expect((await send("", { headers })).status).toBe(401);
  });

  test("of one link opens no other, and a forged pass opens none", async () => {
    const [first, second] = [await shared(LOCKED), await shared(LOCKED)];
    const { cookie } = await first.unlocked();
    const [, until = "", hash = ""] = /=(\d+)_(.*)/.exec(cookie) ?? [];
    const later = Number(until) + HOUR_MS;
    const forged = [`${later}_${hash}`, `${until}_${"0".repeat(64)}`, `0${until}_${hash}`, "x"];
    const asks = forged.map((pass) => first.send("", { headers: { cookie: `coffer_share=${pass}` } }));
    for (const { status } of await Promise.all([second.send("", { headers: { cookie } }), ...asks]))
      expect(status).toBe(401);
  });

  // Who waits for how long is tried in test/http/limits/guess-throttle.test.ts.
  test("is guessed at most so often from a network, for a link, and from one for many links", async () => {
    const links = await Promise.all(Array.from({ length: 6 }, () => shared(LOCKED)));
    const guess = async (link: number, address: string, password = "wrong") => {
      const { unlock } = links[link] ?? (await shared(LOCKED));
      const { status, headers } = await unlock(password, { "x-forwarded-for": address });
      return [status, headers.get("retry-after")];
    };
    const right = (link: number, address: string) => guess(link, address, PASSWORD);
    for (let n = 0; n < 5; n += 1) expect(await guess(0, `2001:db8:0:1::${n}`)).toEqual([401, null]);
    expect(await right(0, "2001:db8:0:1::9")).toEqual([429, "5"]);
    expect(await right(0, "2001:db8:0:2::1")).toEqual([200, null]);
    for (let n = 5; n < 30; n += 1) expect(await guess(0, `10.0.0.${n}`)).toEqual([401, null]);
    expect(await right(0, "10.0.1.1")).toEqual([429, "120"]);
    expect(await right(0, "2001:db8:0:2::1")).toEqual([200, null]);
    for (let n = 0; n < 20; n += 1) expect(await guess(1 + (n % 4), "10.1.0.1")).toEqual([401, null]);
    expect(await right(5, "10.1.0.1")).toEqual([429, "5"]);
    expect(await right(5, "10.1.0.2")).toEqual([200, null]);
  });

  test("is asked of pages of other origins in vain", async () => {
    const { unlock } = await shared(LOCKED);
    expect((await unlock(PASSWORD, { origin: "https://evil.test" })).status).toBe(403);
  });
});
