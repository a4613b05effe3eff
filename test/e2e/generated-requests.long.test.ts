import { expect, test } from "bun:test";
import { systemClock } from "../../src/process/clock.ts";
import { run, serve } from "../support/server/executable.ts";
import { sendGenerated } from "../support/generated/run.ts";
import { SEED } from "../support/server/seed.ts";

const REQUESTS = 40_000;
/** Where others run beside it. */
const TIMEOUT_MS = 900_000;
/**
 * What generated requests hardly do: nobody knows the setup link, few may register in an hour, an application's requests
 * follow from each other, the fields of an edit must fit its kind and the text, files are named by ids or by paths with a
 * drive, and not both, somebody must be a member of the drive that is named, a change of a folder must last, a file must
 * have the version that is named, a content must be a picture, a backup must have a place, and an administrator must name
 * another user.
 */
const HARDLY_DONE = new Set([
  "setUp",
  "signUp",
  "registerClient",
  "authorize",
  "getAuthorizationRequest",
  "decideAuthorizationRequest",
  "getToken",
  "deleteFiles",
  "editFile",
  "editFileByPath",
  "movePath",
  "copyPath",
  "deleteUser",
  "updateMember",
  "removeMember",
  "getWork",
  "getThumbnail",
  "getThumbnailByPath",
  "getSharedThumbnail",
  "restoreVersionByPath",
  "cancelWork",
  "startBackup",
]);

test(
  `every answer of the executable to a generated request is one that is described, seed ${SEED}`,
  async () => {
    const env = { COFFER_SIGNUPS: "open", COFFER_LOG: "json" };
    await using server = await serve({ env });
    const target = { url: server.url, dataDir: server.dataDir, clock: systemClock };
    const { faults, unreached } = await sendGenerated(target, SEED, REQUESTS);
    expect(faults).toEqual([]);
    expect(unreached.filter((id) => !HARDLY_DONE.has(id))).toEqual([]);
    expect(await server.stop()).toBe(0);
    expect(server.stdout.text).not.toContain('"level":"error"');
    expect(await run(["verify"], { dataDir: server.dataDir })).toMatchObject({ code: 0 });
  },
  TIMEOUT_MS,
);
