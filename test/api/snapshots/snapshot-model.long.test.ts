import { expect, test } from "bun:test";
import type { FileRecord } from "../../../src/http/records/record-schemas.ts";
import { SHA256 } from "bun";
import type { TestAppliance } from "../../support/server/appliance.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { Random } from "../../support/server/random.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { takeSnapshot } from "../../support/server/targets.ts";
import { verified } from "../../support/faults/verified.ts";
import { startWorld } from "../../support/server/world.ts";

const PATHS = ["a", "b.txt", "d/a", "d/b.txt", "d/e/a", "e/a", "e/f/g.txt"];
const FOLDERS = ["d/", "d/e/", "e/", "x/y/"];
const STEPS = 300;

/** All that a drive's lists say. */
interface State {
  readonly files: readonly FileRecord[];
  readonly folders: readonly string[];
}

/** A snapshot in the model: a plain copy of what the drive held. */
interface Taken {
  readonly drive: string;
  readonly id: string;
  readonly state: State;
}

/** Random changes of two drives, with snapshots that are restored, forked and deleted, against plain copies. */
class SnapshotModel {
  readonly #coffer: TestAppliance;
  readonly #client: Client;
  readonly #drives: readonly string[];
  readonly #random: Random;
  #taken: Taken[] = [];
  #trash: string[] = [];

  constructor(coffer: TestAppliance, client: Client, drives: readonly string[], random: Random) {
    this.#coffer = coffer;
    this.#client = client;
    this.#drives = drives;
    this.#random = random;
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step += 1) {
      this.#coffer.clock.advance(1000);
      await this.#step(this.#random.pick(this.#drives), this.#random.below(20));
      if (step % 10 === 0) await this.#compare();
    }
    await sweepContents(this.#coffer);
    await this.#compare();
    for (const each of this.#taken) await this.#restore(each);
    expect(await verified(this.#coffer.dataDir)).toEqual([]);
  }

  async #step(drive: string, kind: number): Promise<void> {
    const [path, other] = [this.#random.pick(PATHS), this.#random.pick(PATHS)];
    const [folder, place] = [this.#random.pick(FOLDERS), this.#random.pick(FOLDERS)];
    const target = this.#random.pick(this.#drives);
    const at = `drive_id=${drive}&path=${path}`;
    if (kind < 6) {
      const tags = this.#random.chance(0.3) ? "&tags=red" : "";
      await this.#try("PUT", `/v0/files?${at}${tags}`, `content ${this.#random.below(20)}`);
    } else if (kind < 7)
      await this.#try("PATCH", `/v0/files/by-path?${at}`, { tags: [other], metadata: { kind } });
    else if (kind < 9) this.#keep(await this.#try("DELETE", `/v0/files/by-path?${at}`));
    else if (kind < 11)
      await this.#try("POST", `/v0/files/by-path/move?${at}`, {
        destination_path: other,
        destination_drive_id: target,
        overwrite: this.#random.chance(0.5),
      });
    else if (kind < 13)
      await this.#try("POST", `/v0/folders/${this.#random.pick(["move", "copy"])}`, {
        drive_id: drive,
        path: folder,
        destination_path: place,
        destination_drive_id: target,
      });
    else if (kind < 14)
      this.#keep(await this.#try("DELETE", "/v0/folders", { drive_id: drive, path: folder, confirm: true }));
    else if (kind < 15) await this.#try("POST", `/v0/trash/${this.#trash.pop() ?? "none"}/restore`, {});
    else if (kind < 17) await this.#take(drive);
    else await this.#use(this.#random.below(6));
  }

  async #use(kind: number): Promise<void> {
    const index = this.#random.below(Math.max(1, this.#taken.length));
    const taken = this.#taken[index];
    if (taken === undefined) return;
    if (kind < 3) await this.#restore(taken);
    else if (kind === 3) await this.#fork(taken);
    else if (kind === 4) await sweepContents(this.#coffer);
    else if (this.#taken.length > 3) {
      await this.#client.delete(`/v0/drives/${taken.drive}/snapshots/${taken.id}`);
      this.#taken.splice(index, 1);
    }
  }

  async #take(drive: string): Promise<void> {
    const state = await this.#stateOf(drive);
    this.#taken.push({ drive, id: await takeSnapshot(this.#client, drive), state });
  }

  /** Everything comes back but ids that are in use in another drive; and what it undoes has a snapshot. */
  async #restore({ drive, id, state }: Taken): Promise<void> {
    const before = await this.#stateOf(drive);
    const path = `/v0/drives/${drive}/snapshots/${id}`;
    type Restored = { data: { snapshot_id: string } };
    const { data: done } = await this.#client.post<Restored>(`${path}/restore`, undefined, 200);
    expect(withoutIds(await this.#stateOf(drive))).toEqual(withoutIds(state));
    expect(await this.#stateOf(drive, done.snapshot_id)).toEqual(before);
    const { data } = await this.#client.get<{ data: { change: string }[] }>(`${path}/compare`);
    expect(data.filter(({ change }) => change !== "changed")).toEqual([]);
  }

  async #fork({ drive, id, state }: Taken): Promise<void> {
    type Forked = { data: { id: string } };
    const body = { name: "Fork", snapshot_id: id };
    const { data } = await this.#client.post<Forked>(`/v0/drives/${drive}/fork`, body);
    expect(withoutIds(await this.#stateOf(data.id))).toEqual(withoutIds(state));
    await this.#client.delete(`/v0/drives/${data.id}`);
  }

  /** Each snapshot is what it was, and its contents are there. */
  async #compare(): Promise<void> {
    for (const { drive, id, state } of this.#taken) {
      expect(await this.#stateOf(drive, id)).toEqual(state);
      for (const { path, content_hash: hash } of state.files.slice(0, 2)) {
        const query = `drive_id=${drive}&path=${path}&snapshot_id=${id}`;
        const { text } = await this.#client.send("GET", `/v0/files/by-path/download?${query}`);
        expect(`sha256:${SHA256.hash(text, "hex")}`).toBe(hash);
      }
    }
  }

  async #stateOf(drive: string, snapshot?: string): Promise<State> {
    const query = `drive_id=${drive}&limit=1000${snapshot === undefined ? "" : `&snapshot_id=${snapshot}`}`;
    const list = await this.#client.get<{ data: FileRecord[]; total: number }>(`/v0/files?${query}`);
    expect(list.total).toBe(list.data.length);
    const folders: string[] = [];
    for (const parent of ["", ...FOLDERS, "x/"]) {
      const answer = await this.#client.send("GET", `/v0/folders?${query}&path=${parent}`);
      folders.push(`${parent}: ${answer.status === 200 ? answer.text : "none"}`);
    }
    return { files: list.data, folders };
  }

  /** A request that may be refused, if it makes no sense. */
  async #try(method: string, path: string, body?: Json): Promise<string> {
    const answer = await this.#client.send(method, path, body === undefined ? {} : { body });
    expect([answer.text, answer.status < 500]).toEqual([answer.text, true]);
    return answer.text;
  }

  #keep(text: string): void {
    const found = /"trash_id":"([^"]+)"/.exec(text)?.[1];
    if (found !== undefined) this.#trash.push(found);
  }
}

function withoutIds({ files, folders }: State): object {
  return {
    files: files.map((file) => ({ ...file, id: "", drive_id: "" })),
    folders: folders.map((each) => each.replaceAll(/"drive_id":"[^"]*"/g, "")),
  };
}

test.each([1, 2, 3, 4])("snapshots, restores and forks agree with plain copies, seed %i", async (seed) => {
  await using coffer = await startWorld();
  const { clients, drives } = coffer;
  const { id: second } = await clients.ada.makeDrive("Second");
  await new SnapshotModel(coffer, clients.ada, [drives.ada, second], new Random(seed)).run();
});
