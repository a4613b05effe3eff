import { describe, expect } from "bun:test";
import { DAY_MS } from "../../../src/domain/time.ts";
import { PER_ACCOUNT, WINDOW_SECONDS } from "../../../src/http/limits/guess-throttle.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import { expectRefused } from "../../support/server/answers.ts";
import type { SignedInBrowser } from "../../support/server/sign-in.ts";
import { isSignedIn, signIn, signInAll } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";

/** A world where Ada, its administrator, and Bob have signed in. */
const it = testWith(async () => {
  const coffer = await startWorld({ ...KEEPS_NOTHING });
  const [ada, bob] = await signInAll(coffer, "ada", "bob");
  return Object.assign(coffer, { ada, bob });
});

const LOOPBACK = expect.stringMatching(/^(127\.0\.0\.1|0:0:0:0:0:0:0:1)$/);

interface Event {
  readonly action: string;
  readonly outcome: string;
  readonly count: number;
  readonly actor: { readonly kind: string; readonly name: string | null; readonly username: string | null };
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
    expectRefused(await clients.nobody.send("GET", "/v0/audit-events"), "UNAUTHORIZED");
    const headers = { accept: "application/x-ndjson" };
    for (const other of [bob, clients.ada])
      expectRefused(await other.send("GET", "/v0/audit-events", { headers }), "FORBIDDEN");
    const tried = await eventsOf(ada, "action=admin.requested");
    const byBob = tried.filter(({ actor }) => actor.username === "bob");
    expect(byBob).toMatchObject([
      { outcome: "refused", count: 3, subject: { kind: "route", name: "GET /v0/audit-events" } },
    ]);
  });

  it("tells of keys with their names after they and their users are gone, and of who still uses them", async (world) => {
    const { ada, bob } = world;
    const made = await bob.send("POST", "/v0/keys", { body: { name: "Bob's agent" } });
    const key = JSON.parse(made.text);
    await bob.send("DELETE", `/v0/keys/${key.id}`);
    const { data: users } = await ada.get<{ data: { id: string; username: string }[] }>("/v0/users");
    const user = users.find(({ username }) => username === "bob");
    await ada.delete(`/v0/users/${user?.id}`, { drives: "delete" });
    expectRefused(await world.client(key.key).send("GET", "/v0/account"), "UNAUTHORIZED");
    const events = await eventsOf(ada, `subject_id=${key.id}`);
    expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["key.used", "refused"],
      ["key.revoked", "success"],
      ["key.created", "success"],
    ]);
    expect(events.map(({ actor }) => actor.username)).toEqual(["bob", "bob", "bob"]);
    for (const { subject, address } of events) {
      expect(subject).toMatchObject({ kind: "key", name: "Bob's agent" });
      expect(address).toEqual(LOOPBACK);
    }
  });

  it("keeps no name that was typed at a sign-in unless a user has it: it may be a password", async (world) => {
    const secret = "correct horse battery";
    const headers = { "user-agent": "the browser of a forgetful person" };
    for (const username of [secret, "bob"])
      await world.client().send("POST", "/auth/login", { body: { username, password: "wrong" }, headers });
    const refused = await eventsOf(world.ada, "category=sign_in&outcome=refused");
    const found = new Map(refused.map(({ actor, detail }) => [actor.username, detail["reason"]]));
    expect(found).toEqual(
      new Map([
        ["bob", "wrong_password"],
        [null, "unknown_user"],
      ]),
    );
    expect(JSON.stringify(refused)).not.toContain(secret);
    // Nor anywhere else, while what came with it is there.
    await world.close();
    const files = new Bun.Glob("*.db").scan({ cwd: world.dataDir, absolute: true });
    const bytes = await Array.fromAsync(files, async (path) => Buffer.from(await Bun.file(path).bytes()));
    const holds = (text: string) => bytes.some((each) => each.includes(text));
    expect([holds("the browser of a forgetful person"), holds(secret)]).toEqual([true, false]);
  });

  it("tells of a session that ends as somebody signs in in its browser, and of none that there was not", async (world) => {
    const { ada, bob } = world;
    const login = (username: string, password: string, cookie: string) =>
      bob.status("POST", "/auth/login", { body: { username, password }, headers: { cookie } });
    expect(await login("carol", "wrong", bob.cookie)).toBe(401);
    expect(await isSignedIn(bob)).toBe(true);
    // The second time, the session has ended already.
    for (const cookie of [bob.cookie, bob.cookie, "coffer_session=none"])
      expect(await login("carol", "carol's password", cookie)).toBe(200);
    expect(await isSignedIn(bob)).toBe(false);
    const ended = await eventsOf(ada, "action=session.ended");
    expect(ended.filter(({ detail }) => detail["reason"] !== undefined)).toMatchObject([
      {
        outcome: "success",
        actor: { kind: "user", name: "bob", username: "bob" },
        subject: { kind: "session", name: null },
        address: LOOPBACK,
        detail: { reason: "new_sign_in" },
      },
    ]);
  });

  it("says why somebody was not let in, or a password not changed", async (world) => {
    const { ada, bob, clock } = world;
    const current = { current: "wrong", password: "another of bob's" };
    expectRefused(await bob.send("POST", "/v0/account/password", { body: current }), "VALIDATION_ERROR");
    const [change] = await eventsOf(ada, "action=password.changed");
    const byBob = { outcome: "refused", actor: { kind: "user", username: "bob" } };
    expect(change).toMatchObject({
      ...byBob,
      subject: { name: "bob" },
      detail: { reason: "wrong_password" },
    });
    const reasons = async () => {
      clock.advance(60_000);
      const [first] = await eventsOf(ada, "action=session.created&actor=carol&limit=1");
      return [first?.outcome, first?.detail["reason"], first?.count];
    };
    const tryIn = async (password: string, times: number) => {
      const body = { username: "Carol", password };
      for (let n = 0; n < times; n += 1) await world.client().send("POST", "/auth/login", { body });
    };
    await tryIn("wrong", 2);
    expect(await reasons()).toEqual(["refused", "wrong_password", 2]);
    await tryIn("wrong", PER_ACCOUNT + 1);
    expect(await reasons()).toEqual(["refused", "rate_limited", 3]);
    clock.advance(WINDOW_SECONDS * 1000);
    changeDatabase(world.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'carol'");
    await tryIn("carol's password", 1);
    expect(await reasons()).toEqual(["refused", "disabled", 1]);
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
    expect(answered.get("content-disposition")).toStartWith('attachment; filename="audit-events.jsonl"');
    // A link cannot say what it accepts, and no page of another site reads what it leads to.
    const link = "/v0/audit-events?lines=true";
    const page = { accept: "text/html,*/*;q=0.8" };
    expect((await ada.send("GET", link, { headers: page })).text).toBe(text);
    const foreign = { ...page, origin: "https://evil.example" };
    expectRefused(await ada.send("GET", link, { headers: foreign }), "UNAUTHORIZED");
    expectRefused(await world.bob.send("GET", link, { headers: page }), "FORBIDDEN");
    expect(paged.length).toBeGreaterThan(2);
  });

  it("is narrowed by each filter to what that means", async (world) => {
    const { ada, bob, clock } = world;
    const startedAt = clock.iso();
    const made = await bob.post<{ id: string }>("/v0/keys", { name: "first" });
    clock.advance(DAY_MS);
    const drive = world.drives.ada;
    const added = { username: "bob", role: "reader" };
    await ada.post(`/v0/drives/${drive}/members`, added);
    // An identifier that is none of ours is taken letter by letter.
    changeDatabase(
      world.dataDir,
      "UPDATE audit_event SET subject_id = 'Day-T1' WHERE action = 'member.added'",
    );
    const later = clock.iso();
    const of = async (query: string) => (await eventsOf(ada, query)).map(({ action }) => action);
    expect(await of("category=sharing")).toEqual(["member.added", "member.added", "member.added"]);
    expect(await of("action=key.created&actor=BOB")).toEqual(["key.created"]);
    expect(await of(`subject_id=${made.id.toUpperCase()}`)).toEqual(["key.created"]);
    expect(await of("subject_id=Day-T1&limit=1")).toEqual(["member.added"]);
    expect(await of("subject_id=day-t1")).toEqual([]);
    expect(await of(`drive_id=${drive.toUpperCase()}&limit=1`)).toEqual(["member.added"]);
    expect(await of("since=1h")).toEqual(["member.added"]);
    expect(await of(`until=${later}&since=${startedAt}&action=member.added`)).not.toContain("key.created");
    expect(await of(`until=${startedAt}`)).toEqual([]);
    expect(await of("outcome=refused")).toEqual([]);
    for (const other of ["actor=ada", "category=sharing", `drive_id=${drive}`, "action=key.revoked"])
      expect(await of(`subject_id=${made.id}&${other}`)).toEqual([]);
    for (const wrong of ["category=x", "action=x", "outcome=x", "since=x", "until=x", "cursor=x"])
      expectRefused(await ada.send("GET", `/v0/audit-events?${wrong}`), "VALIDATION_ERROR");
  });

  it("knows a key in an MCP message as well as one in a header", async (world) => {
    const { ada, bob, clients, drives } = world;
    const { id, key } = await bob.post<{ id: string; key: string }>("/v0/keys", { name: "in a message" });
    const call = () => {
      const args = { api_key: key, drive_id: drives.bob, action: "page", path: "notes/" };
      const params = { name: "share", arguments: args };
      return clients.nobody.send("POST", "/mcp", {
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      });
    };
    expect((await call()).status).toBe(200);
    await bob.delete(`/v0/keys/${id}`);
    expect((await call()).status).toBe(401);
    const [link] = await eventsOf(ada, "action=link.created&actor=bob");
    expect(link).toMatchObject({ actor: { kind: "key", name: "in a message" }, address: LOOPBACK });
    const [used] = await eventsOf(ada, "action=key.used");
    expect(used).toMatchObject({
      detail: { reason: "revoked" },
      actor: { username: "bob" },
      address: LOOPBACK,
    });
  });

  it("takes no rule for administrators as an attempt", async ({ ada }) => {
    const { data } = await ada.get<{ data: { id: string; username: string }[] }>("/v0/users");
    const own = data.find(({ username }) => username === "ada");
    expectRefused(await ada.send("PATCH", `/v0/users/${own?.id}`, { body: { admin: false } }), "FORBIDDEN");
    expect(await eventsOf(ada, "action=admin.requested&actor=ada")).toEqual([]);
  });
});
