import { describe, expect, test } from "bun:test";
import { dataOf, expectRefused } from "../../support/server/answers.ts";
import { openStage } from "../../support/server/scenario.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("GET /v0/drives/claim/{token}", () => {
  const stage = openStage();

  async function unclaimed() {
    const { coffer } = stage;
    const { data } = await coffer.client().post<{
      data: { drive_id: string; api_key: string; claim_url: string; expires_at: string };
    }>("/v0/drives/provision", { name: "Research" });
    const token = data.claim_url.split("/").at(-1) ?? "";
    const path = `/v0/drives/claim/${token}`;
    return { ...data, token, preview: () => coffer.client().send("GET", path) };
  }

  test("shows anybody who has the token what it is for, and no more", async () => {
    const drive = await unclaimed();
    const agent = stage.coffer.client(drive.api_key);
    await agent.put(drive.drive_id, "a.txt", "hello");
    expect(dataOf(await drive.preview())).toEqual({
      name: "Research",
      file_count: 1,
      total_size: 5,
      expires_at: drive.expires_at,
      created_at: expect.any(String),
    });
    // A drive's key is no hindrance, and looking uses nothing up.
    expect(await agent.status("GET", `/v0/drives/claim/${drive.token}`)).toBe(200);
    const claimed = { body: { token: drive.token } };
    expect(await stage.world.clients.ada.status("POST", "/v0/drives/claim", claimed)).toBe(200);
  });

  test("a used token is 409, an unknown one and that of a deleted drive 404", async () => {
    const used = await unclaimed();
    await stage.world.clients.ada.post("/v0/drives/claim", { token: used.token }, 200);
    expectRefused(await used.preview(), "CONFLICT");
    const deleted = await unclaimed();
    await stage.coffer.client(deleted.api_key).delete(`/v0/drives/${deleted.drive_id}`);
    expectRefused(await deleted.preview(), "NOT_FOUND");
    for (const token of ["clm_none", "%00", "' OR 1=1 --"]) {
      const path = `/v0/drives/claim/${encodeURIComponent(token)}`;
      expectRefused(await stage.coffer.client().send("GET", path), "NOT_FOUND");
    }
  });

  test("an expired token is 410, also after the sweep; the log has no token", async () => {
    const drive = await unclaimed();
    stage.coffer.clock.advance(30 * DAY_MS - 1);
    expect((await drive.preview()).status).toBe(200);
    stage.coffer.clock.advance(1);
    expectRefused(await drive.preview(), "GONE");
    await stage.coffer.appliance.services.sweep.run();
    expectRefused(await drive.preview(), "GONE");
    expect(stage.coffer.lines.join("\n")).not.toContain(drive.token);
  });
});
