import { describe, expect, test } from "bun:test";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES } from "../../../src/domain/limits.ts";
import { expectRefused } from "../server/answers.ts";
import type { Answer, Client } from "../server/client.ts";
import { longTest } from "../server/thorough.ts";
import { addManyFiles } from "./many-files.ts";
import { expectJson, type Stage } from "../server/scenario.ts";

const HOUR = 60 * 60 * 1000;

/** What is done with a folder. */
export type How = "move" | "copy";

const LIMITS = {
  move: { most: FOLDER_MOVE_ENTRIES, success: 200 },
  copy: { most: FOLDER_COPY_ENTRIES, success: 201 },
} as const;

/** What is asked by whom: which folder of a drive goes where, by default within that. */
export type Carried = readonly [client: Client, drive: string, path: string, to: string, other?: string];

/** Asks to move or copy a folder. */
export function askFor(how: How, ...[client, drive, path, to, other = drive]: Carried): Promise<Answer> {
  const body = { drive_id: drive, path, destination_path: to, destination_drive_id: other };
  return client.send("POST", `/v0/folders/${how}`, { body });
}

/** Tests with as many files as one request takes. A move takes so many that they are long. */
export function testLimits(stage: Stage, how: How): void {
  const { most, success } = LIMITS[how];
  const requireTooMuch = (answer: Answer): void => {
    expectRefused(answer, "VALIDATION_ERROR", "path");
    expect(answer.text).toContain(`${most} files and folders`);
  };

  describe(`${how} takes`, () => {
    test("as many files and folders as one request may, and no more", async () => {
      const { client, id: drive } = await stage.ownDrive();
      const first = await client.put(drive, "first", "x");
      await addManyFiles(stage.coffer.dataDir, first.id, most - 1);
      await client.post("/v0/folders", { drive_id: drive, path: "many/sub/" });
      const made = await askFor(how, client, drive, "many/", "all/");
      expect(made.status).toBe(success);
      expectJson(made.text, { file_count: most - 1 });
      await client.post("/v0/folders", { drive_id: drive, path: "all/one/" });
      requireTooMuch(await askFor(how, client, drive, "all/", "more/"));
    });

    longTest("no more files that expired and await the sweep than of others", async () => {
      const { client, id: drive } = await stage.ownDrive();
      const expiry = stage.coffer.clock.iso(HOUR);
      const first = await client.put(drive, "first", "x", 201, `&expires_at=${expiry}`);
      await addManyFiles(stage.coffer.dataDir, first.id, most + 1);
      stage.coffer.clock.advance(2 * HOUR);
      requireTooMuch(await askFor(how, client, drive, "many/", "more/"));
      await stage.coffer.appliance.services.sweep.run();
      expect((await askFor(how, client, drive, "many/", "more/")).status).toBe(success);
    });
  });
}
