import { expect, test } from "bun:test";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { run, serve } from "../support/server/executable.ts";
import { eventually } from "../support/server/scenario.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { answersOf, fill } from "./kept.ts";
import { executableOf } from "./releases.ts";

test("the next version in the place of the one before keeps all that is in a store", async () => {
  await using place = await temporaryDirectory();
  const dataDir = join(place.path, "data");
  const program = join(place.path, "coffer");
  const older = await executableOf("9.9.0-rc.1", place.path);
  const newer = await executableOf("9.9.0-rc.2", place.path);

  await rename(older, program);
  expect((await run(["version"], { program })).stdout).toStartWith("coffer 9.9.0-rc.1 (");
  const before = await serve({ dataDir, program });
  const kept = await fill(before);
  const walrus = `/v0/search?q=walrus&drive_id=${kept.drive}`;
  await eventually(async () => (await kept.client.paths(walrus)).length === 1);
  const answers = await answersOf(before, kept);
  expect(Object.entries(answers).filter(([, answer]) => !answer.startsWith("200 "))).toEqual([]);

  // It may be replaced while it runs.
  await rename(newer, program);
  expect(await before.stop()).toBe(0);
  expect((await run(["version"], { program })).stdout).toStartWith("coffer 9.9.0-rc.2 (");
  await using after = await serve({ dataDir, program });
  expect(await answersOf(after, kept)).toEqual(answers);
  expect(await after.stop()).toBe(0);
  expect(await run(["verify", "--full"], { dataDir, program })).toMatchObject({ code: 0, stderr: "" });
});
