import type { UserId } from "../id.ts";
import type { Change, NamedActor } from "./change.ts";
import { KIND_OF } from "./kind.ts";
import { type MarkedChange, marksAfter } from "./marks.ts";

/** What somebody did in a drive. */
export interface Doings {
  /** Null for the server. */
  readonly by: NamedActor | null;
  /** How many files. One that was written twice counts once. */
  readonly written: number;
  readonly deleted: number;
  readonly moved: number;
  /** How many other things. */
  readonly other: number;
}

/** What others did. */
export interface News {
  /** Whoever did something last comes first. */
  readonly doings: readonly Doings[];
  /** Where it left something; whether that was not there before. */
  readonly marks: ReadonlyMap<string, boolean>;
}

type Told = MarkedChange & Pick<Change, "fileId" | "fileCount" | "batch" | "ref" | "by">;

/** What some changes of a drive come to for a user. @param changes the oldest first */
export function newsFor(user: UserId, changes: readonly Told[]): News {
  const isOwn = ({ by }: Told) => by?.kind === "user" && by.id === user;
  // What sums up a batch says nothing that its changes do not.
  const told = changes.filter(({ batch, ref }) => batch === null || batch !== ref);
  return {
    doings: doingsOf(told.filter((change) => !isOwn(change))),
    marks: marksAfter(new Map(), told, isOwn),
  };
}

function doingsOf(changes: readonly Told[]): readonly Doings[] {
  const byActor = Map.groupBy(changes.toReversed(), ({ by }) => (by === null ? "" : `${by.kind}:${by.id}`));
  return Array.from(byActor.values(), (all) => {
    const written = new Set<string>();
    const counts = { written: 0, deleted: 0, moved: 0, other: 0 };
    for (const { type, fileId, fileCount } of all) {
      const kind = KIND_OF[type];
      if (kind === "written" && fileId !== null) written.add(fileId);
      else if (kind !== "written" && kind !== "deleted" && kind !== "moved") counts.other += 1;
      else if (fileId === null && (fileCount ?? 0) === 0) counts.other += 1;
      else counts[kind] += fileCount ?? 1;
    }
    return { by: all[0]?.by ?? null, ...counts, written: counts.written + written.size };
  });
}
