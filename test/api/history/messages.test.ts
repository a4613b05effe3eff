import { expect, test } from "bun:test";
import { MESSAGE_CHARACTERS } from "../../../src/domain/limits.ts";
import type { ChangeRecord } from "../../../src/http/records/change-schemas.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { verified } from "../../support/faults/verified.ts";
import { changesPage } from "../../support/peers/event-reader.ts";
import { openStageNow, runAfter, startWithDrive } from "../../support/server/scenario.ts";
import { gives, invalid, refused, refuses, step, wrongBodies } from "../../support/server/steps.ts";
import { openForWork } from "../../support/server/works.ts";
import { takeSnapshot } from "../../support/server/targets.ts";
import { FORM_TYPE, formOf } from "../../support/server/uploads.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const stage = await openStageNow();
const own = await stage.ownDrive();

/** The changes since a cursor, with what was said of each. */
async function said(cursor: string): Promise<(readonly [type: string, message: string | null])[]> {
  const { data } = await changesPage(own.client, `drive_id=${own.id}&cursor=${cursor}`);
  return data.map(({ type, message }: ChangeRecord) => [type, message]);
}

const latest = async () =>
  (await changesPage(own.client, `drive_id=${own.id}&cursor=latest`)).next_cursor ?? "";

test("each write of files and folders can say why, in its body, in its query, or in a header", async () => {
  const from = await latest();
  const file = await own.client.store(own.id, "a.txt", "one", "&message=First%20draft");
  const at = `/v0/files/${file}`;
  const { client, id: drive_id } = own;
  const snapshot = await takeSnapshot(client, drive_id);
  await client.post("/v0/files", { message: "Before", text: "x", drive_id, filename: "b.txt" });
  await client.post("/v0/files", { text: "xy", drive_id, filename: "b.txt", message: "After" }, 200);
  const parts = [
    ['name="drive_id"', drive_id],
    ['name="file"; filename="c.txt"', "x"],
    ['name="message"', "Form"],
  ] as const;
  await client.json(201, "POST", "/v0/files", { body: formOf(...parts), headers: FORM_TYPE });
  await client.post(`${at}/edit`, { op: "append", text: "two", message: "Más" }, 200);
  await client.patch(at, { tags: ["t"], message: "Tag it" });
  await client.post(`${at}/move`, { destination_path: "dir/a.txt", message: "Sort" }, 200);
  await client.post(`${at}/copy`, { destination_path: "copy.txt", message: "Keep" });
  await client.json(200, "POST", `${at}/versions/1/restore?message=Back`);
  await client.json(200, "PUT", `${at}/versions/1/label`, { body: { label: "ok", message: "Read" } });
  const gone = await client.json<{ trash_id: string }>(200, "DELETE", `${at}?message=Gone`);
  await client.post(`/v0/trash/${gone.trash_id}/restore`, { message: "Not gone" }, 200);
  await client.post("/v0/files/bulk-delete", { file_ids: [file], message: "Many" }, 200);
  await client.post("/v0/folders", { drive_id, path: "f/", message: "Room" });
  await client.post("/v0/folders/move", { drive_id, path: "f/", destination_path: "g/", message: "On" }, 200);
  await client.post("/v0/folders/copy", { drive_id, path: "g/", destination_path: "h/", message: "Two" });
  await client.delete("/v0/folders", { drive_id, path: "g/", confirm: true, message: "Off" });
  const header = { "change-message": Buffer.from("Zurück").toString("latin1") };
  const options = { body: {}, headers: header };
  await client.json(200, "POST", `/v0/drives/${drive_id}/snapshots/${snapshot}/restore`, options);
  await client.put(drive_id, "z.txt", "nothing said");
  expect(await said(from)).toEqual([
    ["file.created", "First draft"],
    ["snapshot.created", null],
    ["file.created", "Before"],
    ["file.updated", "After"],
    ["file.created", "Form"],
    ["file.updated", "Más"],
    ["file.updated", "Tag it"],
    ["file.moved", "Sort"],
    ["file.created", "Keep"],
    ["file.updated", "Back"],
    ["version.labelled", "Read"],
    ["file.deleted", "Gone"],
    ["file.restored", "Not gone"],
    ["file.deleted", "Many"],
    ["files.deleted", "Many"],
    ["folder.created", "Room"],
    ["folder.moved", "On"],
    ["folder.copied", "Two"],
    ["folder.deleted", "Off"],
    ["snapshot.created", "Zurück"],
    ["drive.restored", "Zurück"],
    ["file.created", null],
  ]);
});

const PUT = "PUT /v0/files?drive_id={drive}&path=a.txt";
const EDIT = "POST /v0/files/by-path/edit?drive_id={drive}&path=a.txt";
const VERSIONS = "GET /v0/files/by-path/versions?drive_id={drive}&path=a.txt";
const label = (n: number | string) => `/v0/files/by-path/versions/${n}/label?drive_id={drive}&path=a.txt`;
const put = (body: string, message: string, status = 200) =>
  gives(`${PUT}&message=${message}`, {}, { body, status });
const labels = (now: string | null, ...versions: readonly (string | null)[]) =>
  gives(VERSIONS, { current_label: now, data: versions.map((each) => ({ label: each })) });

runAfter(stage, [put("one", "One", 201), put("two", "Two")], {
  "a content keeps what was said of it, and not what was said of its record": [
    gives(
      "PATCH /v0/files/by-path?drive_id={drive}&path=a.txt",
      {},
      { body: { tags: ["x"], message: "Tag" } },
    ),
    gives(VERSIONS, { current_version: 2, current_message: "Two", data: [{ version: 1, message: "One" }] }),
    gives(PUT, {}, { body: "three" }),
    gives(
      "PATCH /v0/files/by-path?drive_id={drive}&path=a.txt",
      {},
      { body: { tags: ["y"], message: "Tag again" } },
    ),
    gives(VERSIONS, { current_message: null, data: [{ message: "Two" }, { message: "One" }] }),
  ],
  "a label stays with its content, and a name is of one content at a time": [
    gives(`PUT ${label(2)}`, { version: 2, label: "approved" }, { body: { label: " approved " } }),
    labels("approved", null),
    put("three", "Three"),
    labels(null, "approved", null),
    gives(`PUT ${label(1)}`, { version: 1, label: "first" }, { body: { label: "first" } }),
    gives(`PUT ${label(3)}`, { label: "approved" }, { body: { label: "approved" } }),
    labels("approved", null, "first"),
    gives(`PUT ${label(3)}`, { label: "final" }, { body: { label: "final" } }),
    gives(`DELETE ${label(1)}`, { version: 1, label: null }),
    gives(`DELETE ${label(1)}`, { version: 1, label: null }),
    labels("final", null, null),
    gives("GET /v0/changes?drive_id={drive}&sort=-id&limit=3", {
      data: [
        { type: "version.labelled", version: 1, ref: null, path: "a.txt" },
        { type: "version.labelled", version: 3, ref: "final" },
        { type: "version.labelled", version: 3, ref: "approved" },
      ],
    }),
  ],
  "there is no label of what is no version": [
    ...["0", "3", "x"].map((n) => step(`PUT ${label(n)}`, { ...refused("NOT_FOUND"), body: { label: "x" } })),
    ...wrongBodies({ label: ["", "  ", "x".repeat(65), "a\nb", 1, null] }).map(([body, field]) =>
      step(`PUT ${label(1)}`, { ...invalid(field), body }),
    ),
  ],
  "a message is one line, given once": [
    ...wrongBodies({ message: ["", " ", "x".repeat(MESSAGE_CHARACTERS + 1), "a\nb", "\0", 1] }).map(
      ([body, field]) => step(EDIT, { ...invalid(field), body: { op: "append", text: "x", ...body } }),
    ),
    step(`${EDIT}&message=a`, { ...invalid("message"), body: { op: "append", text: "x", message: "b" } }),
    step(EDIT, {
      ...invalid("message"),
      body: { op: "append", text: "x", message: "b" },
      headers: { "change-message": "a" },
    }),
    step(EDIT, {
      ...invalid("Change-Message"),
      body: { op: "append", text: "x" },
      headers: { "change-message": "x".repeat(501) },
    }),
    gives(
      `${EDIT}&message=a`,
      {},
      { body: { op: "append", text: "x", message: "a" }, headers: { "change-message": "a" } },
    ),
    gives(EDIT, {}, { body: { op: "append", text: "x", message: null } }),
    refuses("GET /v0/files/by-path?drive_id={drive}&path=a.txt&message=x", "VALIDATION_ERROR", "message"),
  ],
  "the same request with another message is another one": (
    [
      [PUT, "x"],
      [EDIT, { op: "append", text: "x" }],
    ] as const
  ).flatMap(([request, body]) => [
    gives(request, {}, { body, headers: { "idempotency-key": request, "change-message": "a" } }),
    step(request, {
      status: 422,
      json: { error: { code: "IDEMPOTENCY_KEY_REUSED" } },
      body,
      headers: { "idempotency-key": request, "change-message": "b" },
    }),
  ]),
});

test("who sees a folder is not told what was said of more than that", async () => {
  const { ada, adaPrefix } = stage.world.clients;
  const drive = stage.world.drives.ada;
  const { next_cursor: from } = await changesPage(ada, `drive_id=${drive}&cursor=latest`);
  await ada.store(drive, "notes/in.txt", "x", "&message=Shown");
  await ada.put(drive, "secret/plan.txt", "x");
  const move = (path: string, destination_path: string) =>
    ada.post(
      `/v0/files/by-path/move?drive_id=${drive}&path=${path}`,
      { destination_path, message: "Hidden" },
      200,
    );
  await move("secret/plan.txt", "notes/plan.txt");
  await move("notes/plan.txt", "secret/plan.txt");
  const { data } = await changesPage(adaPrefix, `drive_id=${drive}&cursor=${from}`);
  expect(data.map(({ type, message }) => [type, message])).toEqual([
    ["file.created", "Shown"],
    ["file.created", null],
    ["file.deleted", null],
  ]);
});

test("labels go with the file once it is gone, and messages count among what is kept", async () => {
  await using coffer = await startWithDrive({ "keep-days": "1" });
  const { client, id } = coffer.own;
  const file = await client.store(id, "a", "x", "&message=Because");
  await client.json(200, "PUT", `/v0/files/${file}/versions/1/label`, { body: { label: "ok" } });
  expect(await verified(coffer.dataDir)).toEqual([]);
  await client.delete(`/v0/files/${file}`);
  coffer.clock.advance(2 * DAY_MS);
  for (let n = 0; n < 2; n += 1) await coffer.appliance.services.sweep.run();
  expect(rowsIn(coffer.dataDir, "SELECT count(*) FROM version_label")).toEqual([[0]]);
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a change of a folder in many pieces says why at its end", async () => {
  await using world = await openForWork("move", 30, { pieceRows: 20 });
  const { services, database, caller, drive } = world;
  const to = { path: "x/more/", driveId: undefined };
  await services.folders.move({ ...caller, message: "Sort" }, drive, "many/", to);
  const told = database.sql.query("SELECT type, message FROM change WHERE message IS NOT NULL").values();
  expect(told).toEqual([
    ["folder.created", "Sort"],
    ["folder.moved", "Sort"],
  ]);
});
