import { describe, expect, test } from "bun:test";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { openStage } from "../../support/server/scenario.ts";
import { opened } from "../../support/samples/archives.ts";
import { docx, wordParagraph } from "../../support/samples/documents.ts";

const stage = openStage({ "base-url": "https://drive.test", "trusted-proxies": "127.0.0.1" });

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

interface Link {
  readonly id: string;
  readonly token: string;
}

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
    ids.set(path, (await own.client.put<Link>(own.id, path, content)).id);
  const link = await own.client.post<Link>("/v0/links", { drive_id: own.id, ...body });
  const send = (rest = "", options: RequestOptions = {}, method = "GET") =>
    stage.coffer.client().send(method, `/v0/shared/${link.token}${rest}`, options);
  const get = async <T>(rest = "", options: RequestOptions = {}): Promise<T> => {
    const { status, text } = await send(rest, options);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text);
  };
  const unlock = (password: string, headers: Record<string, string> = {}) =>
    send("/unlock", { body: { password }, headers }, "POST");
  return { own, ids, link, send, get, unlock };
}

function cookieOf({ headers }: Answer): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("of a document", () => {
  const letter = { body: docx(wordParagraph("Dear reader")) };

  test("a link shows the text, and nothing of what it does not show", async () => {
    const { own, send, get } = await shared();
    const at = (path: string) => `/v0/files?drive_id=${own.id}&path=${path}`;
    await own.client.json(201, "PUT", at("photos/letter.docx"), letter);
    await own.client.json(201, "PUT", at("private.docx"), letter);
    expect(await get("/extract?path=letter.docx")).toMatchObject({ content: "Dear reader\n" });
    expect(await get("/extract?path=a.txt")).toMatchObject({ content: "Hello World!" });
    const { headers } = await send("/extract?path=letter.docx");
    expect([headers.get("referrer-policy"), headers.get("x-robots-tag")]).toEqual(["no-referrer", "noindex"]);
    const refusals = { "../private.docx": 400, "private.docx": 404, "secret.txt": 404 };
    for (const [path, status] of Object.entries(refusals))
      expect([path, (await send(`/extract?path=${path}`)).status]).toEqual([path, status]);
    expect((await send("/extract")).status).toBe(400);
    await own.client.json(201, "PUT", at("photos/broken.docx"), { body: "PK" });
    expect([415, 422]).toContain((await send("/extract?path=broken.docx")).status);
  });

  test("a link with a password shows the text only to who gave it", async () => {
    const { own, send, get, unlock } = await shared({ path: "photos/a.txt", password: "open sesame" });
    expect((await send("/extract")).status).toBe(401);
    const headers = { cookie: cookieOf(await unlock("open sesame")) };
    expect(await get("/extract", { headers })).toMatchObject({ content: "Hello World!" });
    const [link] = (await own.client.get<{ data: Link[] }>(`/v0/links?drive_id=${own.id}`)).data;
    await own.client.delete(`/v0/links/${link?.id}`);
    expect((await send("/extract", { headers })).status).toBe(404);
  });
});

describe("a link to a folder", () => {
  test("shows what is in it, by paths that begin there, and nothing that is private", async () => {
    const { get, own } = await shared();
    expect(await get<Json>()).toEqual({
      kind: "folder",
      name: "photos",
      file_count: 4,
      total_size: 12 + 25 + FILES["photos/d.svg"].length + 4,
      file: null,
      expires_at: expect.any(String),
    });
    const page = await get<{ data: { path: string }[]; folders: string[] }>("/files");
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
  });

  test("page by page, with cursors that tell nothing of the folders above", async () => {
    const { link } = await shared();
    const pages = await stage.coffer
      .client()
      .pages<{ data: { path: string }[]; folders: string[]; next_cursor: string | null }>(
        `/v0/shared/${link.token}/files?limit=1`,
      );
    for (const { next_cursor } of pages)
      expect(Buffer.from(next_cursor ?? "", "base64url").toString()).not.toContain("photos");
    const found = pages.flatMap(({ folders, data }) => [...folders, ...data.map(({ path }) => path)]);
    expect(found.toSorted()).toEqual(["2030/", "a.txt", "b & c <i>.html", "d.svg"]);
  });

  test("downloads a file in it, and all as an archive", async () => {
    const { send, link } = await shared();
    const file = await send("/download?path=2030/e.txt");
    expect([file.status, file.text]).toEqual([200, "deep"]);
    expect((await send("/download?path=a.txt", { headers: { range: "bytes=6-10" } })).text).toBe("World");
    const names = async (rest: string) => {
      const response = await stage.coffer.client().fetch("GET", `/v0/shared/${link.token}${rest}`);
      return opened(await response.bytes(), ({ entries }) => entries.map(({ name }) => name));
    };
    expect(await names("/archive")).toEqual([
      "photos/",
      "photos/2030/",
      "photos/2030/e.txt",
      "photos/a.txt",
      "photos/b & c <i>.html",
      "photos/d.svg",
    ]);
  });

  test.each([
    "/download?path=../secret.txt",
    "/download?path=../photos-secret/f.txt",
    "/download?path=/secret.txt",
    "/download?path=none",
    "/download?path=2030/../../secret.txt",
    "/download?path=%2e%2e/secret.txt",
    "/download?path=a.txt%00",
    "/download",
    "/files?prefix=../",
    "/files?prefix=none/",
    "/files?prefix=-secret/",
    "/files?prefix=20",
    "/files?cursor=x",
    "/archive?path=../secret.txt",
    "/archive?path=-secret/",
    "/archive?path=none",
  ])("%s gives nothing", async (rest) => {
    const { send } = await shared();
    const { status, text } = await send(rest);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain("not shared");
    expect(text).not.toContain("beside");
  });

  test("a cursor that names another folder leads nowhere else", async () => {
    const { send } = await shared();
    for (const position of ["../secret.txt", "\u0000", "folders\n../\npath", "zzz"]) {
      const cursor = Buffer.from(position).toString("base64url");
      const { text } = await send(`/files?cursor=${cursor}`);
      expect(text).not.toContain("secret");
      expect(text).not.toContain("f.txt");
    }
  });

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

describe("contents", () => {
  test.each(["b & c <i>.html", "d.svg"])("%s never runs in our origin", async (name) => {
    const { send } = await shared();
    const { headers } = await send(`/download?inline=1&path=${encodeURIComponent(name)}`);
    expect(headers.get("content-disposition")).toStartWith("attachment");
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test("an address with a token gets around nowhere", async () => {
    const { send, unlock } = await shared({ path: "photos/", password: "open sesame" });
    const cookie = cookieOf(await unlock("open sesame"));
    for (const rest of ["", "/files", "/download?path=a.txt", "/archive"]) {
      const { status, headers } = await send(rest, { headers: { cookie } });
      expect(status).toBe(200);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-robots-tag")).toBe("noindex");
    }
  });
});

describe("uses", () => {
  test("are openings of the page, downloads and archives", async () => {
    const { own, link, send } = await shared();
    const uses = async () =>
      (await own.client.get<{ data: { id: string; uses: number }[] }>("/v0/links")).data.find(
        ({ id }) => id === link.id,
      )?.uses;
    await send();
    await send("/download?path=a.txt");
    await send("/archive");
    expect(await uses()).toBe(3);
    await send("/files");
    await send("/download?path=a.txt&inline=1");
    await send("/download?path=a.txt", { headers: { range: "bytes=3-" } });
    await send("", {}, "HEAD");
    await send("/archive", {}, "HEAD");
    await send("/download?path=none");
    expect(await uses()).toBe(3);
  });
});

describe("a password", () => {
  const locked = { path: "photos/", password: "open sesame" };
  const everything = ["", "/files", "/download?path=a.txt", "/download?path=none", "/archive"];

  test("opens the link in one browser, for twelve hours", async () => {
    const { send, unlock, link } = await shared(locked);
    for (const rest of everything) {
      const { status, text } = await send(rest);
      expect([status, JSON.parse(text).error.code]).toEqual([401, "UNAUTHORIZED"]);
    }
    const answer = await unlock("open sesame");
    expect(answer.status).toBe(200);
    const attributes = answer.headers.get("set-cookie") ?? "";
    expect(attributes).toMatch(/^coffer_share=\d+_[0-9a-f]{64}; /);
    for (const part of [
      `Path=/v0/shared/${link.token}`,
      "HttpOnly",
      "SameSite=Strict",
      "Secure",
      "Max-Age=43200",
    ])
      expect(attributes).toContain(part);
    const headers = { cookie: cookieOf(answer) };
    expect((await send("/download?path=a.txt", { headers })).text).toBe("Hello World!");
    expect((await send("/archive", { headers })).status).toBe(200);
    stage.coffer.clock.advance(12 * HOUR_MS);
    expect((await send("", { headers })).status).toBe(401);
  });

  test("of one link opens no other, and a forged pass opens none", async () => {
    const first = await shared(locked);
    const second = await shared(locked);
    const cookie = cookieOf(await first.unlock("open sesame"));
    expect((await second.send("", { headers: { cookie } })).status).toBe(401);
    const [, until = "", hash = ""] = /=(\d+)_(.*)/.exec(cookie) ?? [];
    for (const forged of [
      `${Number(until) + DAY_MS}_${hash}`,
      `${until}_${"0".repeat(64)}`,
      `0${until}_${hash}`,
      "x",
    ])
      expect((await first.send("", { headers: { cookie: `coffer_share=${forged}` } })).status).toBe(401);
  });

  test("is not locked for others by one who guesses", async () => {
    const { unlock } = await shared(locked);
    const guess = (address: string, password: string) => unlock(password, { "x-forwarded-for": address });
    for (let n = 0; n < 5; n += 1) expect((await guess(`2001:db8:0:1::${n}`, "wrong")).status).toBe(401);
    const sixth = await guess("2001:db8:0:1::9", "open sesame");
    expect([sixth.status, sixth.headers.get("retry-after")]).toEqual([429, "5"]);
    expect((await guess("2001:db8:0:2::1", "open sesame")).status).toBe(200);
    expect((await guess("10.0.1.1", "open sesame")).status).toBe(200);
  });

  test("cannot be guessed from many addresses, and who knows it waits for two minutes at most", async () => {
    const { unlock } = await shared(locked);
    const { clock } = stage.coffer;
    const guess = (address: string, password: string) => unlock(password, { "x-forwarded-for": address });
    expect((await guess("10.0.3.1", "open sesame")).status).toBe(200);
    for (let n = 0; n < 30; n += 1) expect((await guess(`10.0.0.${n}`, "wrong")).status).toBe(401);
    const next = await guess("10.0.1.1", "open sesame");
    expect([next.status, next.headers.get("retry-after")]).toEqual([429, "120"]);
    expect((await guess("10.0.3.1", "open sesame")).status).toBe(200);
    clock.advance(120_000);
    expect((await guess("10.0.1.1", "open sesame")).status).toBe(200);
  });

  test("cannot be guessed for many links from one address", async () => {
    const address = "10.1.0.1";
    const links = await Promise.all(Array.from({ length: 5 }, () => shared(locked)));
    for (let n = 0; n < 20; n += 1) {
      const { unlock } = links[n % 5] ?? (await shared(locked));
      expect((await unlock("wrong", { "x-forwarded-for": address })).status).toBe(401);
    }
    const { unlock } = await shared(locked);
    expect((await unlock("open sesame", { "x-forwarded-for": address })).status).toBe(429);
    expect((await unlock("open sesame", { "x-forwarded-for": "10.1.0.2" })).status).toBe(200);
  });

  test("parallel guesses count from their start", async () => {
    const { unlock } = await shared(locked);
    const answers = await Promise.all(Array.from({ length: 20 }, () => unlock("wrong")));
    expect(answers.filter(({ status }) => status === 401).length).toBe(5);
    expect(answers.filter(({ status }) => status === 429).length).toBe(15);
  });

  test("is asked of pages of other origins in vain", async () => {
    const { unlock } = await shared(locked);
    expect((await unlock("open sesame", { origin: "https://evil.test" })).status).toBe(403);
  });
});
