import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../support/models/properties.ts";
import {
  DRIVES,
  driveThreads,
  type Event,
  expected,
  isGone,
  LIMIT,
  type Model,
  type ModelDrive,
  SIZES,
  USERS,
} from "../support/races/drive-events.ts";
import type { Caller } from "../../src/domain/accounts/caller.ts";
import type { DriveId, FileId, KeyId } from "../../src/domain/id.ts";
import { CofferError } from "../../src/domain/errors.ts";
import { UNCLAIMED_LIFETIME_MS } from "../../src/domain/limits.ts";
import { addAccount } from "../support/server/accounts.ts";
import {
  callerWith,
  type OpenedServices,
  openOwnServices,
  storeFile,
} from "../support/server/services-drive.ts";
import { faultsOfTrees } from "../support/faults/recount.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { HeldResults, heldTables } from "../support/races/held.ts";
import { type Done, expectAnOrder } from "../support/races/orders.ts";

/** One database for many races; each has drives and users of its own. */
let opened: OpenedServices;
const held = new HeldResults();
let races = 0;

/** An unclaimed drive, and what its agent holds. */
interface Agent {
  readonly caller: Caller;
  readonly id: DriveId;
  readonly keyId: KeyId;
  readonly claimToken: string;
  readonly first: FileId;
  readonly link: string;
  readonly uploadLink: string;
}

class DriveRace {
  readonly #users: readonly Caller[];
  readonly #agents: readonly Agent[];
  readonly #start: Model;

  private constructor(users: readonly Caller[], agents: readonly Agent[]) {
    this.#users = users;
    this.#agents = agents;
    const one = {
      owner: null,
      isDeleted: false,
      hasKey: true,
      isLinkUsed: false,
      isUploadLinkUsed: false,
      hasFirst: true,
    };
    this.#start = { drives: agents.map(() => ({ ...one, files: { first: SIZES[1] ?? 0 } })), isLate: false };
  }

  static async begin(number: number): Promise<DriveRace> {
    const users = USERS.map((user) => `user-${number}-${user}`);
    for (const username of users) addAccount({ dataDir: opened.root, clock: opened.clock }, username);
    const { apiKeys } = opened.services;
    const callers = await Promise.all(
      users.map(async (username) =>
        callerWith(opened.services, (await apiKeys.createFor(username, "", "read-write")).secret),
      ),
    );
    return new DriveRace(callers, await Promise.all(DRIVES.map(() => newAgent())));
  }

  /** Does one thing after another. */
  async perform(thread: readonly Event[]): Promise<Done<Model>[]> {
    const done: Done<Model>[] = [];
    for (const each of thread) {
      await held.hold(each.kind, Promise.resolve());
      done.push({
        name: JSON.stringify(each),
        outcome: await this.#outcome(each),
        after: (state) => expected(state, each),
      });
    }
    return done;
  }

  async #outcome(each: Event): Promise<string> {
    try {
      await this.#perform(each);
      return "done";
    } catch (error) {
      if (!(error instanceof CofferError)) throw error;
      // Which of the two depends on when the request found out.
      return each.kind !== "claim" &&
        each.kind !== "use link" &&
        each.kind !== "upload by link" &&
        ["NOT_FOUND", "UNAUTHORIZED"].includes(error.code)
        ? "gone"
        : error.code;
    }
  }

  async #perform(each: Event): Promise<unknown> {
    const { services, clock } = opened;
    switch (each.kind) {
      case "claim":
        return services.claims.claim(this.#user(each.user), this.#agent(each.drive).claimToken);
      case "upload":
        return upload(this.#agent(each.drive), each.path, each.size);
      case "upload by link": {
        const {
          upload: begun,
          driveId,
          path,
        } = await services.fileLinks.begin(this.#agent(each.drive).uploadLink);
        const unset = { filename: undefined, contentType: undefined, metadata: undefined, tags: undefined };
        await begun.write(newContent(each.size));
        return begun.finish({ ...unset, driveId, path, expiresAt: undefined }, UNCONDITIONAL);
      }
      case "use link":
        return services.fileLinks.useUp(this.#agent(each.drive).link);
      case "remove file": {
        const { caller, first } = this.#agent(each.drive);
        return services.files.remove(caller, { id: first }, UNCONDITIONAL);
      }
      case "remove drive": {
        const { caller, id } = this.#agent(each.drive);
        return services.drives.remove(caller, id);
      }
      case "revoke key": {
        const { caller, keyId } = this.#agent(each.drive);
        return services.apiKeys.revoke(caller, keyId);
      }
      case "sweep":
        return services.sweep.run();
      case "expire":
        return clock.advance(UNCLAIMED_LIFETIME_MS);
    }
  }

  #agent(number: number): Agent {
    const agent = this.#agents[number];
    if (agent === undefined) throw new Error(`there is no drive ${number}`);
    return agent;
  }

  #user(number: number): Caller {
    const user = this.#users[number];
    if (user === undefined) throw new Error(`there is no user ${number}`);
    return user;
  }

  /** Fails unless there is an order for what was done that ends in what is there now. */
  check(threads: readonly (readonly Done<Model>[])[]): void {
    const seen = this.#agents.map((agent) => this.#seen(agent));
    const isEnd = ({ drives, isLate }: Model) =>
      Bun.deepEquals(
        seen,
        drives.map((each) => (isGone(each, isLate) ? null : { owner: each.owner, files: each.files })),
      );
    expectAnOrder(threads, this.#start, seen, isEnd);
    expect(faultsOfTrees(opened.database.sql)).toEqual([]);
    for (const user of this.#users) expect(this.#storedBy(user)).toBeLessThanOrEqual(LIMIT);
  }

  /** The owner and the files of a drive; null if it is gone. */
  #seen({ caller, id }: Agent): Pick<ModelDrive, "owner" | "files"> | null {
    const { drives, listings } = opened.services;
    if (drives.list(caller, null).length === 0) return null;
    const owner = this.#users.findIndex((user) => drives.list(user, null).some((each) => each.id === id));
    const request = { prefix: "", grouped: false, tags: [], sort: "path" as const, page: 1, limit: 1000 };
    const { files } = listings.list(caller, { ...request, driveId: id, after: null });
    return {
      owner: owner === -1 ? null : owner,
      files: Object.fromEntries(files.map(({ path, size }) => [path, size])),
    };
  }

  #storedBy(user: Caller): number {
    const all = opened.services.drives.list(user, null);
    return all.reduce((sum, { totalSize }) => sum + totalSize, 0);
  }
}

async function newAgent(): Promise<Agent> {
  const { services } = opened;
  const { driveId: id, apiKey, keyId, claimToken } = await services.drives.provision("Race");
  const caller = callerWith(opened.services, apiKey);
  const { file } = await upload({ caller, id }, "first", SIZES[1] ?? 0);
  const { token: link } = await services.links.createPresigned(
    caller,
    { id: file.id },
    { expiresIn: 3600, oneTime: true },
  );
  const linked = { drive: id, path: "linked" };
  const { token: uploadLink } = await services.links.createUpload(caller, linked);
  return { caller, id, keyId, claimToken, first: file.id, link, uploadLink };
}

let contents = 0;

/** A content that no other file has. */
function newContent(size: number): Buffer {
  contents += 1;
  return Buffer.alloc(size, `content ${contents} `);
}

function upload({ caller, id }: Pick<Agent, "caller" | "id">, path: string, size: number) {
  return storeFile({ services: opened.services, caller, drive: id }, path, newContent(size));
}

beforeAll(async () => {
  opened = await openOwnServices({ open: (database) => heldTables(held, database), storageLimit: LIMIT });
});
afterAll(async () => {
  await opened.services.sweep.stop();
  await opened[Symbol.asyncDispose]();
});

test("claims, expiry, deletion, quota, links and keys at once come out as if one came after another", async () => {
  await fc.assert(
    // In an order that the scheduler chooses.
    fc.asyncProperty(fc.scheduler(), driveThreads, async (scheduler, threads) => {
      const race = await DriveRace.begin((races += 1));
      race.check(
        await held.race(scheduler, () => Promise.all(threads.map((thread) => race.perform(thread)))),
      );
    }),
    runs(),
  );
});
