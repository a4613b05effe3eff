import { describe, expect, test } from "bun:test";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES } from "../../../src/domain/limits.ts";
import type { Answer, Client, Json } from "../server/client.ts";
import { addManyFiles } from "./many-files.ts";
import { expectJson, type Stage } from "../server/scenario.ts";

const HOUR = 60 * 60 * 1000;

/** What is done with a folder. */
export type How = "move" | "copy";

const LIMITS = {
  move: { most: FOLDER_MOVE_ENTRIES, success: 200 },
  copy: { most: FOLDER_COPY_ENTRIES, success: 201 },
} as const;

/** Tests with as many files as one request takes. A move takes so many that they are long. */
export function testLimits(stage: Stage, how: How): void {
  const { most, success } = LIMITS[how];
  const ask = (client: Client, drive: string, path: string, to: string): Promise<Answer> => {
    const body: Json = { drive_id: drive, path, destination_path: to };
    return client.send("POST", `/v0/folders/${how}`, { body });
  };
  const requireTooMuch = ({ text }: Answer): void =>
    expectJson(text, {
      error: {
        code: "VALIDATION_ERROR",
        field: "path",
        message: expect.stringContaining(`${most} files and folders`),
      },
    });

  describe(`${how} takes`, () => {
    test("as many files and folders as one request may, and no more", async () => {
      const { client, id: drive } = await stage.ownDrive();
      const first = await client.put(drive, "first", "x");
      await addManyFiles(stage.coffer.dataDir, first.id, most - 1);
      await client.post("/v0/folders", { drive_id: drive, path: "many/sub/" });
      const made = await ask(client, drive, "many/", "all/");
      expect(made.status).toBe(success);
      expectJson(made.text, { file_count: most - 1 });
      await client.post("/v0/folders", { drive_id: drive, path: "all/one/" });
      requireTooMuch(await ask(client, drive, "all/", "more/"));
    });

    test("no more files that expired and await the sweep than of others", async () => {
      const { client, id: drive } = await stage.ownDrive();
      const expiry = new Date(stage.coffer.clock.now() + HOUR).toISOString();
      const path = `/v0/files?drive_id=${drive}&path=first&expires_at=${expiry}`;
      const first = await client.json<{ id: string }>(201, "PUT", path, { body: "x" });
      await addManyFiles(stage.coffer.dataDir, first.id, most + 1);
      stage.coffer.clock.advance(2 * HOUR);
      requireTooMuch(await ask(client, drive, "many/", "more/"));
      await stage.coffer.appliance.services.sweep.run();
      expect((await ask(client, drive, "many/", "more/")).status).toBe(success);
    });
  });
}
