import { expect, test } from "bun:test";
import { join } from "node:path";
import { openFilesLimit } from "../../../src/process/descriptors.ts";
import { withReason } from "../../support/server/skip.ts";

const NO_LIMIT = Number.isFinite(openFilesLimit()) ? "" : "the limit of open files is not told";

/** Takes all descriptors but a few, then compares two texts that are too long for its own thread. */
const SCRIPT = `
  import { openSync, closeSync } from "node:fs";
  import { DiffThread } from "${join(import.meta.dir, "../../../src/services/history/version-diffs.ts")}";
  const text = (word) => Buffer.from((word + " line\\n").repeat(10_000));
  const request = { path: "a.txt", original: text("one"), now: text("two") };
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {}
  for (const descriptor of held.splice(0, 6)) closeSync(descriptor);
  const thread = new DiffThread();
  console.log(await thread.make(request).then(() => "made", ({ code }) => code));
  for (const descriptor of held) closeSync(descriptor);
  console.log(await thread.make(request).then(() => "made", ({ code }) => code));
  thread.close();
`;

test.skipIf(NO_LIMIT !== "")(
  withReason("a comparison without descriptors for its thread is refused, and the next is made", NO_LIMIT),
  async () => {
    const command = ["sh", "-c", 'ulimit -n 100; exec "$0" -e "$1"', process.execPath, SCRIPT];
    const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
    expect([await child.stdout.text(), await child.exited]).toEqual(["UNAVAILABLE\nmade\n", 0]);
  },
);
