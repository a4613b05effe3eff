import { afterAll, test } from "bun:test";
import * as fc from "fast-check";
import type { Edit } from "../../src/domain/contents/edit/edited-text.ts";
import { heldBlobs, HeldResults, heldTables } from "../support/races/held.ts";
import { type Deed, expectOrders, often } from "../support/races/orders.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { openWithDrive, storeFile } from "../support/server/services-drive.ts";

const held = new HeldResults();
const opened = await openWithDrive({
  open: (database) => heldTables(held, database),
  blobsFor: (blobs) => heldBlobs(held, blobs),
});
afterAll(() => opened[Symbol.asyncDispose]());

const ref = () => ({ drive: opened.drive, path: "f.txt" });

const upload = (text: string) => storeFile(opened, "f.txt", text);

async function textNow(): Promise<string> {
  const { services, caller } = opened;
  const content = await services.files.content(null, services.files.get(caller, ref()));
  return content.text();
}

/** @param after what becomes of a text; null if it is refused */
function edit(change: Edit, after: (text: string) => string | null): Deed<unknown, string> {
  return {
    perform: () => {
      const options = { precondition: UNCONDITIONAL, dryRun: false };
      return opened.services.edits.apply(opened.caller, ref(), [change], options);
    },
    after: (text) => {
      const changed = after(text);
      return changed === null ? ["CONFLICT", text] : ["done", changed];
    },
  };
}

const anyAct = fc.oneof(
  often(1, "upload", { text: fc.constantFrom("new one\n", "none\n") }, ({ text }): Deed<unknown, string> => ({
    perform: () => upload(text),
    after: () => ["done", text],
  })),
  often(1, "append", { text: fc.constantFrom("a\n", "b\n") }, ({ text }) =>
    edit({ op: "append", text }, (before) => before + text),
  ),
  often(1, "insert", { text: fc.constantFrom("c\n", "d\n") }, ({ text }) =>
    edit({ op: "insert", line: 0, text }, (before) => text + before),
  ),
  often(1, "replace", { newString: fc.constantFrom("two", "three") }, ({ newString }) =>
    edit({ op: "str_replace", oldString: "one", newString, replaceAll: false }, (before) =>
      before.split("one").length === 2 ? before.replace("one", newString) : null,
    ),
  ),
);

/** In the database, and in a file. */
test.each([
  ["a short file", "one\n"],
  ["a long file", `one\n${"more\n".repeat(5000)}`],
])("edits and uploads of %s at once come out as if one came after another", (_, start) =>
  expectOrders(
    held,
    fc.array(anyAct, { minLength: 2, maxLength: 4 }).map((acts) => acts.map((act) => [act])),
    async () => {
      await upload(start);
      return { start, seen: textNow, shape: (text: string) => text };
    },
    0.5,
  ),
);
