import { describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { flipped } from "../../support/samples/blob-store-contract.ts";
import { fileOf, newContent } from "../../support/samples/contents.ts";
import type { Json } from "../../support/server/client.ts";
import { openStage, runEach, runAfter } from "../../support/server/scenario.ts";
import {
  type Expected,
  gives,
  invalid,
  refused,
  type Step,
  step,
  wrongBodies,
} from "../../support/server/steps.ts";
import { HELLO_DIGEST, put } from "../../support/server/uploads.ts";

const stage = openStage({ "base-url": "https://drive.test" });

const MINUTE_MS = 60_000;
const ETAG = `"${HELLO_DIGEST}"`;

const hello = put("hello.txt", "Hello World!", { keeps: "file" });

function make(body: Json = {}, more: Partial<Step> = {}): Step {
  return step("POST /v0/files/{file.id}/presigned-url", {
    body,
    json: { token: expect.stringMatching(/^lnk_/) },
    keeps: "link",
    ...more,
  });
}

const whole = { contains: [/^Hello World!$/] } as const;

function open(expected: Expected = whole, query = ""): Step {
  return step(`nobody GET /v0/presigned/{link.token}${query}`, { ...expected });
}

type Link = Readonly<Record<"url" | "token" | "expires_at", string>>;

/** A drive of one's own with a file of twelve bytes, and a link to it. */
async function linked(body: Json = {}) {
  const own = await stage.ownDrive();
  const file = await own.client.put(own.id, "f.txt", "Hello World!");
  const link = await own.client.post<Link>(`/v0/files/${file.id}/presigned-url`, body, 200);
  const get = (options: { headers?: Record<string, string> } = {}) =>
    stage.coffer.client().send("GET", `/v0/presigned/${link.token}`, options);
  return { own, file: file.id, link, get };
}

describe("making one", () => {
  const link = {
    url: expect.stringMatching(/^https:\/\/drive\.test\/v0\/presigned\/lnk_[0-9a-f]{48}$/),
    token: expect.stringMatching(/^lnk_[0-9a-f]{48}$/),
  };
  const wrong: readonly (readonly [body: Json, field: string])[] = [
    ...wrongBodies({ expires_in: [0, -1, 86_401, 1.5, "60"], one_time: ["yes"] }),
    [[], "body"],
  ];
  runAfter(stage, [hello], {
    "for an hour by default": make({}, { json: { ...link, expires_at: "2030-01-01T01:00:00.000Z" } }),
    "without a body": { ...make({}, { json: link }), body: "" },
    "for a second": make({ expires_in: 1 }, { json: { ...link, expires_at: "2030-01-01T00:00:01.000Z" } }),
    "for a day": make({ expires_in: 86_400 }, { json: { ...link, expires_at: "2030-01-02T00:00:00.000Z" } }),
  });
  runEach(stage, wrong, ([body, field]) => [
    `${JSON.stringify(body)} is refused`,
    hello,
    make(body, invalid(field)),
  ]);
});

describe("serves like a download", () => {
  const given = [hello, make()];
  runAfter(stage, given, {
    "whole, to whoever has it": open({
      ...whole,
      receives: {
        etag: ETAG,
        "content-length": "12",
        "accept-ranges": "bytes",
        "content-disposition": /^attachment; filename="hello.txt"/,
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
      },
    }),
    "to one with a key that is none": open({ ...whole, as: "liar" }),
    "to one with a key that does not reach the file": open({ ...whole, as: "bob" }),
    "again and again": [open(), open(), open()],
    "a range": open({
      headers: { range: "bytes=6-10" },
      status: 206,
      contains: [/^World$/],
      receives: { "content-range": "bytes 6-10/12" },
    }),
    HEAD: {
      ...open({ empty: true, receives: { "content-length": "12", etag: ETAG } }),
      request: ["HEAD", "/v0/presigned/{link.token}"],
    },
    inline: open({ ...whole, receives: { "content-disposition": /^inline; / } }, "?inline=1"),
    "a query that is none": open(refused("VALIDATION_ERROR", "inline"), "?inline=maybe"),
    "what the file holds now": [put("hello.txt", "New", { status: 200 }), open({ contains: [/^New$/] })],
    "nothing once it is deleted": [
      gives("DELETE /v0/files/{file.id}", { id: "{file.id}", deleted: true }),
      open(refused("NOT_FOUND")),
    ],
    "the file wherever it moved": [
      gives(
        "POST /v0/files/{file.id}/move",
        { id: "{file.id}", path: "a/b.txt" },
        { body: { destination_path: "a/b.txt" } },
      ),
      open(),
    ],
  });
});

describe("ends", () => {
  test("with its file's expiry, before the sweep and after", async () => {
    const { own, file, get } = await linked();
    const soon = stage.coffer.clock.iso(MINUTE_MS);
    await own.client.patch(`/v0/files/${file}`, { expires_at: soon });
    expect((await get()).status).toBe(200);
    stage.coffer.clock.advance(MINUTE_MS);
    expect((await get()).status).toBe(404);
    await stage.coffer.appliance.services.sweep.run();
    expect((await get()).status).toBe(404);
  });

  test("when its file leaves what its maker's key reaches, and comes back with it", async () => {
    const { ada, adaDrive } = stage.world.clients;
    const mine = stage.world.drives.ada;
    const second = await ada.post<{ data: { id: string } }>("/v0/drives", { name: "Elsewhere" });
    const file = await ada.put(mine, "travels", "x");
    const link = await adaDrive.post<Link>(`/v0/files/${file.id}/presigned-url`, {}, 200);
    const get = async () => await stage.coffer.client().status("GET", `/v0/presigned/${link.token}`);
    const move = (drive: string) =>
      ada.post(
        `/v0/files/${file.id}/move`,
        { destination_path: "travels", destination_drive_id: drive },
        200,
      );
    expect(await get()).toBe(200);
    await move(second.data.id);
    expect(await get()).toBe(404);
    await move(mine);
    expect(await get()).toBe(200);
  });
});

const DAMAGES = [
  ["missing", 20_000, (file: string) => rm(file)],
  ["missing and large", 1_000_000, (file: string) => rm(file)],
  ["wrong", 20_000, (file: string, content: Uint8Array) => writeFile(file, flipped(content))],
  ["wrong and large", 1_000_000, (file: string, content: Uint8Array) => writeFile(file, flipped(content))],
] as const;

test.each(DAMAGES)(
  "a content that is %s does not use up a link that is good for one time",
  async (_, size, damage) => {
    const { id: drive, client } = await stage.ownDrive();
    const content = newContent(size);
    const { id } = await client.put(drive, "f.bin", content);
    const { token } = await client.post<Link>(`/v0/files/${id}/presigned-url`, { one_time: true }, 200);
    const get = () => stage.coffer.client().status("GET", `/v0/presigned/${token}`);
    await damage(fileOf(stage.coffer.dataDir, Bun.SHA256.hash(content, "hex")), content);
    expect([await get(), await get()]).toEqual([500, 500]);
    await client.put(drive, "f.bin", content, 200);
    expect((await Promise.all([get(), get(), get()])).toSorted((a, b) => a - b)).toEqual([200, 410, 410]);
  },
);

describe("good for one time", () => {
  const given = [hello, make({ one_time: true })];
  const head: Step = { ...open({ empty: true }), request: ["HEAD", "/v0/presigned/{link.token}"] };
  const used = open(refused("GONE"));
  runAfter(stage, given, {
    once: [open(), used, { ...head, status: 410 }, used],
    "asking about it does not use it up": [
      head,
      open({ headers: { "if-none-match": ETAG }, status: 304, empty: true }),
      open({ ...refused("PRECONDITION_FAILED"), headers: { "if-match": '"x"' } }),
      open({ ...refused("RANGE_NOT_SATISFIABLE"), headers: { range: "bytes=99-" } }),
      open(refused("VALIDATION_ERROR"), "?inline=maybe"),
      open(),
      used,
    ],
    "a range uses it up": [
      open({ headers: { range: "bytes=0-4" }, status: 206, contains: [/^Hello$/] }),
      used,
    ],
    "an empty file uses it up": [
      put("empty", "", { keeps: "file" }),
      make({ one_time: true }),
      open({ empty: true }),
      used,
    ],
    "another link to the same file is another": [open(), make({ one_time: true }), open()],
    "used and then without its file": [
      open(),
      gives("DELETE /v0/files/{file.id}", { id: "{file.id}", deleted: true }),
      open(refused("NOT_FOUND")),
    ],
  });

  test("one that was used stays used after a restart", async () => {
    const { get } = await linked({ one_time: true });
    expect((await get()).status).toBe(200);
    await stage.coffer.restart();
    expect((await get()).status).toBe(410);
  });
});
