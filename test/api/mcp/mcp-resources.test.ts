import { expect, test } from "bun:test";
import { connectMcp, type McpClient, REVISIONS } from "../../support/peers/mcp.ts";
import { openStage } from "../../support/server/scenario.ts";

const stage = openStage();

/** How every PNG begins. */
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Names that could be taken for more than names. */
const HOSTILE = [
  "a b.txt",
  "100%.txt",
  "%2e%2e%2fx",
  "q?x=1#f",
  'quote".md',
  "<script>.html",
  "日本/é.txt",
  "](http:evil).md",
  "coffer:--x",
];

async function uris(me: McpClient): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await me.client.listResources(cursor === undefined ? {} : { cursor });
    expect(JSON.stringify(page).length).toBeLessThan(80_000);
    found.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

test.each(REVISIONS)("files are resources, whatever their names, over %s", async (revision) => {
  const drive = await stage.ownDrive();
  await using me = await connectMcp(stage.coffer.appliance.url, drive.key, revision);
  const etags = new Map<string, unknown>();
  for (const path of HOSTILE) {
    const { etag } = await me.get("write_file", { path, text: `in ${path}`, mime_type: "text/x-mine" });
    etags.set(path, etag);
  }
  const listed = await uris(me);
  expect(listed).toHaveLength(HOSTILE.length);
  const read: string[] = [];
  for (const uri of listed) {
    expect(uri).toMatch(/^coffer:\/\/[0-9a-f-]{36}\/[\w.!~*'()%/-]+$/);
    const { contents } = await me.client.readResource({ uri });
    const [content] = contents;
    if (content === undefined || !("text" in content)) throw new Error(`no text at ${uri}`);
    const path = content.text.slice("in ".length);
    expect(content).toMatchObject({ uri, mimeType: "text/x-mine", _meta: { etag: etags.get(path) } });
    read.push(path);
  }
  expect(read.toSorted()).toEqual(HOSTILE.toSorted());
});

test("bytes come as bytes, and what is too large is left to the tools", async () => {
  const drive = await stage.ownDrive();
  await using me = await connectMcp(stage.coffer.appliance.url, drive.key);
  const put = (path: string, body: Uint8Array<ArrayBuffer>) => drive.client.put(drive.id, path, body);
  await put("a.bin", new Uint8Array([0, 255]));
  await put("large.txt", new Uint8Array(40_000).fill(97));
  await put("large.bin", new Uint8Array(40_000));
  const image = new Uint8Array(100_000);
  image.set(PNG_START);
  await put("image.png", image);
  const uri = (path: string) => `coffer://${drive.id}/${path}`;
  expect(await me.client.readResource({ uri: uri("a.bin") })).toMatchObject({ contents: [{ blob: "AP8=" }] });
  expect(await me.client.readResource({ uri: uri("image.png") })).toMatchObject({
    contents: [{ blob: image.toBase64() }],
  });
  for (const path of ["large.txt", "large.bin"]) {
    expect(me.client.readResource({ uri: uri(path) })).rejects.toThrow(/PAYLOAD_TOO_LARGE: .*read_file/);
  }
});

test("all drives of an account are listed, page by page, and those of others are not there", async () => {
  await using bob = await connectMcp(stage.coffer.appliance.url, stage.world.keys.bob);

  for (const name of ["Empty", "Second"]) await stage.world.clients.bob.makeDrive(name);
  const many = Array.from({ length: 130 }, (_, at) => `f${String(at).padStart(3, "0")}.txt`);
  for (const path of many) await bob.get("write_file", { drive: "bob/second", path, text: "" });
  const found = await uris(bob);
  expect(found).toHaveLength(131);
  expect(new Set(found).size).toBe(131);
  expect(bob.client.listResources({ cursor: "x" })).rejects.toThrow("cursor");

  await using ada = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada);
  const none = ["coffer://", "coffer://x", "coffer://%ff/x", "file:///etc/passwd", "x"];
  for (const uri of [found[0] ?? "", ...none]) {
    expect(ada.client.readResource({ uri })).rejects.toThrow(/NOT_FOUND/);
  }
  const notes = await ada.client.readResource({ uri: "coffer://ada%2Fnotes/notes/hello.txt" });
  expect(notes).toMatchObject({ contents: [{ text: "Hello World!" }] });
  // A model that knows the slug does not encode it.
  const plain = await ada.client.readResource({ uri: "coffer://ada/notes/notes/hello.txt" });
  expect(plain).toMatchObject({ contents: [{ text: "Hello World!" }] });
});

test("a drive and a path are completed", async () => {
  await using ada = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada);
  const { resourceTemplates } = await ada.client.listResourceTemplates();
  const uri = resourceTemplates[0]?.uriTemplate ?? "";
  const complete = async (name: string, value: string, given: Record<string, string> = {}) => {
    const ref = { type: "ref/resource" as const, uri };
    const context = { arguments: given };
    const { completion } = await ada.client.complete({ ref, argument: { name, value }, context });
    return completion.values;
  };
  expect(await complete("drive", "ada/")).toEqual(["ada/notes"]);
  expect(await complete("drive", "bob/")).toEqual([]);
  expect(await complete("path", "no", { drive: "ada/notes" })).toEqual(["notes/"]);
  expect(await complete("path", "notes/", { drive: "ada/notes" })).toEqual(["notes/hello.txt"]);
  expect(await complete("path", "no")).toEqual([]);
  expect(complete("path", "no", { drive: "bob/notes" })).rejects.toThrow("NOT_FOUND");
});
