import { describe, expect, test } from "bun:test";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { gives } from "../../support/server/steps.ts";

const stage = openStage({
  "rate-limits": "free=100000,pro=200000,team=300000",
  "storage-limits": "free=10MB,pro=1GB",
  "max-file-size": "5MB",
});

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What a key of this account, the only field of the answer, is told. */
function shows(username: string, plan: string, limits: { requests: number; storage: number | null }) {
  return {
    data: {
      id: expect.stringMatching(ID),
      username,
      email: null,
      display_name: null,
      plan,
      admin: username === "ada",
      has_password: true,
      drive_count: 1,
      created_at: "2030-01-01T00:00:00.000Z",
      language: null,
      limits: {
        requests_per_minute: limits.requests,
        storage_bytes: limits.storage,
        max_file_size: 5 * 1024 * 1024,
        keep_days: 30,
        keep_versions: 50,
      },
    },
  };
}

const ada = shows("ada", "team", { requests: 300_000, storage: null });
const bob = shows("bob", "free", { requests: 100_000, storage: 10 * 1024 * 1024 });

describe("GET /v0/account", () => {
  runScenarios(stage, {
    "the first account's": gives("ada GET /v0/account", ada),
    "with a read-only key": gives("adaReader GET /v0/account", ada),
    "another account's, with its plan's limits": gives("bob GET /v0/account", bob),
  });

  test("has these fields and no others, and counts the drives that are there", async () => {
    const client = stage.world.clients.bob;
    const account = async () => (await client.get<{ data: { drive_count: number } }>("/v0/account")).data;
    expect(Object.keys(await account())).toEqual(Object.keys(bob.data));
    const { id } = await client.makeDrive("Two");
    expect((await account()).drive_count).toBe(2);
    await client.delete(`/v0/drives/${id}`);
    expect((await account()).drive_count).toBe(1);
  });
});
