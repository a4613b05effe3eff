import { afterAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Caller } from "../../src/domain/accounts/caller.ts";
import { CofferError } from "../../src/domain/errors.ts";
import type { DriveId, FileId, KeyId } from "../../src/domain/id.ts";
import { UNCLAIMED_LIFETIME_MS } from "../../src/domain/limits.ts";
import { faultsOfTrees } from "../support/faults/recount.ts";
import { HeldResults, heldTables } from "../support/races/held.ts";
import { type Deed, expectOrders, often, type Race, threadsOf } from "../support/races/orders.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { addAccount } from "../support/server/accounts.ts";
import { callerWith, openOwnServices, storeFile } from "../support/server/services-drive.ts";

/** What an account may store, in bytes. */
const LIMIT = 1000;
const SIZES = [200, 450];

/** One database for many races; each has two drives and two users of its own. */
const held = new HeldResults();
const opened = await openOwnServices({ open: (database) => heldTables(held, database), storageLimit: LIMIT });
afterAll(async () => {
  await opened.services.sweep.stop();
  await opened[Symbol.asyncDispose]();
});
let races = 0;

/** A drive, as plain data. */
interface ModelDrive {
  readonly owner: number | null;
  readonly isDeleted: boolean;
  readonly hasKey: boolean;
  readonly isLinkUsed: boolean;
  readonly isUploadLinkUsed: boolean;
  readonly hasFirst: boolean;
  /** Sizes by path. */
  readonly files: Readonly<Record<string, number>>;
}

/** Everything that the acts change, as plain data. */
interface Model {
  readonly drives: readonly ModelDrive[];
  /** Whether the time to claim is over. */
  readonly isLate: boolean;
}

/** Whether nobody can reach a drive any more. */
function isGone({ isDeleted, owner }: ModelDrive, isLate: boolean): boolean {
  return isDeleted || (owner === null && isLate);
}

function sizeOf({ files }: ModelDrive): number {
  return Object.values(files).reduce((sum, each) => sum + each, 0);
}

function stored({ drives }: Model, owner: number): number {
  const own = drives.filter((each) => each.owner === owner && !each.isDeleted);
  return own.reduce((sum, each) => sum + sizeOf(each), 0);
}

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

interface DriveRace extends Race<Model> {
  readonly users: readonly [Caller, Caller];
  readonly agents: readonly [Agent, Agent];
}

async function begin(): Promise<DriveRace> {
  races += 1;
  const users = await Promise.all([newUser(`user-${races}-0`), newUser(`user-${races}-1`)]);
  const agents = await Promise.all([newAgent(), newAgent()]);
  const one = {
    owner: null,
    isDeleted: false,
    hasKey: true,
    isLinkUsed: false,
    isUploadLinkUsed: false,
    hasFirst: true,
    files: { first: SIZES[1] ?? 0 },
  };
  const { drives } = opened.services;
  return {
    users,
    agents,
    start: { drives: agents.map(() => one), isLate: false },
    // The owner and the files of each drive; null if it is gone.
    seen: () => agents.map((agent) => seen(agent, users)),
    shape: (state) =>
      state.drives.map((each) =>
        isGone(each, state.isLate) ? null : { owner: each.owner, files: each.files },
      ),
    finish: () => {
      expect(faultsOfTrees(opened.database.sql)).toEqual([]);
      for (const user of users) {
        const sizes = drives.list(user, null).map(({ totalSize }) => totalSize);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LIMIT);
      }
    },
  };
}

function seen({ caller, id }: Agent, users: readonly Caller[]): unknown {
  const { drives, listings } = opened.services;
  if (drives.list(caller, null).length === 0) return null;
  const owner = users.findIndex((user) => drives.list(user, null).some((each) => each.id === id));
  const request = { prefix: "", grouped: false, tags: [], sort: "path", page: 1, limit: 1000 } as const;
  const { files } = listings.list(caller, { ...request, driveId: id, after: null });
  return {
    owner: owner === -1 ? null : owner,
    files: Object.fromEntries(files.map(({ path, size }) => [path, size])),
  };
}

async function newUser(username: string): Promise<Caller> {
  addAccount({ dataDir: opened.root, clock: opened.clock }, username);
  const { secret } = await opened.services.apiKeys.createFor(username, "", "read-write");
  return callerWith(opened.services, secret);
}

async function newAgent(): Promise<Agent> {
  const { services } = opened;
  const { driveId: id, apiKey, keyId, claimToken } = await services.drives.provision("Race");
  const caller = callerWith(services, apiKey);
  const { file } = await upload({ caller, id }, "first", SIZES[1] ?? 0);
  const once = { expiresIn: 3600, oneTime: true };
  const { token: link } = await services.links.createPresigned(caller, { id: file.id }, once);
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

/** @param after what comes of it, or what changes; its agent cannot reach a drive that is lost */
function act(
  drive: Choice,
  perform: (agent: Agent, race: DriveRace) => Promise<unknown>,
  after: (given: ModelDrive & { isLost: boolean; isLate: boolean }) => string | Partial<ModelDrive>,
): Deed<DriveRace, Model> {
  return {
    perform: async (race) => ((await perform(race.agents[drive], race)) === "gone" ? "gone" : "done"),
    after: (state) => {
      const { isLate, drives } = state;
      const given = drives[drive];
      if (given === undefined) throw new Error(`there is no drive ${drive}`);
      const changes = after({ ...given, isLost: isGone(given, isLate) || !given.hasKey, isLate });
      if (typeof changes === "string") return [changes, state];
      const made = { ...given, ...changes };
      const changed = { ...state, drives: drives.with(drive, made) };
      const isMore = made.owner !== given.owner || sizeOf(made) > sizeOf(given);
      const isFull = made.owner !== null && isMore && stored(changed, made.owner) > LIMIT;
      return isFull ? ["QUOTA_EXCEEDED", state] : ["done", changed];
    },
  };
}

/** Which of the two errors it is depends on when the request found out. */
function orGone(done: Promise<unknown>): Promise<unknown> {
  return done.catch((error: unknown) => {
    if (error instanceof CofferError && ["NOT_FOUND", "UNAUTHORIZED"].includes(error.code)) return "gone";
    throw error;
  });
}

type Choice = 0 | 1;

/** Mostly the same, so that things meet. */
const drive = fc.constantFrom<Choice[]>(0, 0, 0, 0, 1);
const size = fc.constantFrom(...SIZES);

const anyAct = fc.oneof(
  often(4, "claim", { drive, user: fc.constantFrom<Choice[]>(0, 1) }, ({ drive: of, user }) =>
    act(
      of,
      ({ claimToken }, { users }) => opened.services.claims.claim(users[user], claimToken),
      ({ isDeleted, owner, isLate }) => {
        if (isDeleted) return "NOT_FOUND";
        if (owner !== null) return "CONFLICT";
        return isLate ? "GONE" : { owner: user };
      },
    ),
  ),
  often(4, "upload", { drive, path: fc.constantFrom("first", "a", "b"), size }, (to) =>
    act(
      to.drive,
      (agent) => orGone(upload(agent, to.path, to.size)),
      ({ isLost, files }) => (isLost ? "gone" : { files: { ...files, [to.path]: to.size } }),
    ),
  ),
  often(4, "upload by link", { drive, size }, (to) =>
    act(
      to.drive,
      async ({ uploadLink }) => {
        const { upload: begun, driveId, path } = await opened.services.fileLinks.begin(uploadLink);
        const unset = { filename: undefined, contentType: undefined, metadata: undefined, tags: undefined };
        await begun.write(newContent(to.size));
        return begun.finish({ ...unset, driveId, path, expiresAt: undefined }, UNCONDITIONAL);
      },
      ({ isLost, isUploadLinkUsed, isLate, files }) => {
        if (isLost) return "NOT_FOUND";
        if (isUploadLinkUsed || isLate) return "GONE";
        return { isUploadLinkUsed: true, files: { ...files, linked: to.size } };
      },
    ),
  ),
  often(1, "use link", { drive }, ({ drive: of }) =>
    act(
      of,
      ({ link }) => opened.services.fileLinks.useUp(link),
      ({ isLost, hasFirst, isLinkUsed, isLate }) => {
        if (isLost || !hasFirst) return "NOT_FOUND";
        return isLinkUsed || isLate ? "GONE" : { isLinkUsed: true };
      },
    ),
  ),
  often(1, "remove file", { drive }, ({ drive: of }) =>
    act(
      of,
      ({ caller, first: id }) => orGone(opened.services.files.remove(caller, { id }, UNCONDITIONAL)),
      ({ isLost, hasFirst, files }) => {
        const { first: _, ...others } = files;
        return isLost || !hasFirst ? "gone" : { hasFirst: false, files: others };
      },
    ),
  ),
  often(1, "remove drive", { drive }, ({ drive: of }) =>
    act(
      of,
      ({ caller, id }) => orGone(opened.services.drives.remove(caller, id)),
      ({ isLost }) => (isLost ? "gone" : { isDeleted: true }),
    ),
  ),
  often(1, "revoke key", { drive }, ({ drive: of }) =>
    act(
      of,
      ({ caller, keyId }) => orGone(opened.services.apiKeys.revoke(caller, keyId)),
      ({ isLost }) => (isLost ? "gone" : { hasKey: false }),
    ),
  ),
);

const upkeep = fc.oneof(
  often(2, "sweep", {}, (): Deed<DriveRace, Model> => ({
    perform: () => opened.services.sweep.run(),
    after: (state) => ["done", state],
  })),
  often(1, "expire", {}, (): Deed<DriveRace, Model> => ({
    perform: async () => opened.clock.advance(UNCLAIMED_LIFETIME_MS),
    after: (state) => ["done", { ...state, isLate: true }],
  })),
);

test("claims, expiry, deletion, quota, links and keys at once come out as if one came after another", () =>
  expectOrders(held, threadsOf(anyAct, upkeep, 3), begin));
