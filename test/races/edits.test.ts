import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Caller } from "../../src/domain/accounts/caller.ts";
import type { Edit } from "../../src/domain/contents/edit/edited-text.ts";
import { CofferError } from "../../src/domain/errors.ts";
import type { DriveId } from "../../src/domain/id.ts";
import type { Services } from "../../src/services/services.ts";
import { runs } from "../support/models/properties.ts";
import { heldBlobs, HeldResults, heldTables } from "../support/races/held.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { type OpenedDrive, openWithDrive, storeFile } from "../support/server/services-drive.ts";

/** What somebody does to the one file: replaces all of it, or edits it. */
type Change = { readonly op: "upload"; readonly text: string } | Edit;

const held = new HeldResults();
let opened: OpenedDrive;
let services: Services;
let caller: Caller;
let drive: DriveId;

beforeAll(async () => {
  opened = await openWithDrive({
    open: (database) => heldTables(held, database),
    blobsFor: (blobs) => heldBlobs(held, blobs),
  });
  ({ services, caller, drive } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

const ref = () => ({ drive, path: "f.txt" });

const upload = (text: string) => storeFile(opened, "f.txt", text);

/** Does it; returns whether it was done. */
async function perform(change: Change): Promise<boolean> {
  await held.hold(change.op, Promise.resolve());
  try {
    if (change.op === "upload") await upload(change.text);
    else await services.edits.apply(caller, ref(), [change], { precondition: UNCONDITIONAL, dryRun: false });
    return true;
  } catch (error) {
    if (error instanceof CofferError && error.code === "CONFLICT") return false;
    throw error;
  }
}

/** What becomes of a text; null if the change is refused. */
function after(text: string, change: Change): string | null {
  switch (change.op) {
    case "upload":
      return change.text;
    case "append":
      return text + change.text;
    case "insert":
      return change.text + text;
    case "str_replace":
      return text.split(change.oldString).length === 2
        ? text.replace(change.oldString, change.newString)
        : null;
  }
}

/** Everything that can come of changes, one after another in any order: what is done of them, and the text. */
function outcomes(text: string, changes: readonly (readonly [number, Change])[], done: string[]): string[] {
  if (changes.length === 0) return [`${done.toSorted().join()} ${text}`];
  return changes.flatMap(([number, change]) => {
    const next = after(text, change);
    const others = changes.filter(([other]) => other !== number);
    return outcomes(next ?? text, others, next === null ? done : [...done, String(number)]);
  });
}

// The first texts are kept in the database, the others as files.
const anyStart = fc.constantFrom("one\n", `one\n${"more\n".repeat(5000)}`);
const anyChange = fc.oneof(
  fc.record({ op: fc.constant("upload"), text: fc.constantFrom("new one\n", "none\n") }),
  fc.record({ op: fc.constant("append"), text: fc.constantFrom("a\n", "b\n") }),
  fc.record({ op: fc.constant("insert"), line: fc.constant(0), text: fc.constantFrom("c\n", "d\n") }),
  fc.record({
    op: fc.constant("str_replace"),
    oldString: fc.constant("one"),
    newString: fc.constantFrom("two", "three"),
    replaceAll: fc.constant(false),
  }),
);

test("edits and uploads of one file at once come out as if one came after another", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      anyStart,
      fc.array(anyChange, { minLength: 2, maxLength: 4 }),
      async (scheduler, start, changes) => {
        await upload(start);
        const done = await held.race(scheduler, () => Promise.all(changes.map(perform)));
        const content = await services.files.content(services.files.get(caller, ref()));
        const numbers = done.flatMap((isDone, number) => (isDone ? [String(number)] : []));
        const possible = outcomes(start, [...changes.entries()], []);
        expect(possible).toContain(`${numbers.join()} ${await content.text()}`);
      },
    ),
    runs(),
  );
});
