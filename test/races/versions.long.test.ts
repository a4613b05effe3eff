import { expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import type { Client } from "../support/server/client.ts";
import { Random } from "../support/server/random.ts";
import { SEED } from "../support/server/seed.ts";
import { verified } from "../support/faults/verified.ts";
import { populate } from "../support/server/world.ts";
import { hashOf } from "../support/samples/hash.ts";

/** How much the Coffer that is compared with the model keeps. */
const KEPT = { days: 2, versions: 4 };
const KEPT_MS = KEPT.days * 24 * 60 * 60 * 1000;

interface ModelVersion {
  readonly number: number;
  readonly content: Buffer<ArrayBuffer>;
  readonly replacedAt: number;
}

interface ModelFile {
  readonly id: string;
  readonly path: string;
  content: Buffer<ArrayBuffer>;
  number: number;
  versions: ModelVersion[];
}

/** What a drive holds and keeps, as simply as can be. Times are milliseconds since the epoch. */
class HistoryModel {
  readonly files = new Map<string, ModelFile>();
  readonly trash = new Map<string, { readonly file: ModelFile; readonly deletedAt: number }>();

  /** The file with this id. */
  file(id: string): ModelFile {
    const file = [...this.files.values()].find((each) => each.id === id);
    if (file === undefined) throw new Error("the model has no such file");
    return file;
  }

  put(path: string, id: string, content: Buffer<ArrayBuffer>, now: number): void {
    const file = this.files.get(path);
    if (file === undefined) this.files.set(path, { id, path, content, number: 1, versions: [] });
    else replace(file, content, now);
  }

  restoreVersion(path: string, number: number, now: number): void {
    const file = this.#at(path);
    const version = file.versions.find((each) => each.number === number);
    if (version === undefined) throw new Error("the model has no such version");
    replace(file, version.content, now);
  }

  removeVersion(path: string, number: number): void {
    const file = this.#at(path);
    file.versions = file.versions.filter((each) => each.number !== number);
  }

  remove(path: string, entry: string, now: number): void {
    const file = this.#at(path);
    this.files.delete(path);
    this.trash.set(entry, { file, deletedAt: now });
  }

  restore(entry: string, path: string): void {
    const trashed = this.trash.get(entry);
    if (trashed === undefined) throw new Error("the model has no such entry");
    this.trash.delete(entry);
    this.files.set(path, { ...trashed.file, path });
  }

  /** Drops what is kept for long enough. */
  pass(now: number): void {
    for (const [entry, { deletedAt }] of this.trash) if (deletedAt <= now - KEPT_MS) this.trash.delete(entry);
    for (const file of this.#all()) {
      file.versions = file.versions.filter(({ replacedAt }) => replacedAt > now - KEPT_MS);
    }
  }

  /** The bytes of each content that is kept and that no file has. */
  keptBytes(): number {
    const live = new Set([...this.files.values()].map(({ content }) => content));
    const kept = new Set([
      ...[...this.trash.values()].map(({ file }) => file.content),
      ...this.#all().flatMap(({ versions }) => versions.map(({ content }) => content)),
    ]);
    return [...kept].reduce((sum, content) => (live.has(content) ? sum : sum + content.length), 0);
  }

  #at(path: string): ModelFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Error("the model has no file there");
    return file;
  }

  #all(): ModelFile[] {
    return [...this.files.values(), ...[...this.trash.values()].map(({ file }) => file)];
  }
}

function replace(file: ModelFile, content: Buffer<ArrayBuffer>, now: number): void {
  if (content === file.content) return;
  const version = { number: file.number, content: file.content, replacedAt: now };
  file.versions = [...file.versions, version].slice(-KEPT.versions);
  file.number += 1;
  file.content = content;
}

// Random changes of a drive's files, compared with a model of what must be there and kept. Contents are few, so that
// many rows share each, and most collections meet one that is still named.

const HOUR_MS = 60 * 60 * 1000;
const STEPS = 1000;
const PATHS = ["a", "b", "c", "d/a", "d/b"];

class World {
  readonly #coffer: TestAppliance;
  readonly #client: Client;
  readonly #drive: string;
  readonly #random: Random;
  readonly #model = new HistoryModel();
  /** In the database, and in files. */
  readonly #contents: readonly Buffer<ArrayBuffer>[];

  constructor(parts: { coffer: TestAppliance; client: Client; drive: string; random: Random }) {
    this.#coffer = parts.coffer;
    this.#client = parts.client;
    this.#drive = parts.drive;
    this.#random = parts.random;
    this.#contents = [10, 100, 5000, 20_000, 40_001, 90_000].map((size) => Buffer.alloc(size, `${size} `));
  }

  async step(): Promise<void> {
    const random = this.#random;
    const path = random.pick(PATHS);
    const file = this.#model.files.get(path);
    const [entry] = [...this.#model.trash.keys()].toSorted(() => random.below(3) - 1);
    const version = file === undefined || file.versions.length === 0 ? null : random.pick(file.versions);
    if (random.chance(0.12)) await this.#pass();
    else if (entry !== undefined && random.chance(0.2)) await this.#restore(entry);
    else if (entry !== undefined && random.chance(0.1)) await this.#purge(entry);
    else if (version !== null && random.chance(0.25)) await this.#restoreVersion(path, version.number);
    else if (version !== null && random.chance(0.05)) await this.#removeVersion(path, version.number);
    else if (file !== undefined && random.chance(0.06)) await this.#remove(path);
    else await this.#put(path);
  }

  /** Compares all that can be seen with the model. */
  async check(): Promise<void> {
    for (const { id, content, number, versions } of this.#model.files.values()) {
      expect(await this.#hashOf(`/v0/files/${id}/download`)).toBe(hashOf(content));
      const page = await this.#client.get<{
        data: { version: number; content_hash: string }[];
        current_version: number;
      }>(`/v0/files/${id}/versions`);
      expect(page.current_version).toBe(number);
      expect(page.data.map((each) => [each.version, each.content_hash])).toEqual(
        versions.toReversed().map((each) => [each.number, `sha256:${hashOf(each.content)}`]),
      );
      for (const each of versions)
        expect(await this.#hashOf(`/v0/files/${id}/versions/${each.number}/download`)).toBe(
          hashOf(each.content),
        );
    }
    const trash = await this.#client.get<{ data: { id: string }[] }>(
      `/v0/trash?drive_id=${this.#drive}&limit=1000`,
    );
    expect(trash.data.map(({ id }) => id).toSorted()).toEqual([...this.#model.trash.keys()].toSorted());
    // What was deleted for good is counted until it is swept.
    await this.#coffer.appliance.services.sweep.run();
    await this.#coffer.appliance.services.sweep.run();
    const key = await this.#client.makeKey({ drive_id: this.#drive });
    const usage = await this.#coffer
      .client(key.key)
      .get<{ data: { versions: { used: number } } }>("/v0/account/usage");
    expect(usage.data.versions.used).toBe(this.#model.keptBytes());
    expect(await verified(this.#coffer.dataDir)).toEqual([]);
  }

  async #put(path: string): Promise<void> {
    const content = this.#random.pick(this.#contents);
    const address = `/v0/files?drive_id=${this.#drive}&path=${path}`;
    const { status, text } = await this.#client.send("PUT", address, { body: content });
    expect(status).toBe(this.#model.files.has(path) ? 200 : 201);
    this.#model.put(path, JSON.parse(text).id, content, this.#coffer.clock.now());
  }

  async #remove(path: string): Promise<void> {
    const address = `/v0/files/by-path?drive_id=${this.#drive}&path=${path}`;
    const gone = await this.#client.delete<{ trash_id: string }>(address);
    this.#model.remove(path, gone.trash_id, this.#coffer.clock.now());
  }

  async #restore(entry: string): Promise<void> {
    const back = await this.#client.json<{ path: string }>(200, "POST", `/v0/trash/${entry}/restore`);
    this.#model.restore(entry, back.path);
  }

  async #purge(entry: string): Promise<void> {
    await this.#client.delete(`/v0/trash/${entry}`);
    this.#model.trash.delete(entry);
  }

  async #restoreVersion(path: string, number: number): Promise<void> {
    const { id } = this.#model.files.get(path) ?? { id: "" };
    await this.#client.json(200, "POST", `/v0/files/${id}/versions/${number}/restore`);
    this.#model.restoreVersion(path, number, this.#coffer.clock.now());
  }

  async #removeVersion(path: string, number: number): Promise<void> {
    const { id } = this.#model.files.get(path) ?? { id: "" };
    await this.#client.delete(`/v0/files/${id}/versions/${number}`);
    this.#model.removeVersion(path, number);
  }

  /** Lets some hours pass, and sweeps: contents that nothing names any more are collected. */
  async #pass(): Promise<void> {
    this.#coffer.clock.advance((1 + this.#random.below(8)) * HOUR_MS);
    this.#model.pass(this.#coffer.clock.now());
    await this.#coffer.appliance.services.sweep.run();
  }

  async #hashOf(address: string): Promise<string> {
    const response = await this.#client.fetch("GET", address);
    expect([address, response.status]).toEqual([address, 200]);
    return hashOf(await response.bytes());
  }
}

test.each([SEED, SEED + 1, SEED + 2])("what is kept is what a model keeps, with seed %i", async (seed) => {
  const settings = { "keep-days": String(KEPT.days), "keep-versions": String(KEPT.versions) };
  await using coffer = await startAppliance(settings);
  const { ada } = (await populate(coffer)).clients;
  const made = await ada.makeDrive("M");
  const world = new World({ coffer, client: ada, drive: made.id, random: new Random(seed) });
  for (let step = 0; step < STEPS; step += 1) {
    await world.step();
    if (step % 50 === 49) await world.check();
  }
});

test("contents of versions are whole, or gone, while they end, are pruned and collected", async () => {
  const settings = { "keep-days": String(KEPT.days), "storage-limits": "team=400000" };
  await using coffer = await startAppliance(settings);
  const { ada } = (await populate(coffer)).clients;
  const drive = await ada.makeDrive("R");
  const { sweep } = coffer.appliance.services;
  const over = new AbortController();
  const sweeping = (async () => {
    while (!over.signal.aborted) {
      await sweep.run();
      coffer.clock.advance(HOUR_MS / 2);
    }
  })();
  const seen = { whole: 0, gone: 0 };
  const lane = async (index: number) => {
    const random = new Random(SEED + index);
    const address = `/v0/files?drive_id=${drive.id}&path=${index}`;
    for (let round = 0; round < 150; round += 1) {
      const body = Buffer.alloc(random.pick([100, 20_000, 70_000]), `${random.below(3)} `);
      const { status, text } = await ada.send("PUT", address, { body });
      // What is replaced may take up too much of the disk for a minute.
      if (status === 403) continue;
      const { id }: { id: string } = JSON.parse(text);
      const list = await ada.get<{ data: { version: number; content_hash: string }[] }>(
        `/v0/files/${id}/versions`,
      );
      const version = list.data.at(random.below(list.data.length));
      if (version === undefined) continue;
      const one = `/v0/files/${id}/versions/${version.version}`;
      if (random.chance(0.3)) await ada.send("POST", `${one}/restore`);
      const response = await ada.fetch("GET", `${one}/download`);
      const bytes = await response.bytes();
      if (response.status === 200) expect(`sha256:${hashOf(bytes)}`).toBe(version.content_hash);
      else expect(response.status).toBe(404);
      seen[response.status === 200 ? "whole" : "gone"] += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: 6 }, (_, index) => lane(index)));
  } finally {
    over.abort();
  }
  await sweeping;
  expect(seen.whole).toBeGreaterThan(0);
  expect(coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await coffer.close();
  expect(await verified(coffer.dataDir)).toEqual([]);
});
