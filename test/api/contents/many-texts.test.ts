import { expect, test } from "bun:test";
import { READ_MANY } from "../../../src/domain/limits.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { openStage } from "../../support/server/scenario.ts";
import { textsOf, writeBatch } from "../../support/samples/batches.ts";

const stage = openStage();

interface Read {
  readonly files: readonly { readonly path: string; readonly text?: string; readonly next_line?: number }[];
  readonly failed: readonly { readonly name: string; readonly error: { readonly code: string } }[];
  readonly left: readonly string[];
}

function read(client: Client, body: Json): Promise<Read> {
  return client.post<Read>("/v0/files/read", body, 200);
}

test("texts come in the order in which they are named, once each, by paths or ids", async () => {
  const { client, id } = await stage.ownDrive();
  await writeBatch(client, id, textsOf({ a: "1\r\n2\n", b: "x", "empty.txt": "" }));
  await client.put(id, "c.png", new Uint8Array([0, 1, 255]));
  const { files, failed, left } = await read(client, {
    drive_id: id,
    paths: ["b", "/b", "none", "a", "b", "c.png", "../x", "empty.txt"],
  });
  expect(files).toMatchObject([
    { path: "b", text: "x" },
    { path: "b", text: "x" },
    { path: "a", text: "1\r\n2\n" },
    { path: "c.png", content: "AAH/" },
    { path: "empty.txt", text: "" },
  ]);
  expect(failed.map(({ name, error }) => [name, error.code])).toEqual([
    ["none", "NOT_FOUND"],
    ["../x", "VALIDATION_ERROR"],
  ]);
  expect(left).toEqual([]);
  const file = await client.store(id, "d", "by id");
  expect(await read(client, { file_ids: [file, "nothing"] })).toMatchObject({
    files: [{ path: "d", text: "by id" }],
    failed: [{ name: "nothing" }],
  });
});

test("what does not fit is cut at a line, and the rest is left; to go on with both gives everything", async () => {
  const { client, id } = await stage.ownDrive();
  const texts = Object.fromEntries(
    [0, 1, 2].map((n) => [`${n}`, Array.from({ length: 60 }, (_, at) => `${n} line ${at}`).join("\n")]),
  );
  await writeBatch(client, id, textsOf(texts));
  const { files, left } = await read(client, { drive_id: id, paths: ["0", "1", "2"], max_bytes: 1000 });
  const [whole, cut] = files;
  expect([whole?.text, files.length, left]).toEqual([texts["0"], 2, ["2"]]);
  const rest = await client.get<{ lines: { text: string }[] }>(
    `/v0/files/by-path/text?drive_id=${id}&path=1&start_line=${cut?.next_line}`,
  );
  expect([cut?.text, ...rest.lines.map(({ text }) => text)].join("\n")).toBe(texts["1"] ?? "");
});

test("nobody reads what is not theirs, and a long file is to be read alone", async () => {
  const { client, id } = await stage.ownDrive();
  await writeBatch(client, id, textsOf({ "in/a": "x", b: "x" }));
  await client.put(id, "long.txt", "x".repeat(READ_MANY.fileBytes + 1));
  const { key } = await client.makeKey({ name: "inside", path_prefix: "in/" });
  const seen = await read(stage.coffer.client(key), { drive_id: id, paths: ["in/a", "b"] });
  expect(seen).toMatchObject({
    files: [{ path: "in/a" }],
    failed: [{ name: "b", error: { code: "NOT_FOUND" } }],
  });
  expect(await read(client, { drive_id: id, paths: ["long.txt"] })).toMatchObject({
    failed: [{ error: { code: "PAYLOAD_TOO_LARGE" } }],
  });
  await stage.world.clients.bob.json(404, "POST", "/v0/files/read", { body: { drive_id: id, paths: ["b"] } });
});
