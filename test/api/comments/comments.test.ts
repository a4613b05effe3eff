import { describe, expect, test } from "bun:test";
import type {
  CommentRecord,
  CommentsPage,
  PlacedCommentRecord,
} from "../../../src/http/records/comment-schemas.ts";
import { COMMENTS } from "../../../src/domain/limits.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { verified } from "../../support/faults/verified.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { openStageNow, type OwnDrive, runAfter, startWithDrive } from "../../support/server/scenario.ts";
import { gives, invalid, NOWHERE, refused, refuses, step, wrongBodies } from "../../support/server/steps.ts";
import { takeSnapshot } from "../../support/server/targets.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const stage = await openStageNow();
const TEXT = ["one", "two", "three", "four", "five", ""].join("\n");

interface Said {
  readonly text?: string;
  readonly start_line?: number;
  readonly end_line?: number;
  readonly reply_to?: string;
}

const say = ({ client }: OwnDrive, file: string, said: Said = {}) =>
  client.post<CommentRecord>(`/v0/files/${file}/comments`, { text: "Hm.", ...said });

const commentsOf = async ({ client }: OwnDrive, file: string): Promise<readonly PlacedCommentRecord[]> =>
  (await client.get<CommentsPage>(`/v0/files/${file}/comments`)).data;

/** Where the comments are now, by their texts. */
async function placesOf(own: OwnDrive, file: string): Promise<unknown[]> {
  const all = await commentsOf(own, file);
  return all.map(({ text, current_start_line: start, current_end_line: end, outdated }) => [
    text,
    start,
    end,
    outdated,
  ]);
}

const ofLines = await stage.ownDrive();

describe("lines", () => {
  const own = ofLines;
  const put = (text: string) => own.client.store(own.id, "lines.txt", text);

  test("a comment stays with its lines as long as any of them is there", async () => {
    const file = await put(TEXT);
    await say(own, file, { text: "two", start_line: 2 });
    await say(own, file, { text: "all", start_line: 1, end_line: 5 });
    await say(own, file, { text: "four to five", start_line: 4, end_line: 5 });
    await say(own, file, { text: "the file" });
    const whole = ["the file", null, null, false];
    expect(await placesOf(own, file)).toEqual([
      ["two", 2, 2, false],
      ["all", 1, 5, false],
      ["four to five", 4, 5, false],
      whole,
    ]);
    await put(`zero\n${TEXT.replace("four", "4")}six`);
    expect(await placesOf(own, file)).toEqual([
      ["two", 3, 3, false],
      ["all", 2, 6, false],
      ["four to five", 6, 6, false],
      whole,
    ]);
    await put("one\nthree\nfive\n");
    expect(await placesOf(own, file)).toEqual([
      ["two", null, null, true],
      ["all", 1, 3, false],
      ["four to five", 3, 3, false],
      whole,
    ]);
    // As it was: each is where it was made.
    await put(TEXT);
    expect((await placesOf(own, file)).slice(0, 2)).toEqual([
      ["two", 2, 2, false],
      ["all", 1, 5, false],
    ]);
  });

  test("what a comment was made on is told, and where it is now only while that can be compared", async () => {
    const file = await own.client.store(own.id, "kept.txt", TEXT);
    await say(own, file, { start_line: 3 });
    await own.client.store(own.id, "kept.txt", "other");
    await own.client.delete(`/v0/files/${file}/versions/1`);
    const [comment] = await commentsOf(own, file);
    expect(comment).toMatchObject({ version: 1, start_line: 3, end_line: 3 });
    expect(comment).toMatchObject({ current_start_line: null, current_end_line: null, outdated: null });
  });

  test("long texts are compared as well, beside other requests", async () => {
    const lines = Array.from({ length: 4000 }, (_, n) => `line ${n}`);
    const file = await own.client.store(own.id, "long.txt", lines.join("\n"));
    await say(own, file, { text: "there", start_line: 2001 });
    await own.client.store(own.id, "long.txt", ["new", ...lines.toSpliced(1000, 10)].join("\n"));
    expect(await placesOf(own, file)).toEqual([["there", 1992, 1992, false]]);
  });
});

const FILE = "/v0/files/by-path/comments?drive_id={drive}&path=a.txt";
const COMMENT = "/v0/comments/{comment.id}";
const made = gives(
  `POST ${FILE}`,
  { text: "Why, @ada?" },
  {
    body: { text: "Why, @ada?", start_line: 1 },
    status: 201,
    keeps: "comment",
  },
);
const answered = gives(
  `POST ${FILE}`,
  { reply_to: "{comment.id}", resolved_at: null },
  {
    body: { text: "Because.", reply_to: "{comment.id}" },
    status: 201,
    keeps: "reply",
  },
);
const uploaded = gives("PUT /v0/files?drive_id={drive}&path=a.txt", {}, { body: "x\ny\n", status: 201 });
const listed = (query: string, texts: readonly string[]) =>
  gives(`GET ${FILE}${query}`, { total: texts.length, data: texts.map((text) => ({ text })) });
const ofDrive = (query: string, texts: readonly string[]) =>
  gives(`GET /v0/comments?drive_id={drive}${query}`, { data: texts.map((text) => ({ text })) });
const patch = (json: object, body: { [name: string]: string | boolean }) =>
  gives(`PATCH ${COMMENT}`, json, { body });

runAfter(stage, [uploaded, made, answered], {
  "a comment says who made it, on what, and whom it names": gives(`GET ${FILE}`, {
    data: [
      {
        version: 1,
        start_line: 1,
        end_line: 1,
        mentions: ["ada"],
        reply_to: null,
        path: "a.txt",
        by: { type: "key", name: expect.any(String) },
        resolved_at: null,
        resolved_by: null,
      },
      { start_line: null, mentions: [] },
    ],
    total: 2,
    next_cursor: null,
  }),
  "a comment is resolved with its replies, by a reply as well, and opened again": [
    gives(
      "PATCH /v0/comments/{reply.id}",
      { resolved_at: expect.any(String), resolved_by: { type: "key" } },
      {
        body: { resolved: true },
      },
    ),
    listed("&resolved=false", []),
    listed("&resolved=true", ["Why, @ada?", "Because."]),
    ofDrive("&resolved=false", []),
    gives(
      `POST ${FILE}`,
      { resolved_at: expect.any(String) },
      {
        body: { text: "Late.", reply_to: "{reply.id}" },
        status: 201,
      },
    ),
    patch({ resolved_at: null, resolved_by: null }, { resolved: false }),
    listed("&resolved=false", ["Why, @ada?", "Because.", "Late."]),
  ],
  "names are found in any case, in quotes, and not within words": gives(
    `POST ${FILE}`,
    { mentions: ["ada", "night shift", "a-b.c", "日本"] },
    {
      body: { text: `(@Ada) @ada @"Night Shift" @a-b.c. @日本, x@y.z @@z @ @${"w".repeat(65)}` },
      status: 201,
    },
  ),
  "a text is changed, and its mentions with it": [
    patch({ text: "For @bob", mentions: ["bob"] }, { text: "For @bob" }),
    ofDrive("&mention=ada", []),
    ofDrive("&mention=BOB", ["For @bob"]),
  ],
  "all of a drive are listed, newest first, page by page": [
    ofDrive("", ["Because.", "Why, @ada?"]),
    gives("GET /v0/comments?drive_id={drive}&limit=1", { data: [{ text: "Because." }] }, { keeps: "page" }),
    ofDrive("&limit=1&cursor={page.next_cursor}", ["Why, @ada?"]),
    gives(`GET ${FILE}&limit=1`, { data: [{ text: "Why, @ada?" }] }, { keeps: "first" }),
    gives(`GET ${FILE}&limit=1&cursor={first.next_cursor}`, {
      data: [{ text: "Because." }],
      next_cursor: null,
    }),
  ],
  "a deleted comment takes its replies along": [
    gives(`DELETE ${COMMENT}`, { id: "{comment.id}", deleted: true }),
    listed("", []),
    refuses(`DELETE ${COMMENT}`, "NOT_FOUND"),
    refuses("DELETE /v0/comments/{reply.id}", "NOT_FOUND"),
  ],
  "a comment follows its file, into the trash and back; a copy has none": [
    gives(
      "POST /v0/files/by-path/copy?drive_id={drive}&path=a.txt",
      {},
      {
        body: { destination_path: "copy.txt" },
        status: 201,
      },
    ),
    gives("GET /v0/files/by-path/comments?drive_id={drive}&path=copy.txt", { data: [], total: 0 }),
    gives(
      "POST /v0/files/by-path/move?drive_id={drive}&path=a.txt",
      {},
      { body: { destination_path: "b.txt" } },
    ),
    gives("DELETE /v0/files/by-path?drive_id={drive}&path=b.txt", {}, { keeps: "gone" }),
    ofDrive("", []),
    step(`PATCH ${COMMENT}`, { ...refused("NOT_FOUND"), body: { resolved: true } }),
    gives("POST /v0/trash/{gone.trash_id}/restore", { path: "b.txt" }),
    gives("GET /v0/files/by-path/comments?drive_id={drive}&path=b.txt", { total: 2 }),
    gives("GET /v0/comments?drive_id={drive}", { data: [{ path: "b.txt" }, { path: "b.txt" }] }),
  ],
  "the feed tells of each": [
    patch({}, { resolved: true }),
    patch({}, { resolved: true }),
    patch({}, { text: "Other" }),
    gives(`DELETE ${COMMENT}`, {}),
    gives("GET /v0/changes?drive_id={drive}&limit=100", {
      data: [
        { type: "file.created" },
        { type: "comment.created", path: "a.txt", ref: "{comment.id}", before: null, after: null },
        { type: "comment.created", ref: "{reply.id}" },
        { type: "comment.resolved", ref: "{comment.id}" },
        { type: "comment.updated", ref: "{comment.id}" },
        { type: "comment.deleted", ref: "{comment.id}" },
      ],
    }),
  ],
  "a comment with a condition is on the content that was read": [
    step(`POST ${FILE}`, {
      status: 412,
      json: { error: { code: "PRECONDITION_FAILED" } },
      body: { text: "Hm.", if_match: "0".repeat(64) },
    }),
  ],
});

const wrong = wrongBodies({
  text: ["", "  \n", "\0", "a\u0007", "x".repeat(COMMENTS.characters + 1), 1],
  start_line: [0, -1, 1.5, "1"],
  end_line: [3, 1_000_000],
  reply_to: ["", NOWHERE, 1],
  by: ["me"],
});

runAfter(stage, [uploaded], {
  "what no comment can be is refused": wrong.map(([body, field]) =>
    step(`POST ${FILE}`, {
      ...invalid(field),
      body: { text: "x", start_line: field === "end_line" ? 1 : null, ...body },
    }),
  ),
  "lines must come together, in order, and not with a reply": [
    step(`POST ${FILE}`, { ...invalid("start_line"), body: { text: "x", end_line: 1 } }),
    step(`POST ${FILE}`, { ...invalid("end_line"), body: { text: "x", start_line: 2, end_line: 1 } }),
    step(`POST ${FILE}`, { ...invalid("start_line"), body: { text: "x", start_line: 1, reply_to: NOWHERE } }),
  ],
  "what is no text has no lines, and comments all the same": [
    gives(
      "PUT /v0/files?drive_id={drive}&path=i.png",
      {},
      { body: "\x89PNG\0", status: 201, keeps: "image" },
    ),
    step("POST /v0/files/{image.id}/comments", {
      status: 415,
      json: { error: { code: "UNSUPPORTED_MEDIA_TYPE" } },
      body: { text: "x", start_line: 1 },
    }),
    gives(
      "POST /v0/files/{image.id}/comments",
      { start_line: null },
      { body: { text: "Nice" }, status: 201 },
    ),
  ],
});

describe("who may", () => {
  const { clients, drives, files } = stage.world;
  const on = `/v0/files/${files.ada}/comments`;

  test("only its maker changes a text; a thread with other's replies goes only with the drive's owner", async () => {
    const { id } = await clients.dan.post<CommentRecord>(on, { text: "Mine" });
    await clients.carol.json(403, "PATCH", `/v0/comments/${id}`, { body: { resolved: true } });
    await clients.bob.json(404, "PATCH", `/v0/comments/${id}`, { body: { resolved: true } });
    await clients.ada.json(403, "PATCH", `/v0/comments/${id}`, { body: { text: "Yours" } });
    await clients.ada.patch(`/v0/comments/${id}`, { resolved: true });
    const reply = await clients.ada.post<CommentRecord>(on, { text: "Done", reply_to: id });
    await clients.dan.json(403, "DELETE", `/v0/comments/${reply.id}`);
    await clients.dan.json(403, "DELETE", `/v0/comments/${id}`);
    await clients.adaDrive.delete(`/v0/comments/${id}`);
    expect(await clients.carol.get<CommentsPage>(on)).toMatchObject({ total: 0 });
  });

  test("a key of a folder finds what was said in there, also of what came into it", async () => {
    const outside = await clients.ada.store(drives.ada, "outside.txt", "x");
    await clients.ada.post(`/v0/files/${outside}/comments`, { text: "Hidden @x" });
    const list = `/v0/comments?drive_id=${drives.ada}&mention=x`;
    expect(await clients.adaPrefix.get<CommentsPage>(list)).toMatchObject({ data: [] });
    await clients.ada.post(`/v0/files/${outside}/move`, { destination_path: "notes/in.txt" }, 200);
    expect(await clients.adaPrefix.get<CommentsPage>(list)).toMatchObject({
      data: [{ path: "notes/in.txt" }],
    });
  });
});

test("comments go along into another drive, singly and with a folder, and count there", async () => {
  await using coffer = await startWithDrive();
  addAccount(coffer, "zoe");
  const client = await accountClient(coffer, "zoe");
  const [from, to] = [await client.makeDrive("From"), await client.makeDrive("To")];
  const own: OwnDrive = { id: from.id, key: "", client };
  for (const path of ["a.txt", "dir/b.txt", "dir/c.txt"])
    await say(own, await client.store(from.id, path, "x"), { text: `On ${path} @zoe` });
  const texts = async (drive: string) => {
    const list = await client.get<CommentsPage>(`/v0/comments?drive_id=${drive}&mention=zoe`);
    return list.data.map(({ text }) => text).toSorted();
  };
  await client.post(
    `/v0/files/by-path/move?drive_id=${from.id}&path=a.txt`,
    { destination_drive_id: to.id, destination_path: "a.txt" },
    200,
  );
  expect([await texts(from.id), await texts(to.id)]).toEqual([
    ["On dir/b.txt @zoe", "On dir/c.txt @zoe"],
    ["On a.txt @zoe"],
  ]);
  await client.post(
    "/v0/folders/move",
    { drive_id: from.id, path: "dir/", destination_drive_id: to.id, destination_path: "dir/" },
    200,
  );
  expect([(await texts(from.id)).length, (await texts(to.id)).length]).toEqual([0, 3]);
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("comments go with their file once that is gone for good, and stay while a snapshot has it", async () => {
  await using coffer = await startWithDrive({ "keep-days": "1" });
  const { own } = coffer;
  const comments = (path: string) => `/v0/files/by-path/comments?drive_id=${own.id}&path=${path}`;
  const rows = () => rowsIn(coffer.dataDir, "SELECT count(*) FROM comment");
  const held = await own.client.store(own.id, "dir/held", "x");
  const snapshot = await takeSnapshot(own.client, own.id);
  await say(own, held);
  const late = await own.client.store(own.id, "late", "x");
  await say(own, late);
  for (const file of [held, late]) await own.client.delete(`/v0/files/${file}`);
  coffer.clock.advance(2 * DAY_MS);
  await coffer.appliance.services.sweep.run();
  await coffer.appliance.services.sweep.run();
  expect(rows()).toEqual([[1]]);
  const body = { path: "dir/" };
  await own.client.json(200, "POST", `/v0/drives/${own.id}/snapshots/${snapshot}/restore`, { body });
  expect(await own.client.get<CommentsPage>(comments("dir/held"))).toMatchObject({ total: 1 });
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a file has so many comments, and no more until one is deleted", async () => {
  const own = await stage.ownDrive();
  const file = await own.client.store(own.id, "full.txt", "x");
  let last = "";
  for (let n = 0; n < COMMENTS.file; n += 1) last = (await say(own, file)).id;
  const body = { text: "One more" };
  await own.client.json(403, "POST", `/v0/files/${file}/comments`, { body });
  const pages = await own.client.pages<CommentsPage>(`/v0/files/${file}/comments?limit=100`);
  expect(pages.map(({ data, total }) => [data.length, total])).toEqual([
    [100, COMMENTS.file],
    [100, COMMENTS.file],
  ]);
  await own.client.delete(`/v0/comments/${last}`);
  await own.client.post(`/v0/files/${file}/comments`, body);
});
