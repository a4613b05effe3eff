import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../support/server/client.ts";
import { type Agent, provision, type Server, serve } from "../../support/server/executable.ts";
import { heldBy } from "../../support/faults/faults.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { listFiles } from "../../support/server/drives.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

// A killed process loses what it had not handed to the system. What the system had not written to
// the disk yet survives, other than in a power cut: that order is what test/blobs and test/db are about.

const ROUNDS = 5;
const WRITERS = 16;
/** The server is killed after this many answers of a round, so always amid other requests. */
const ANSWERS = 60;

/** What stands at a path: the hash of a content, or null for no file. */
type Standing = string | null;

/** One path, its last answered state, and the state it is in if the request that was cut off took effect. */
interface Slot {
  id: string | null;
  answered: Standing;
  underWay: Standing | undefined;
}

test("nothing that was answered is lost, and nothing is half there, however often the server is killed", async () => {
  await using place = await temporaryDirectory();
  let server = await serve(place);
  const { key, drive } = await provision(server);
  const slots = new Map<string, Slot>();
  try {
    let cutOff = 0;
    for (let round = 0; round < ROUNDS; round++) {
      cutOff += await writeUntilKilled(server, { key, drive }, slots, round);
      server = await serve(place);
      expect(await readdir(join(place.dataDir, "tmp"))).toEqual([]);
      await requireWholeBlobs(join(place.dataDir, "blobs"));
      await requireAsAnswered(server.client(key), drive, slots);
    }
    // Else the moments of the kills were badly chosen.
    expect(cutOff).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.kill();
  }
});

/**
 * Many writers side by side, each with paths of its own, until the server is killed amid them; how many were
 * cut off in the middle of a request. On a machine with much else to do all may just have their answers.
 */
async function writeUntilKilled(
  server: Server,
  { key, drive }: Pick<Agent, "key" | "drive">,
  slots: Map<string, Slot>,
  round: number,
): Promise<number> {
  const client = server.client(key);
  let answers = 0;
  const kills: Promise<void>[] = [];
  const writer = async (number: number) => {
    for (let turn = 0; kills.length === 0; turn++) {
      // Half of the paths are those of the round before: they are replaced and deleted.
      const path = `round ${round - (turn % 2)}/${number}/${turn >> 1}.bin`;
      const slot = slots.get(path) ?? { id: null, answered: null, underWay: undefined };
      slots.set(path, slot);
      await change(client, drive, path, slot, number + turn);
      answers += 1;
      if (answers === ANSWERS) kills.push(server.kill());
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  await Promise.all(kills);
  expect(answers).toBeGreaterThanOrEqual(ANSWERS);
  return outcomes.filter(({ status }) => status === "rejected").length;
}

/** One write of some kind; rejects when the server goes away before it has answered. */
async function change(client: Client, drive: string, path: string, slot: Slot, kind: number): Promise<void> {
  if (slot.id !== null && kind % 5 === 0) {
    slot.underWay = null;
    await client.delete(`/v0/files/${slot.id}`);
    Object.assign(slot, { id: null, answered: null, underWay: undefined });
    return;
  }
  // From less than a page to several hundred KiB: some arrive in one piece, some in many.
  const content = crypto.getRandomValues(new Uint8Array([200, 5000, 64_000][kind % 3] ?? 0)).toBase64();
  const bytes = Buffer.from(content.repeat(kind % 7 === 0 ? 4 : 1));
  slot.underWay = hashOf(bytes);
  const status = slot.id === null ? 201 : 200;
  const file =
    kind % 2 === 0
      ? await client.put<{ id: string }>(drive, path, Uint8Array.from(bytes), status)
      : await client.json<{ id: string }>(status, "POST", "/v0/files", {
          body: { drive_id: drive, filename: "any.bin", path, content: bytes.toString("base64") },
        });
  Object.assign(slot, { id: file.id, answered: slot.underWay, underWay: undefined });
}

async function requireWholeBlobs(blobs: string): Promise<void> {
  for await (const name of new Bun.Glob("*/*").scan(blobs)) {
    const digest = name.slice(name.indexOf("/") + 1);
    expect([name, hashOf(await Bun.file(join(blobs, name)).bytes())]).toEqual([name, digest]);
  }
}

/** Compares every path with what was answered, and takes over the effects of what was not. */
async function requireAsAnswered(client: Client, drive: string, slots: Map<string, Slot>): Promise<void> {
  // Reads each content, and compares its digest with the record.
  const held = await heldBy(client, drive);
  const files = new Map((await listFiles({ client }, drive)).map((file) => [file.path, file]));
  for (const [path, slot] of slots) {
    const standing = held[path] ?? null;
    const possible = slot.underWay === undefined ? [slot.answered] : [slot.answered, slot.underWay];
    expect([path, possible]).toEqual([path, expect.arrayContaining([standing])]);
    Object.assign(slot, { id: files.get(path)?.id ?? null, answered: standing, underWay: undefined });
  }
  for (const path of files.keys()) expect([path, slots.has(path)]).toEqual([path, true]);
}
