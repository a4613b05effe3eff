import * as fc from "fast-check";
import { often, threadsOf } from "./orders.ts";

/** What a caller, or time, does. */
export type Event =
  | { readonly kind: "claim"; readonly drive: number; readonly user: number }
  | { readonly kind: "upload"; readonly drive: number; readonly path: string; readonly size: number }
  | { readonly kind: "upload by link"; readonly drive: number; readonly size: number }
  | { readonly kind: "use link" | "remove file" | "remove drive" | "revoke key"; readonly drive: number }
  | { readonly kind: "sweep" }
  | { readonly kind: "expire" };

/** What an account may store, in bytes. */
export const LIMIT = 1000;
export const SIZES = [200, 450];
export const DRIVES = [0, 1];
export const USERS = [0, 1];

/** Mostly the same, so that things meet. */
const drive = fc.constantFrom(0, 0, 0, ...DRIVES);
const size = fc.constantFrom(...SIZES);
const event: fc.Arbitrary<Event> = fc.oneof(
  often(3, { kind: fc.constant("claim"), drive, user: fc.constantFrom(...USERS) }),
  often(3, { kind: fc.constant("upload"), drive, path: fc.constantFrom("first", "a", "b"), size }),
  often(3, { kind: fc.constant("upload by link"), drive, size }),
  often(3, { kind: fc.constantFrom("use link", "remove file", "remove drive", "revoke key"), drive }),
);
const upkeep = fc.constantFrom<Event[]>({ kind: "sweep" }, { kind: "sweep" }, { kind: "expire" });

/** What happens at once around two unclaimed drives. */
export const driveThreads = threadsOf(event, upkeep, 3);

/** A drive, as plain data. */
export interface ModelDrive {
  readonly owner: number | null;
  readonly isDeleted: boolean;
  readonly hasKey: boolean;
  readonly isLinkUsed: boolean;
  readonly isUploadLinkUsed: boolean;
  readonly hasFirst: boolean;
  /** Sizes by path. */
  readonly files: Readonly<Record<string, number>>;
}

/** Everything that the events change, as plain data. */
export interface Model {
  readonly drives: readonly ModelDrive[];
  /** Whether the time to claim is over. */
  readonly isLate: boolean;
}

/** Whether nobody can reach a drive any more. */
export function isGone({ isDeleted, owner }: ModelDrive, isLate: boolean): boolean {
  return isDeleted || (owner === null && isLate);
}

function stored({ drives }: Model, owner: number): number {
  return drives
    .filter((each) => each.owner === owner && !each.isDeleted)
    .flatMap(({ files }) => Object.values(files))
    .reduce((sum, each) => sum + each, 0);
}

/** What an event comes to, one after another. */
export function expected(state: Model, each: Event): readonly [outcome: string, state: Model] {
  if (each.kind === "sweep") return ["done", state];
  if (each.kind === "expire") return ["done", { ...state, isLate: true }];
  const given = state.drives[each.drive];
  if (given === undefined) throw new Error(`there is no drive ${each.drive}`);
  const changed = (changes: Partial<ModelDrive>): Model => ({
    ...state,
    drives: state.drives.with(each.drive, { ...given, ...changes }),
  });
  const isLost = isGone(given, state.isLate) || !given.hasKey;
  switch (each.kind) {
    case "claim": {
      if (given.isDeleted) return ["NOT_FOUND", state];
      if (given.owner !== null) return ["CONFLICT", state];
      if (state.isLate) return ["GONE", state];
      const after = changed({ owner: each.user });
      return stored(after, each.user) > LIMIT ? ["QUOTA_EXCEEDED", state] : ["done", after];
    }
    case "upload": {
      if (isLost) return ["gone", state];
      const old = given.files[each.path] ?? 0;
      const after = changed({ files: { ...given.files, [each.path]: each.size } });
      const isFull = given.owner !== null && stored(after, given.owner) > LIMIT && each.size > old;
      return isFull ? ["QUOTA_EXCEEDED", state] : ["done", after];
    }
    case "upload by link": {
      if (isLost) return ["NOT_FOUND", state];
      if (given.isUploadLinkUsed || state.isLate) return ["GONE", state];
      const after = changed({ isUploadLinkUsed: true, files: { ...given.files, linked: each.size } });
      const isFull = given.owner !== null && stored(after, given.owner) > LIMIT;
      return isFull ? ["QUOTA_EXCEEDED", state] : ["done", after];
    }
    case "use link": {
      if (isLost || !given.hasFirst) return ["NOT_FOUND", state];
      if (given.isLinkUsed || state.isLate) return ["GONE", state];
      return ["done", changed({ isLinkUsed: true })];
    }
    case "remove file": {
      if (isLost || !given.hasFirst) return ["gone", state];
      const { first: _, ...files } = given.files;
      return ["done", changed({ hasFirst: false, files })];
    }
    case "remove drive":
      return isLost ? ["gone", state] : ["done", changed({ isDeleted: true })];
    case "revoke key":
      return isLost ? ["gone", state] : ["done", changed({ hasKey: false })];
  }
}
