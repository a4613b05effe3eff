import { expect, test } from "bun:test";
import { ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { accountClient, startWithAda } from "../support/server/accounts.ts";
import { KEEPS_NOTHING } from "../support/server/appliance.ts";
import type { Answer } from "../support/server/client.ts";
import { runs } from "../support/models/properties.ts";
import { Random } from "../support/server/random.ts";
import { SEED } from "../support/server/seed.ts";
import { openStage, type OwnDrive } from "../support/server/scenario.ts";
import { whileSweeping } from "../support/samples/contents.ts";
import { hashOf } from "../support/samples/hash.ts";
import { verified } from "../support/faults/verified.ts";
import { listFiles, putFile } from "../support/server/drives.ts";

const stage = openStage();

type Own = Pick<OwnDrive, "id" | "client">;

/** How many requests are sent at once. */
const MANY = 50;
const ROUNDS = Math.ceil((runs().numRuns ?? 1) / 50);

/** In the database, in a file, and so long that it is read while it is sent. */
const SIZES = [100, 20_000, 700_000];
const CONTENTS = SIZES.map((size, index) => Buffer.alloc(size, `content ${index} `));
const DIGESTS = CONTENTS.map((content) => Bun.SHA256.hash(content, "hex"));

function many<T>(send: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: MANY }, (_, index) => send(index)));
}

function put(own: Own, path: string, body: Buffer<ArrayBuffer> | string): Promise<Answer> {
  const query = new URLSearchParams({ drive_id: own.id, path });
  return own.client.send("PUT", `/v0/files?${query.toString()}`, { body });
}

async function pathsIn(own: Own): Promise<string[]> {
  return (await listFiles(own, own.id)).map(({ path }) => path);
}

function withStatus(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

/** A download, with its body as bytes. */
async function download(own: Own, id: string, headers: Record<string, string>) {
  const response = await own.client.fetch("GET", `/v0/files/${id}/download`, { headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.bytes()) };
}

/** The response must be one content, whole, or the range of it that was asked for. */
function expectOneContent(
  { status, headers, body }: Awaited<ReturnType<typeof download>>,
  asked: { readonly range: readonly [start: number, end: number] | null; readonly ifRange: string | null },
): void {
  const digest = headers.get("etag")?.slice(1, -1) ?? "";
  const content = CONTENTS[DIGESTS.indexOf(digest)] ?? Buffer.from("none");
  expect(headers.get("repr-digest")).toBe(`sha-256=:${Buffer.from(digest, "hex").toString("base64")}:`);
  const mayBePart = asked.range !== null && (asked.ifRange === null || asked.ifRange === digest);
  expect(status).toBe(mayBePart ? 206 : 200);
  const [start, end] = mayBePart ? (asked.range ?? [0, 0]) : [0, content.length];
  if (mayBePart) expect(headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${content.length}`);
  expect(body.equals(content.subarray(start, end))).toBeTrue();
}

test("a file that is replaced while it is downloaded and copied gives one of its contents, never a mix", async () => {
  const random = new Random(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await stage.ownDrive();
    const id = await putFile(own, own.id, "a", CONTENTS[0] ?? Buffer.from(""));
    await many(async (index) => {
      if (index % 3 === 0) {
        expect((await put(own, "a", random.pick(CONTENTS))).status).toBe(200);
        return;
      }
      if (index % 3 === 1) {
        const body = { destination_path: `copies/${index}` };
        const copy = await own.client.post<{ id: string; content_hash: string }>(
          `/v0/files/${id}/copy`,
          body,
        );
        const found = await download(own, copy.id, {});
        expectOneContent(found, { range: null, ifRange: null });
        expect(found.headers.get("etag")).toBe(`"${copy.content_hash.replace("sha256:", "")}"`);
        return;
      }
      const range = random.chance(0.7) ? ([random.below(40), 41 + random.below(59)] as const) : null;
      const ifRange = random.chance(0.5) ? random.pick(DIGESTS) : null;
      const headers = {
        ...(range === null ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` }),
        ...(ifRange === null ? {} : { "if-range": `"${ifRange}"` }),
      };
      expectOneContent(await download(own, id, headers), { range, ifRange });
    });
  }
});

test("of many files that are moved to one path, one gets there, and the others stay", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await stage.ownDrive();
    const ids = await many((index) => putFile(own, own.id, `from/${index}`, String(index)));
    const move = (overwrite: boolean) => {
      const body = { destination_path: "to", overwrite };
      return Promise.all(ids.map((id) => own.client.send("POST", `/v0/files/${id}/move`, { body })));
    };
    const answers = await move(false);
    expect([withStatus(answers, 200), withStatus(answers, 409)]).toEqual([1, MANY - 1]);
    expect(await pathsIn(own)).toHaveLength(MANY);
    const last = await move(true);
    expect(withStatus(last, 200) + withStatus(last, 404)).toBe(MANY);
    expect(await pathsIn(own)).toEqual(["to"]);
  }
});

test("what is uploaded into a folder while it is deleted is deleted with it, or there", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await stage.ownDrive();
    await putFile(own, own.id, "d/first", "first");
    const deleted: Promise<{ deleted_count: number }>[] = [];
    const uploads = await many(async (index) => {
      const uploaded = put(own, `d/e/${index}`, `file ${index}`);
      if (index === MANY / 2) {
        const body = { drive_id: own.id, path: "d/", confirm: true };
        deleted.push(own.client.delete("/v0/folders", body));
      }
      return uploaded;
    });
    const [removal] = await Promise.all(deleted);
    expect(withStatus(uploads, 201)).toBe(MANY);
    const left = await pathsIn(own);
    expect((removal?.deleted_count ?? 0) + left.length).toBe(MANY + 1);
    for (const path of left) {
      const [file] = await listFiles(own, own.id, path);
      expect((await download(own, file?.id ?? "", {})).body.toString()).toBe(`file ${path.slice(4)}`);
    }
  }
});

test("a key that is revoked while it writes has done all that was answered, and nothing after its end", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await stage.ownDrive();
    const made = await own.client.makeKey();
    const other = { ...own, client: stage.coffer.client(made.key) };
    const done: string[] = [];
    const isUnderWay = Promise.withResolvers<void>();
    const writing = many(async (lane) => {
      for (let index = 0; ; index += 1) {
        const path = `${lane}-${index}`;
        const { status } = await put(other, path, Buffer.alloc(100_000, `file ${path} of ${round} `));
        if (status !== 201) return status;
        done.push(path);
        if (done.length > MANY) isUnderWay.resolve();
      }
    });
    await isUnderWay.promise;
    await own.client.delete(`/v0/keys/${made.id}`);
    const atItsEnd = await pathsIn(own);
    expect(new Set(await writing)).toEqual(new Set([401]));
    expect([atItsEnd, await pathsIn(own)]).toEqual([done.toSorted(), done.toSorted()]);
  }
});

/** So much may happen in a drive of Ada's while its contents are swept, and all must be whole afterwards. */
async function whileCollected(
  settings: Record<string, string>,
  lanes: number,
  lane: (own: Own, index: number, collected: () => number) => Promise<void>,
): Promise<void> {
  // A drive of an account: sweeps may take it past the end of an unclaimed one.
  await using coffer = await startWithAda(settings);
  const { appliance, clock } = coffer;
  const client = await accountClient(coffer, "ada");
  const own = { client, id: (await client.makeDrive("Own")).id };
  await whileSweeping({ ...appliance, clock }, ORPHAN_GRACE_MS / 2, (collected) =>
    Promise.all(Array.from({ length: lanes }, (_, index) => lane(own, index, collected))),
  );
  await coffer.close();
  expect(coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  expect(await verified(coffer.dataDir)).toEqual([]);
}

test("contents that come and go are whole while all that nothing names is collected", async () => {
  const random = new Random(2);
  // Two lanes store and delete each content: in turn, at once, and while it is collected.
  await whileCollected(KEEPS_NOTHING, 8, async (own, index, collected) => {
    // Too long for the cache of small contents.
    const content = Buffer.alloc(70_000, `content ${index >> 1} `);
    for (let round = 0; round < ROUNDS * 10 || collected() === 0; round += 1) {
      const id = await putFile(own, own.id, `${index}/${round}`, content);
      expect((await download(own, id, {})).body.equals(content)).toBeTrue();
      await own.client.delete(`/v0/files/${id}`);
      // In the end the lanes rest for longer and longer: else it is chance when both of a content do.
      const most = 8 + 8 * Math.max(0, round - ROUNDS * 10);
      for (let pause = random.below(most); pause > 0; pause -= 1) await own.client.send("GET", "/v0/drives");
    }
  });
});

test("contents of versions are whole, or gone, while they end, are pruned and collected", async () => {
  const seen = new Set<number>();
  const settings = { "keep-days": "2", "storage-limits": "team=400000" };
  await whileCollected(settings, 6, async (own, index) => {
    const random = new Random((runs().seed ?? SEED) + index);
    for (let round = 0; round < ROUNDS * 8; round += 1) {
      const body = Buffer.alloc(random.pick([100, 20_000, 70_000]), `${random.below(3)} `);
      const stored = await put(own, String(index), body);
      // What is replaced may take up too much of the disk for a minute.
      if (stored.status === 403) continue;
      const { id }: { id: string } = JSON.parse(stored.text);
      const { data } = await own.client.get<{ data: { version: number; content_hash: string }[] }>(
        `/v0/files/${id}/versions`,
      );
      const version = data.at(random.below(data.length));
      if (version === undefined) continue;
      const one = `/v0/files/${id}/versions/${version.version}`;
      if (random.chance(0.3)) await own.client.send("POST", `${one}/restore`);
      const response = await own.client.fetch("GET", `${one}/download`);
      const bytes = await response.bytes();
      seen.add(response.status);
      if (response.status === 200) expect(`sha256:${hashOf(bytes)}`).toBe(version.content_hash);
    }
  });
  expect([200, 404]).toEqual(expect.arrayContaining([...seen]));
  expect(seen).toContain(200);
});
