import { afterAll, expect, test } from "bun:test";
import { DAY_MS } from "../../src/domain/time.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { runHere } from "../support/server/run-here.ts";
import { signInAll } from "../support/server/sign-in.ts";
import { startWorld } from "../support/server/world.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const world = await startWorld();
// The command asks another clock.
const [now, dayAgo] = [Date.now(), Date.now() - DAY_MS];
const [ada] = await signInAll(world, "ada");
await world.client().send("POST", "/auth/login", { body: { username: "bob", password: "wrong" } });
const bob = { username: "bob", role: "editor" };
await ada.post(`/v0/drives/${world.drives.ada}/members`, bob);
/** Also what is written a moment later. */
const listed = await ada.get<{ data: object[]; next_cursor: null }>("/v0/audit-events?limit=100");

afterAll(() => world[Symbol.asyncDispose]());

const audit = (...flags: readonly string[]) => runHere(["audit", ...flags], world.dataDir);

async function linesOf(...flags: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await audit(...flags);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").slice(0, -1);
}

test("each event is a line, beside a server and without one, and as JSON what the API says", async () => {
  const at = world.clock.iso();
  const beside = await linesOf();
  expect(beside[0]).toMatch(
    new RegExp(`^${at}  member\\.added  by ada  user "bob"  from \\S+  drive="Notes"  role="editor"$`),
  );
  const refused = `${at}  session.created refused  by anonymous of bob  user "bob"  from `;
  expect(beside.filter((line) => line.startsWith(refused))).toHaveLength(1);
  expect(beside.filter((line) => line.includes('key.created  by command "key create"'))).not.toEqual([]);
  const asJson = (await linesOf("--json")).map((line): unknown => JSON.parse(line));
  expect(asJson).toEqual(listed.data);
  await world.close();
  expect(await linesOf()).toEqual(beside);
  await world.restart();
});

test("each filter leaves what it means", async () => {
  const counts = async (...flags: readonly string[]) => (await linesOf(...flags)).length;
  const all = await counts();
  const refused = await linesOf("--outcome", "refused");
  expect(refused).toEqual([expect.stringContaining("session.created refused")]);
  expect(await counts("--outcome", "success")).toBe(all - 1);
  expect(await linesOf("--category", "sign_in", "--actor", "BOB")).toEqual(refused);
  expect((await linesOf("--category", "sharing", "--actor", "ada"))[0]).toContain("member.added");
  changeDatabase(
    world.dataDir,
    `UPDATE audit_event SET at = ${now - 1000} WHERE outcome = 'refused'`,
    `UPDATE audit_event SET at = ${dayAgo - 1000} WHERE outcome = 'success'`,
  );
  expect(await linesOf("--since", "1d")).toHaveLength(1);
  expect(await counts("--until", "1d")).toBe(all - 1);
  expect(await counts("--since", "2d", "--until", new Date(now).toISOString())).toBe(all);
  expect(await counts("--since", new Date(now).toISOString())).toBe(0);
});

test("what makes no sense is refused, and so is a directory without a store", async () => {
  for (const [flags, said] of [
    [["--category", "x"], "--category must be one of sign_in, users"],
    [["--outcome", "x"], "--outcome must be one of success, refused."],
    [["--since", "yesterday"], "--since"],
    [["--until", "2030-02-30T00:00:00Z"], "--until"],
    [["--what"], "--what"],
  ] as const) {
    const { code, stdout, stderr } = await audit(...flags);
    expect([flags, code, stdout]).toEqual([flags, 1, ""]);
    expect(stderr).toContain(said);
  }
  await using nothing = await temporaryDirectory();
  const { code, stderr } = await runHere(["audit"], nothing.path);
  expect(code).toBe(1);
  expect(stderr).toContain("is not a Coffer data directory");
});

test("no name ends a line, hides in it, or turns its direction", async () => {
  const before = await linesOf();
  const name = `x"\n2030-01-01T00:00:00.000Z  key.created  by root\u001b[2K\u202e\u0085\u2028\u200b`;
  const value = `CAST(x'${Buffer.from(name).toString("hex")}' AS TEXT)`;
  changeDatabase(world.dataDir, `UPDATE audit_event SET subject_name = ${value} WHERE outcome = 'refused'`);
  expect(await linesOf()).toHaveLength(before.length);
  const [plain = "", ...others] = await linesOf("--outcome", "refused");
  const [json = "", ...more] = await linesOf("--outcome", "refused", "--json");
  expect([others, more]).toEqual([[], []]);
  for (const line of [plain, json]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(plain).toContain('user "x\\"\\n2030-01-01T00:00:00.000Z  key.created  by root\\u001b[2K\\u202e');
  expect(JSON.parse(json)).toMatchObject({ subject: { name } });
});
