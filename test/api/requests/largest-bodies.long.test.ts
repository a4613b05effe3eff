import { expect, test } from "bun:test";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import { bodyRoutes } from "../../support/samples/described-bodies.ts";
import { Description } from "../../support/schemas/description.ts";
import { hostileBodies } from "../../support/samples/hostile-bodies.ts";
import { LoopWait } from "../../support/meters/loop-wait.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { beThorough } from "../../support/server/thorough.ts";

beThorough();
await import("./largest-bodies.test.ts");

/** In milliseconds. The client is in the same process, and others use the machine: what is wrong takes hundreds. */
const LONGEST_WAIT = 50;
/** What is slow each time is slow; another process may take the CPU in some. */
const TRIES = 5;

test("the largest body of no route makes everybody else wait", async () => {
  await using coffer = await startWithAda();
  const { browser } = beginSession(coffer, "ada");
  const client = await accountClient(coffer, "ada");
  const wait = new LoopWait();
  const slow: string[] = [];
  for (const { operation, path, limit } of bodyRoutes(await Description.of(coffer.client()))) {
    const sender = operation.id === "mcp" ? client : browser;
    for (const [shape, text] of hostileBodies(limit)) {
      const body = new TextEncoder().encode(text);
      let least = Number.POSITIVE_INFINITY;
      for (let n = 0; n < TRIES && least > LONGEST_WAIT; n++) {
        coffer.clock.advance(3_600_000);
        least = Math.min(least, await wait.during(() => sender.send(operation.method, path, { body })));
      }
      if (least > LONGEST_WAIT) slow.push(`${operation.id}, ${shape}: ${Math.round(least)} ms`);
    }
  }
  expect(slow).toEqual([]);
});
