import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { THUMBNAIL_LIMITS } from "../../../src/domain/contents/thumbnail.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { claimingPng, png, turnedJpeg } from "../../support/samples/pictures.ts";
import { KEEPS_NOTHING, OWN_PROCESS, startAppliance } from "../../support/server/appliance.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { provision } from "../../support/server/scenario.ts";

// Notes each process that the server starts.
const scratch = await temporaryDirectory(FAST_DIRECTORY);
const started = join(scratch.path, "started");
const noting = ["sh", "-c", `echo >> ${started}; exec "$@"`, "sh", ...OWN_PROCESS];

const coffer = await startAppliance(KEEPS_NOTHING, { program: noting });
const agent = await provision(coffer);
let { client } = agent;
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});

/** How many processes were started so far. */
const starts = () => (existsSync(started) ? readFileSync(started).length : 0);

async function restart(settings: Record<string, string> = {}): Promise<void> {
  await coffer.restart(settings);
  client = coffer.client(agent.key);
}

const kept = join(coffer.dataDir, "thumbnails");
let width = 100;

/** Stores a picture that no other test has. Returns its id. */
function picture(): Promise<string> {
  width += 1;
  return client.store(agent.id, `${width}.png`, png(width, 500));
}

/** Asks for a thumbnail. Returns its bytes, and its width, height and type. */
async function drawn(path: string) {
  const answer = await client.fetch("GET", path);
  const bytes = await answer.bytes();
  if (answer.status !== 200) throw new Error(new TextDecoder().decode(bytes));
  const { width: wide, height, format } = await new Bun.Image(bytes).metadata();
  return { bytes, looks: [wide, height, format], headers: answer.headers };
}

const at = (id: string, query = "") => `/v0/files/${id}/thumbnail${query}`;

const keptFiles = () => (existsSync(kept) ? [...new Bun.Glob("**/*").scanSync(kept)] : []);

test("a picture is drawn small in each size, and never larger than it is", async () => {
  const id = await client.store(agent.id, "wide.png", png(4000, 1000));
  const looks = [];
  for (const query of ["?size=small", "", "?size=large"]) looks.push((await drawn(at(id, query))).looks);
  expect(looks).toEqual([
    [96, 24, "webp"],
    [384, 96, "webp"],
    [1536, 384, "webp"],
  ]);
  const tiny = await client.store(agent.id, "tiny.png", png(3, 2));
  expect((await drawn(at(tiny, "?size=large"))).looks).toEqual([3, 2, "webp"]);
});

test("a photograph is turned the right way up, and nothing else that is written in it gets out", async () => {
  await client.put(agent.id, "turned.jpg", await turnedJpeg("SECRET"));
  const { bytes, looks } = await drawn(`${at("by-path")}?drive_id=${agent.id}&path=turned.jpg`);
  expect(looks).toEqual([20, 40, "webp"]);
  for (const word of ["SECRET", "Exif", "EXIF"]) expect(Buffer.from(bytes).includes(word)).toBe(false);
});

test("a thumbnail is harmless in a browser, and has an ETag of its own", async () => {
  const id = await picture();
  const { headers } = await drawn(at(id));
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "image/webp",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-cache",
  });
  const etag = headers.get("etag") ?? "";
  const again = (query: string) => client.send("GET", at(id, query), { headers: { "if-none-match": etag } });
  expect(await again("")).toMatchObject({ status: 304, text: "" });
  expect(await again("?size=small")).toMatchObject({ status: 200 });
  const head = await client.send("HEAD", at(id));
  expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
});

describe("what was drawn is kept:", () => {
  test("many who ask at once wait for one drawing", async () => {
    const id = await picture();
    const before = starts();
    const [one, ...others] = await Promise.all([1, 2, 3, 4].map(() => drawn(at(id))));
    for (const other of others) expect(other.bytes).toEqual(one?.bytes ?? new Uint8Array());
    expect(starts() - before).toBe(1);
  });

  test("the next one comes from the store, and is drawn again where that was removed or cut off", async () => {
    const id = await picture();
    const { bytes } = await drawn(at(id));
    const [name = ""] = keptFiles().filter((each) => each.includes(digestOf(png(width, 500))));
    // Another whole one in its place shows where the answer comes from.
    const other = await new Bun.Image(png(7, 7)).webp().bytes();
    await writeFile(join(kept, name), other);
    expect((await drawn(at(id))).looks).toEqual([7, 7, "webp"]);
    await truncate(join(kept, name), other.length - 1);
    expect((await drawn(at(id))).bytes).toEqual(bytes);
    await rm(kept, { recursive: true });
    expect((await drawn(at(id))).bytes).toEqual(bytes);
    expect(keptFiles()).toEqual([name]);
    await restart();
    expect((await drawn(at(id))).bytes).toEqual(bytes);
  });

  test("but not after the content is gone, and each drive has its own", async () => {
    const id = await picture();
    const digest = digestOf(png(width, 500));
    const other = await provision(coffer);
    const same = await other.client.store(other.id, "same.png", png(width, 500));
    await drawn(at(id));
    await other.client.send("GET", at(same));
    const own = () => keptFiles().filter((name) => name.includes(digest));
    expect(own()).toHaveLength(2);
    await client.delete(`/v0/files/${id}`);
    await other.client.delete(`/v0/files/${same}`);
    await sweepContents(coffer);
    expect(own()).toEqual([]);
  });

  test("or not, where the disk has no room: it is sent all the same", async () => {
    const id = await picture();
    await restart({ "disk-reserve": "1000TiB" });
    const before = keptFiles();
    expect((await drawn(at(id))).looks).toEqual([expect.any(Number), 384, "webp"]);
    expect(keptFiles()).toEqual(before);
    await restart();
  });
});

describe("there is none", () => {
  const refusals: readonly (readonly [
    string,
    string,
    () => Uint8Array<ArrayBuffer> | string,
    number,
    string,
  ])[] = [
    ["of an SVG", "a.svg", () => "<svg xmlns='http://www.w3.org/2000/svg'/>", 415, "image/svg+xml"],
    ["of a text", "a.txt", () => "text", 415, "text/plain"],
    [
      "of a page that says it is a picture",
      "page.png",
      () => "<script>alert(1)</script>",
      415,
      "no such picture",
    ],
    ["of nothing", "empty.png", () => "", 422, "malformed"],
    ["of a picture that is cut off", "cut.png", () => png(300, 300).subarray(0, 60), 422, "malformed"],
    ["of 20,000 by 20,000 pixels", "bomb.png", () => claimingPng(20_000, 20_000), 422, "100 million pixels"],
  ];
  test.each(refusals)("%s", async (_, path, content, status, words) => {
    const id = await client.store(agent.id, path, content());
    const before = starts();
    for (const time of ["first", "again"]) {
      const answer = await client.send("GET", at(id));
      expect([time, answer.status, answer.text]).toEqual([time, status, expect.stringContaining(words)]);
    }
    expect(starts() - before).toBeLessThanOrEqual(1);
  });

  test("of a picture with too many bytes", async () => {
    const id = await picture();
    const size = THUMBNAIL_LIMITS.inputBytes + 1;
    changeDatabase(coffer.dataDir, `UPDATE file SET size = ${size} WHERE id = '${id}'`);
    expect(await client.send("GET", at(id))).toMatchObject({ status: 413 });
  });

  test("in another size than those", async () => {
    expect(await client.send("GET", at(await picture(), "?size=9999"))).toMatchObject({ status: 400 });
  });
});

function digestOf(content: Uint8Array): string {
  return Bun.SHA256.hash(content, "hex");
}
