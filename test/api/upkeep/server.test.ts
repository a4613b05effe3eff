import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../../../src/domain/time.ts";
import type { ServerRecord } from "../../../src/http/records/server-schemas.ts";
import { dataOf, expectRefused } from "../../support/server/answers.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { newContent } from "../../support/samples/contents.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { beginSession, type SignedInBrowser } from "../../support/server/sign-in.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { HOOK } from "../../support/server/targets.ts";
import { startWorld } from "../../support/server/world.ts";

/** Ada administers; Bob does not. */
async function startWithAdmin(...given: Parameters<typeof startAppliance>) {
  const coffer = await startAppliance(...given);
  addAccount(coffer, "ada");
  addAccount(coffer, "bob");
  return Object.assign(coffer, {
    ada: beginSession(coffer, "ada").browser,
    bob: beginSession(coffer, "bob").browser,
  });
}

async function serverOf(admin: SignedInBrowser): Promise<ServerRecord> {
  return (await admin.get<{ data: ServerRecord }>("/v0/server")).data;
}

async function settingOf(admin: SignedInBrowser, name: string) {
  const found = (await serverOf(admin)).settings.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`no setting ${name}`);
  return found;
}

function change(admin: SignedInBrowser, body: Record<string, string | null>) {
  return admin.send("PATCH", "/v0/server", { body });
}

/** What holds now, as those see it whom it is about. */
async function inForce(coffer: TestAppliance, admin: SignedInBrowser) {
  const nobody = coffer.client();
  const { limits } = await nobody.get<{ limits: Record<string, unknown> }>("/v0");
  const { signups } = await nobody.get<{ signups: boolean }>("/auth/options");
  const account = await admin.send("GET", "/v0/account");
  const page = await nobody.send("GET", "/", { headers: { accept: "text/html" } });
  return {
    limits,
    signups,
    account: dataOf(account),
    rate: (await nobody.send("GET", "/v0")).headers.get("x-ratelimit-limit"),
    title: /<title>(.*?)<\/title>/.exec(page.text)?.[1],
    etag: page.headers.get("etag"),
  };
}

const WORLD = await startWorld();
afterAll(() => WORLD[Symbol.asyncDispose]());

test("the server is shown to a signed-in administrator alone", async () => {
  const [ada, bob] = [beginSession(WORLD, "ada").browser, beginSession(WORLD, "bob").browser];
  expect(await serverOf(ada)).toMatchObject({
    problems: [],
    contents: { count: 1, size: 12 },
    index: { failing_since: null },
    backups: null,
    scrub: { damaged: 0 },
  });
  const requests: [method: string, path: string, options?: { body: Json }][] = [
    ["GET", "/v0/server"],
    ["PATCH", "/v0/server", { body: { name: "Bob's" } }],
    ["POST", "/v0/server/backups"],
  ];
  for (const request of requests) {
    expectRefused(await bob.send(...request), "FORBIDDEN");
    expectRefused(await WORLD.clients.ada.send(...request), "FORBIDDEN");
    expectRefused(await WORLD.client().send(...request), "UNAUTHORIZED");
  }
  expectRefused(await ada.send("POST", "/v0/server/backups"), "CONFLICT");
});

test("no secret is shown, only that there is one", async () => {
  const secret = "a-secret-that-nobody-sees";
  const provider = { "oidc-issuer": "http://127.0.0.1:1", "oidc-client-id": "coffer" };
  await using coffer = await startWithAdmin({ ...provider, "oidc-client-secret": secret });
  const answer = await coffer.ada.send("GET", "/v0/server");
  expect(answer.text).not.toContain(secret);
  expect(await settingOf(coffer.ada, "oidc_client_secret")).toMatchObject({
    secret: true,
    value: null,
    source: "flag",
  });
});

describe("a setting that an administrator changes", () => {
  // As by default: what a flag says stands.
  const limits = { "keep-days": "30" };
  const changed = {
    name: "Ada's <b>&amp;</b> $& drive",
    signups: "open",
    storage_limits: "team=5GiB",
    keep_versions: "7",
  };

  test("holds at once, also after a restart, until it is set back", async () => {
    await using coffer = await startWithAdmin(limits);
    const before = await inForce(coffer, coffer.ada);
    expect(before).toMatchObject({ signups: false, title: "Coffer", limits: { keep_versions: 50 } });
    expect((await change(coffer.ada, changed)).status).toBe(200);
    const after = {
      signups: true,
      title: "Ada&#x27;s &lt;b&gt;&amp;amp;&lt;/b&gt; $&amp; drive",
      limits: { keep_versions: 7, keep_days: 30 },
      account: { limits: { keep_versions: 7, storage_bytes: 5 * 1024 ** 3 } },
    };
    expect(await inForce(coffer, coffer.ada)).toMatchObject(after);
    expect((await inForce(coffer, coffer.ada)).etag).not.toBe(before.etag);
    await coffer.restart();
    expect(await inForce(coffer, coffer.ada)).toMatchObject(after);
    expect(await settingOf(coffer.ada, "keep_versions")).toMatchObject({
      value: "7",
      default_value: "50",
      source: "stored",
      changeable: true,
    });
    const none = Object.fromEntries(Object.keys(changed).map((name) => [name, null]));
    expect((await change(coffer.ada, none)).status).toBe(200);
    expect(await inForce(coffer, coffer.ada)).toEqual(before);
    expect((await settingOf(coffer.ada, "name")).source).toBe("default");
  });

  test("is what all that runs goes by", async () => {
    await using coffer = await startWorld();
    const { ada: client } = coffer.clients;
    const { ada: drive } = coffer.drives;
    const ada = beginSession(coffer, "ada").browser;
    const inTrash = async () => (await client.get<{ data: unknown[] }>("/v0/trash")).data.length;
    const put = (path: string) =>
      client.status("PUT", `/v0/files?drive_id=${drive}&path=${path}`, { body: "x" });
    await client.store(drive, "old.txt", "old");
    await client.delete(`/v0/paths?drive_id=${drive}&path=old.txt`);
    coffer.clock.advance(2 * DAY_MS);
    expect(await inTrash()).toBe(1);
    expect(await put("before.txt")).toBe(201);
    const changes = () => rowsIn(coffer.dataDir, "SELECT path FROM change WHERE path = 'old.txt'").length;
    await coffer.appliance.services.sweep.run();
    expect(changes()).toBeGreaterThan(0);
    const body = { keep_days: "1", storage_limits: "team=1B", signups: "open" };
    expect((await change(ada, body)).status).toBe(200);
    expect([await inTrash(), await put("after.txt")]).toEqual([0, 403]);
    await coffer.appliance.services.sweep.run();
    expect(changes()).toBe(0);
    const user = { username: "eve", password: "a password of eve's" };
    const own = { headers: { origin: coffer.appliance.url }, body: user };
    expect(await coffer.client().status("POST", "/auth/signup", own)).toBe(200);
  });

  test("is not what a flag says, which stands as long as it is given", async () => {
    await using coffer = await startWithAdmin();
    expect((await change(coffer.ada, { keep_days: "3" })).status).toBe(200);
    await coffer.restart({ "keep-days": "5" });
    expect(await settingOf(coffer.ada, "keep_days")).toMatchObject({
      value: "5",
      source: "flag",
      changeable: false,
    });
    expect(await inForce(coffer, coffer.ada)).toMatchObject({ limits: { keep_days: 5 } });
    // All of it, or nothing.
    expectRefused(await change(coffer.ada, { name: "Changed", keep_days: "4" }), "CONFLICT");
    expect((await settingOf(coffer.ada, "name")).source).toBe("default");
    await coffer.restart();
    expect(await inForce(coffer, coffer.ada)).toMatchObject({ limits: { keep_days: 3 } });
  });

  test.each<[name: string, values: string[]]>([
    ["name", ["", "  ", "x".repeat(65), "a\nb", "\u200b", "\ud800"]],
    ["signups", ["", "yes", "OPEN"]],
    ["storage_limits", ["", "free", "free=0", "free=1XB", "free=1,free=2", "none", "rich=5GB"]],
    ["keep_days", ["", "-1", "1.5", "1e3", "36501", "0x10"]],
    ["keep_versions", ["", "10001", "many"]],
  ])("is refused as its flag is: %s", async (name, values) => {
    const ada = beginSession(WORLD, "ada").browser;
    for (const value of values) {
      expectRefused(await change(ada, { signups: "open", [name]: value }), "VALIDATION_ERROR", name);
    }
    expect((await settingOf(ada, name)).source).toBe("default");
  });

  test("and that is no value any more has its default, and is told of", async () => {
    await using coffer = await startWithAdmin();
    await coffer.close();
    changeDatabase(coffer.dataDir, "INSERT INTO setting VALUES ('keep_days', 'forever'), ('gone', 'x')");
    await coffer.restart();
    expect(await settingOf(coffer.ada, "keep_days")).toMatchObject({ value: null, source: "default" });
    expect(coffer.lines.filter((line) => line.includes('"setting":"keep_days"'))).toHaveLength(1);
    expect((await change(coffer.ada, { keep_days: "2" })).status).toBe(200);
    expect(await inForce(coffer, coffer.ada)).toMatchObject({ limits: { keep_days: 2 } });
  });
});

test("what needs attention is told, worst first, as long as it lasts", async () => {
  await using coffer = await startWorld();
  await coffer.clients.ada.post("/v0/webhooks", HOOK);
  const ada = beginSession(coffer, "ada").browser;
  const now = coffer.clock.now();
  changeDatabase(
    coffer.dataDir,
    `INSERT INTO damaged_content (digest, problem, found_at) SELECT digest, 'missing', ${now - 5} FROM blob`,
  );
  changeDatabase(coffer.dataDir, `UPDATE webhook SET disabled_at = ${now - 3}, disabled_reason = 'gone'`);
  const [since, last] = [coffer.clock.iso(-5), coffer.clock.iso(-3)];
  const damaged = { kind: "contents_damaged", since, count: 1, reason: null };
  const disabled = { kind: "webhooks_disabled", since: last, count: 1, reason: null };
  const problems = async (): Promise<readonly object[]> => (await serverOf(ada)).problems;
  expect(await problems()).toEqual([damaged, disabled]);
  await coffer.restart({ "disk-reserve": "1000TB", backup: "/dev/null" });
  coffer.clock.advance(3 * DAY_MS);
  // It finds the content whole.
  await coffer.appliance.services.scrub.run();
  const none = { since: null, count: null, reason: null };
  expect(await problems()).toEqual([
    { kind: "storage_full", ...none },
    { kind: "backup_late", ...none },
    disabled,
  ]);
  // A webhook that nobody turns on again is not told of for ever.
  coffer.clock.advance(5 * DAY_MS);
  expect(await problems()).not.toContainEqual(disabled);
});

test("a disk that is no longer used, and holds contents, is shown as such, and is to be moved", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [a, b] = [join(place.path, "a"), join(place.path, "b")];
  for (const disk of [a, b]) await mkdir(disk);
  await using coffer = await startWithAdmin({ blobs: a });
  const { id, key } = await provision(coffer);
  await coffer.client(key).put(id, "a.bin", newContent(40_000));
  await coffer.restart({ blobs: b });
  const { disk, disks, problems } = await serverOf(coffer.ada);
  expect(disks.map(({ path, former }) => [path, former])).toEqual([
    [b, false],
    [a, true],
  ]);
  expect(disk.total).toBe(disks[0]?.total ?? 0);
  expect(problems).toEqual([{ kind: "contents_to_move", since: null, count: 1, reason: a }]);
});

test("each disk is shown, and one that cannot be reached is a problem, which stops the server if it is the last", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [a, b] = [join(place.path, "a"), join(place.path, "b")];
  for (const disk of [a, b]) await mkdir(disk);
  await using coffer = await startWithAdmin({ blobs: `${a},${b}` });
  const { health } = coffer.appliance.services;
  const ready = async () => coffer.client().send("GET", "/readyz");
  const { disk, disks, problems } = await serverOf(coffer.ada);
  expect(disks.map(({ path, problem }) => [path, problem])).toEqual([
    [a, null],
    [b, null],
  ]);
  expect(disk.total).toBe(disks.reduce((sum, { total }) => sum + (total ?? 0), 0));
  expect([problems, (await ready()).status]).toEqual([[], 200]);
  await rename(b, join(place.path, "gone"));
  await health.watch();
  const without = await serverOf(coffer.ada);
  expect(without.disks[1]).toEqual({
    path: b,
    former: false,
    problem: "it is missing, or not mounted",
    total: null,
    free: null,
  });
  expect(without.disk.total).toBe(without.disks[0]?.total ?? 0);
  const problem = { kind: "disk_unavailable", since: null } as const;
  expect(without.problems).toEqual([{ ...problem, count: 1, reason: `${b}: it is missing, or not mounted` }]);
  expect([(await ready()).status, await coffer.client().get("/readyz")]).toMatchObject([
    200,
    { status: "ok", unavailable_disks: 1 },
  ]);
  await rename(a, join(place.path, "gone too"));
  await health.watch();
  expect((await serverOf(coffer.ada)).problems).toMatchObject([{ ...problem, count: 2 }]);
  expect(await coffer.client().json(503, "GET", "/readyz")).toMatchObject({
    problems: ["disk_unavailable"],
    unavailable_disks: 2,
  });
  await rename(join(place.path, "gone"), b);
  await health.watch();
  expect(await coffer.client().get("/readyz")).toMatchObject({ unavailable_disks: 1 });
  expect(coffer.lines.filter((line) => line.includes("a disk cannot be used"))).toHaveLength(2);
});

test("what is refused is counted by day", async () => {
  await using coffer = await startWithAdmin();
  const nobody = coffer.client();
  await nobody.send("GET", "/v0/drives");
  coffer.clock.advance(DAY_MS);
  await nobody.send("GET", "/v0/drives");
  await nobody.send("GET", "/v0/account");
  const ada = beginSession(coffer, "ada").browser;
  expect((await serverOf(ada)).refused).toEqual([
    { day: "2030-01-02", unauthorized: 2, forbidden: 0, rate_limited: 0, no_space: 0, failed: 0 },
    { day: "2030-01-01", unauthorized: 1, forbidden: 0, rate_limited: 0, no_space: 0, failed: 0 },
  ]);
});

test("a backup is made when an administrator asks, one at a time, and a failure is told of", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [begun, end] = [join(place.path, "begun"), join(place.path, "end")];
  const script = `touch "${begun}"; while [ ! -e "${end}" ]; do sleep 0.02; done; echo "no room there" >&2; exit 1`;
  const backup = join(place.path, "dest");
  await using coffer = await startWithAdmin({ backup }, { program: ["sh", "-c", script] });
  const backups = async () => (await serverOf(coffer.ada)).backups;
  expect(await backups()).toMatchObject({ place: backup, running: false, last_success_at: null });
  const answer = await coffer.ada.send("POST", "/v0/server/backups");
  expect(dataOf(answer, 202)).toMatchObject({ running: true });
  expectRefused(await coffer.ada.send("POST", "/v0/server/backups"), "CONFLICT");
  await eventually(() => Bun.file(begun).exists());
  expect(await backups()).toMatchObject({ running: true });
  await Bun.write(end, "");
  await eventually(async () => (await backups())?.running === false);
  const at = new Date(coffer.clock.now()).toISOString();
  expect(await backups()).toMatchObject({ last_failure_at: at, failure: "no room there" });
  const { problems }: { problems: readonly object[] } = await serverOf(coffer.ada);
  expect(problems).toEqual([{ kind: "backup_failed", since: at, count: null, reason: "no room there" }]);
});
