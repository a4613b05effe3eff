import { expect, test } from "bun:test";
import { join } from "node:path";

test.each(["json", "multipart"])("256 MB of %s pass without growing the process", async (encoding) => {
  // In a process of its own, where no other test's garbage counts.
  const script = join(import.meta.dir, "measure-memory.ts");
  const child = Bun.spawn([process.execPath, script, encoding], { stdout: "pipe", stderr: "inherit" });
  const grown = Number(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  expect(grown / 2 ** 20).toBeLessThan(40);
});
