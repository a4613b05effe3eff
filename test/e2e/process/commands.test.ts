import { expect, test } from "bun:test";
import packageJson from "../../../package.json";
import { type Ended, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** Creates an account, with the newline that a person's input ends in. */
function createUser({ dataDir }: { readonly dataDir: string }, name: string): Promise<Ended> {
  return run(["user", "create", name, "--password-stdin"], { dataDir, input: `${name}'s password\n` });
}

test("version prints the version of package.json, what it was built from, and nothing else", async () => {
  const { code, stdout, stderr } = await run(["version"]);
  expect([code, stderr]).toEqual([0, ""]);
  const [, version, source] = /^coffer (\S+) \((.*)Bun \d+\.\d+\.\d+\)\n$/.exec(stdout) ?? [];
  expect(version).toBe(packageJson.version);
  // A checkout without its history names no commit.
  expect(source).toMatch(/^(?:commit [0-9a-f]{12}(?:-dirty)? of \d{4}-\d\d-\d\d, )?$/);
});

/** Others are in test/commands/commands.test.ts. */
const FAILURES: readonly (readonly [command: string, says: string, input?: string])[] = [
  ["sreve", 'there is no command "sreve"'],
  ["user|create|Bad Name|--password-stdin", "username must have 3 to 32", "long enough"],
  ["user create bob --password-stdin", "password must have 8 to 1024", "short"],
  ["user create ada --password-stdin", 'The username "ada" is taken.', "long enough"],
  ["user create bob", "--password-stdin"],
  ["user reset-password nobody --password-stdin", 'There is no user "nobody".', "long enough"],
  ["user reset-password ada --password-stdin", "password must have 8 to 1024", "short"],
  ["user reset-password ada --password-stdin --data-dir /proc", "/proc is not a Coffer", "long enough"],
  ["key create ada --data-dir /dev/null", "/dev/null"],
];

test("a command that fails says why in one line on standard error, and nothing on standard output", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  expect((await createUser(place, "ada")).code).toBe(0);
  for (const [command, says, input = ""] of FAILURES) {
    const args = command.split(command.includes("|") ? "|" : " ");
    const code = says.startsWith("there is no command") ? 2 : 1;
    const ended = await run(args, { dataDir, input });
    expect([args, ended.code, ended.stdout]).toEqual([args, code, ""]);
    expect([args, ended.stderr]).toEqual([args, expect.stringMatching(/^coffer: [^\n]+\n$/)]);
    expect(ended.stderr).toContain(says);
  }
});

test("commands beside a running server: it goes by what they make, list and change at once", async () => {
  await using server = await serve({ env: { COFFER_RATE_LIMITS: "free=100,pro=200,team=300" } });
  const { dataDir } = server;
  const stdout = "Created the account ada, an administrator, on the plan team.\n";
  expect(await createUser(server, "ada")).toEqual({ code: 0, stdout, stderr: "" });
  const second = await run(["user", "create", "bob", "--password-stdin", "--data-dir", dataDir], {
    input: "bob's password",
  });
  expect(second.stdout).toBe("Created the account bob on the plan free.\n");
  const list = async () =>
    (await run(["user", "list"], { dataDir })).stdout.split("\n").map((line) => line.split(/ +/));
  const today = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(await list()).toEqual([
    ["USERNAME", "PLAN", "CREATED", "EMAIL"],
    ["ada", "team", today],
    ["bob", "free", today],
    [""],
  ]);

  const created = await run(["key", "create", "ada", "--name", "laptop"], { dataDir });
  expect([created.code, created.stderr]).toEqual([0, ""]);
  expect(created.stdout).toMatch(/^cof_sk_live_\w+\n$/);
  const ada = server.client(created.stdout.trim());
  const drive = await ada.makeDrive("Notes");
  expect(drive.slug).toBe("ada/notes");
  const { stdout: readOnly } = await run(["key", "create", "ada", "--scope", "read-only"], { dataDir });
  const reader = server.client(readOnly.trim());
  await reader.get(`/v0/drives/${drive.id}`);
  await reader.json(403, "POST", "/v0/drives", { body: { name: "More" } });
  const keys = await ada.get<{ name: string; scope: string }[]>("/v0/keys");
  expect(keys.map(({ name, scope }) => [name, scope])).toEqual([
    ["laptop", "read-write"],
    ["", "read-only"],
  ]);

  const login = async (password: string) => {
    const answer = await server.client().send("POST", "/auth/login", { body: { username: "bob", password } });
    return { status: answer.status, cookie: (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" };
  };
  const { cookie } = await login("bob's password");
  const ask = () => server.client().send("GET", "/v0/account", { headers: { cookie } });
  const planned = async () => /"requests_per_minute":(\d+)/.exec((await ask()).text)?.[1];
  expect(await planned()).toBe("100");
  const changed = await run(["user", "set-plan", "bob", "pro"], { dataDir });
  expect(changed).toEqual({ code: 0, stdout: "bob is on the plan pro.\n", stderr: "" });
  expect([await planned(), (await list())[2]]).toEqual(["200", ["bob", "pro", today]]);
  const reset = await run(["user", "reset-password", "bob", "--password-stdin"], {
    dataDir,
    input: "another one\n",
  });
  expect([reset.code, reset.stderr]).toEqual([0, ""]);
  expect((await ask()).status).toBe(401);
  expect([(await login("bob's password")).status, (await login("another one")).status]).toEqual([401, 200]);

  const log = server.stdout.text + server.stderr.text;
  for (const secret of [created.stdout.trim(), readOnly.trim(), "ada's password"])
    expect(log).not.toContain(secret);
  // Many side by side, and beside uploads.
  const uploads = Array.from({ length: 100 }, (_, n) => ada.put(drive.id, `${n}.txt`, `file ${n}`));
  const commands = Array.from({ length: 6 }, () => run(["key", "create", "ada"], { dataDir }));
  for (const { code, stdout: key } of await Promise.all(commands)) {
    expect(code).toBe(0);
    await server.client(key.trim()).get("/v0/drives");
  }
  await Promise.all(uploads);
});

test("the first start prints the setup link, apart from the log, until there is an administrator", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const link = /^ {2}(http:\/\/\S+\/auth\/setup\?token=([\w-]{43}))$/m;
  const body = { username: "ada", password: "ada's password" };
  await using first = await serve({ dataDir: place.dataDir, env: { COFFER_LOG: "json" } });
  const [, url = "", token = ""] = (await first.stderr.until(link)) ?? [];
  expect(url).toStartWith(`http://localhost:${first.port}/auth/setup`);
  expect(first.stdout.text).not.toContain(token);
  expect(await (await fetch(url.replace("/setup?", "/setup/check?"))).json()).toEqual({ valid: true });
  await first.client().post("/auth/setup", { token, ...body }, 200);
  await first.stop();
  expect(first.stdout.text).not.toContain(token);
  await using server = await serve(place);
  await server.client().post("/auth/login", body, 200);
  expect(server.stderr.text).toBe("");
});
