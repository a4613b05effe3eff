import { describe, expect } from "bun:test";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import { expectRefused } from "../../support/server/answers.ts";
import type { SignedInBrowser } from "../../support/server/sign-in.ts";
import { signIn, signInAll } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";

/** A world where Ada, its administrator, and Bob have signed in. */
const it = testWith(async () => {
  const coffer = await startWorld({ ...KEEPS_NOTHING });
  const [ada, bob] = await signInAll(coffer, "ada", "bob");
  return Object.assign(coffer, { ada, bob });
});

interface Event {
  readonly action: string;
  readonly outcome: string;
  readonly count: number;
  readonly actor: { readonly kind: string; readonly username: string | null };
  readonly subject: { readonly kind: string; readonly name: string | null } | null;
  readonly address: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

interface Page {
  readonly data: readonly Event[];
  readonly next_cursor: string | null;
}

async function eventsOf(ada: SignedInBrowser, query: string): Promise<readonly Event[]> {
  const { data } = await ada.get<Page>(`/v0/audit-events?${query}`);
  return data;
}

describe("the audit log", () => {
  it("is read by administrators with a session alone, and who else asks is in it", async (world) => {
    const { ada, bob, clients } = world;
    expectRefused(await bob.send("GET", "/v0/audit-events"), "FORBIDDEN");
    expectRefused(await bob.send("GET", "/v0/audit-events"), "FORBIDDEN");
    expectRefused(await clients.ada.send("GET", "/v0/audit-events"), "FORBIDDEN");
    const tried = await eventsOf(ada, "action=admin.requested");
    const byBob = tried.filter(({ actor }) => actor.username === "bob");
    expect(byBob).toMatchObject([
      { outcome: "refused", count: 2, subject: { kind: "route", name: "GET /v0/audit-events" } },
    ]);
  });

  it("tells of keys with their names after they and their users are gone, and of who still uses them", async (world) => {
    const { ada, bob } = world;
    const made = await bob.send("POST", "/v0/keys", { body: { name: "Bob's agent" } });
    const key = JSON.parse(made.text);
    await bob.send("DELETE", `/v0/keys/${key.id}`);
    expectRefused(await world.client(key.key).send("GET", "/v0/account"), "UNAUTHORIZED");
    const events = await eventsOf(ada, `subject_id=${key.id}`);
    expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["key.used", "refused"],
      ["key.revoked", "success"],
      ["key.created", "success"],
    ]);
    for (const { subject, address } of events) {
      expect(subject).toMatchObject({ kind: "key", name: "Bob's agent" });
      expect(address).toMatch(/^(127\.0\.0\.1|0:0:0:0:0:0:0:1)$/);
    }
  });

  it("keeps no name that was typed at a sign-in unless a user has it: it may be a password", async (world) => {
    const secret = "correct horse battery";
    for (const username of [secret, "bob"])
      await world.client().send("POST", "/auth/login", { body: { username, password: "wrong" } });
    const refused = await eventsOf(world.ada, "category=sign_in&outcome=refused");
    const found = new Map(refused.map(({ actor, detail }) => [actor.username, detail["reason"]]));
    expect(found).toEqual(
      new Map([
        ["bob", "wrong_password"],
        [null, "unknown_user"],
      ]),
    );
    expect(JSON.stringify(refused)).not.toContain(secret);
  });

  it("comes whole as lines of JSON, and in pages that leave none out", async (world) => {
    const { ada } = world;
    await signIn(world, "bob");
    const paged: Event[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await ada.get(`/v0/audit-events?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    const headers = { accept: "application/x-ndjson" };
    const { headers: answered, text } = await ada.send("GET", "/v0/audit-events", { headers });
    expect(answered.get("content-type")).toBe("application/x-ndjson");
    const lines: unknown[] = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual(paged);
    expect(paged.length).toBeGreaterThan(2);
  });

  it("takes no rule for administrators as an attempt", async ({ ada }) => {
    const { data } = await ada.get<{ data: { id: string; username: string }[] }>("/v0/users");
    const own = data.find(({ username }) => username === "ada");
    expectRefused(await ada.send("PATCH", `/v0/users/${own?.id}`, { body: { admin: false } }), "FORBIDDEN");
    expect(await eventsOf(ada, "action=admin.requested&actor=ada")).toEqual([]);
  });
});
