import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { isFound } from "../../support/server/drives.ts";
import { provision, serve } from "../../support/server/executable.ts";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";

/** How nice a thread is, from -20 to 19: the nicer one gives way. */
function nicenessOf(pid: number, thread: string): number {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
  // The 19th field. The name, the second one, may hold spaces.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

/** The niceness of all threads that are not as nice as the first one. */
function otherNiceness(pid: number): readonly number[] {
  const main = nicenessOf(pid, String(pid));
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const niceness = nicenessOf(pid, thread);
      return niceness === main ? [] : [niceness];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

const isLinux = process.platform === "linux";
/** Under `nice` all threads give way already. */
const NICE = getPriority() === 0 ? "" : "the tests run with another priority";

test.skipIf(!isLinux || NICE !== "")(
  withReason("the thread of the search index gives way to all others", NICE),
  async () => {
    await using server = await serve();
    await eventually(() => otherNiceness(server.pid).length > 0);
    expect(otherNiceness(server.pid)).toEqual([5]);
  },
);

test.if(isLinux)("a server that gives way itself indexes as well", () => indexesAsEqual("nice -n 10"));

// As a sandbox may.
const FORBIDDING =
  "strace -qq -o /dev/null -f --daemonize --seccomp-bpf --trace=setpriority --inject=setpriority:error=EPERM";

test.skipIf(NO_STRACE !== "")(
  withReason("a server that may not change priorities indexes as well", NO_STRACE),
  () => indexesAsEqual(FORBIDDING),
);

/** Tests that a server under another program indexes, and that none of its threads gives way to the others. */
async function indexesAsEqual(wrapper: string): Promise<void> {
  await using server = await serve({ wrapper: wrapper.split(" ") });
  const agent = await provision(server);
  await agent.client.put(agent.drive, "a.txt", "some words");
  await isFound(agent, "words", 1);
  expect(otherNiceness(server.pid)).toEqual([]);
}
