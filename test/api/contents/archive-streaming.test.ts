import { describe, expect, test } from "bun:test";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import { ARCHIVE_LIMITS } from "../../../src/domain/limits.ts";
import { address, archived, filled, opened } from "../../support/samples/archives.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { connections, NO_OPEN_FILES, openFiles } from "../../support/faults/open-files.ts";
import { eventually, openStage, type OwnDrive } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { LARGE, SlowReader } from "../../support/peers/slow-reader.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { callerWith } from "../../support/server/services-drive.ts";
import { longTest } from "../../support/server/thorough.ts";

const stage = openStage(KEEPS_NOTHING);

async function remove(own: OwnDrive, path: string): Promise<void> {
  await own.client.delete("/v0/folders", { drive_id: own.id, path, confirm: true });
}

/** Asks for an archive, and leaves so many milliseconds later. */
async function leaveAtOnce(own: OwnDrive, ms: number): Promise<void> {
  const aborting = new AbortController();
  const headers = { authorization: `Bearer ${own.key}` };
  const leaving = fetch(stage.coffer.appliance.url + address(own.id), {
    headers,
    signal: aborting.signal,
  }).catch(() => null);
  if (ms > 0) await Bun.sleep(ms);
  aborting.abort();
  await leaving;
}

/** The contents of an archive that comes whole. */
async function restOf(reader: SlowReader): Promise<Record<string, string>> {
  const archive = await reader.rest();
  if (archive === null) throw new Error("the archive was broken off");
  return opened(archive, (zip) => zip.texts());
}

describe("while it is on its way", () => {
  const NEXT = { "b/1": "one", "b/2": "two", c: "three", "d/4": "four" };
  const slow = () => filled(stage, { a: LARGE, ...NEXT });
  const expected = { "b/": "", "d/": "", ...NEXT };

  test("deleting, replacing, moving and adding change nothing of it", async () => {
    const own = await slow();
    await using reader = await SlowReader.of(own);
    await remove(own, "b/");
    await own.client.store(own.id, "c", "another");
    const move = `/v0/files/by-path/move?drive_id=${own.id}&path=d/4`;
    await own.client.post(move, { destination_path: "aa" }, 200);
    await own.client.store(own.id, "ab", "added");
    await stage.coffer.appliance.services.sweep.run();
    const { a, ...others } = await restOf(reader);
    expect(a).toBe(LARGE.toString());
    expect(others).toEqual(expected);
    // And what is there now is another matter.
    const { a: _, ...now } = await archived(own.client, own.id);
    expect(now).toEqual({ aa: NEXT["d/4"], ab: "added", c: "another", "d/": "" });
  });

  longTest(
    "deleting the drive changes nothing of it: it comes whole, or is cut off since nobody may have it",
    async () => {
      const own = await slow();
      await using reader = await SlowReader.of(own);
      await own.client.delete(`/v0/drives/${own.id}`);
      await stage.coffer.appliance.services.sweep.run();
      const archive = await reader.rest();
      // Whether the caller may still have it is asked twice a second.
      if (archive === null) return;
      const { a: _, ...others } = await opened(archive, (zip) => zip.texts());
      expect(others).toEqual(expected);
    },
  );

  test("a content that is gone for good breaks the connection, and the log says why", async () => {
    const own = await filled(stage, { a: LARGE, "b/unlike any other": crypto.randomUUID() });
    await using reader = await SlowReader.of(own);
    await remove(own, "b/");
    await sweepContents(stage.coffer);
    expect(await reader.rest()).toBeNull();
    const told = stage.coffer.lines.filter((line) => line.includes("sending an archive failed"));
    expect(told.at(-1)).toMatch(/"request_id":"[0-9a-f-]{36}".*b\/unlike any other.* is missing"/);
  });

  test.skipIf(NO_OPEN_FILES !== "")(
    withReason("a client that leaves takes everything with it", NO_OPEN_FILES),
    async () => {
      const own = await slow();
      // Its thread has a connection, and ends after a while.
      await stage.coffer.appliance.services.indexer.stop();
      const before = connections();
      for (let n = 0; n < 5; n += 1) {
        await using reader = await SlowReader.of(own);
        expect(connections()).toBeGreaterThan(before ?? 0);
        reader.leave();
        await eventually(() => connections() === before);
      }
      // One that leaves before the first byte comes.
      await leaveAtOnce(own, 0);
      await archived(own.client, own.id);
      await eventually(() => connections() === before);
    },
  );
});

/** A drive with 20,000 files behind `first`, before `zz`; and its archive, which nobody has asked for yet. */
async function long() {
  const own = await filled(stage, { first: "x", zz: "y" });
  const { data } = await own.client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${own.id}`);
  await addManyFiles(stage.coffer.dataDir, data[0]?.id ?? "", 20_000);
  const { services } = stage.coffer.appliance;
  const caller = callerWith(services, own.key);
  const last = data[1]?.id ?? "";
  const packing = services.archives.open(caller, "127.0.0.1", own.id, []).pieces();
  return { own, services, caller, last, packing };
}

describe("while a long one is on its way", () => {
  longTest("others have their turn", async () => {
    const { packing } = await long();
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    for await (const piece of packing) expect(piece.length).toBeGreaterThan(0);
    isDone = true;
    // Forty to write the list down, two hundred to pack, two hundred for the directory.
    expect(turns).toBeGreaterThan(400);
  });

  longTest(
    "what changes while the list is written down changes nothing of it; the list is where there is sure to be a place",
    async () => {
      const { services, caller, last, packing } = await long();
      const first = packing.next();
      await services.files.remove(caller, { id: last }, UNCONDITIONAL);
      const { value, done } = await first;
      expect(done).toBe(false);
      const lists = openFiles()?.filter((file) => file.includes("etilqs"));
      if (NO_OPEN_FILES === "")
        expect(lists).toEqual([expect.stringContaining(`${stage.coffer.dataDir}/etilqs`)]);
      const pieces = [value ?? new Uint8Array(), ...(await Array.fromAsync(packing))];
      await opened(Buffer.concat(pieces), (zip) => {
        expect(zip.entries).toHaveLength(20_003);
        expect(zip.entries.at(-1)?.name).toBe("zz");
      });
    },
  );

  test("what goes before the list is begun is not found", async () => {
    const { services, caller, last } = await long();
    const { driveId } = services.files.get(caller, { id: last });
    const packing = services.archives.open(caller, "127.0.0.1", driveId, ["first", "zz"]).pieces();
    await services.files.remove(caller, { id: last }, UNCONDITIONAL);
    const failure = await packing.next().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "NOT_FOUND" });
  });

  longTest("leaving before anything has come holds no place", async () => {
    const { own } = await long();
    for (let n = 0; n < 3 * ARCHIVE_LIMITS.each; n += 1) await leaveAtOnce(own, n);
    await eventually(async () => (await own.client.send("GET", address(own.id))).status === 200);
  });
});
