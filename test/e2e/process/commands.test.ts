import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../../package.json";
import { type Ended, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** Creates an account, with the newline that a person's input ends in. */
function createUser({ dataDir }: { readonly dataDir: string }, name: string): Promise<Ended> {
  return run(["user", "create", name, "--password-stdin"], { dataDir, input: `${name}'s password\n` });
}

test("version prints the version of package.json, and nothing else", async () => {
  expect(await run(["version"])).toEqual({ code: 0, stdout: `coffer ${packageJson.version}\n`, stderr: "" });
});

test.each([["--help"], ["help"]])("%s lists every command", async (argument) => {
  const { code, stdout, stderr } = await run([argument]);
  expect([code, stderr]).toEqual([0, ""]);
  const commands = [
    "serve",
    "user create",
    "user list",
    "user reset-password",
    "user set-plan",
    "key create",
    "backup",
    "restore",
  ];
  for (const command of [...commands, "verify", "version"]) {
    expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
  }
});

test("every command that --help lists has a --help of its own, which does nothing else", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { stdout } = await run(["--help"]);
  const commands = [...stdout.matchAll(/^  (\w+(?: [\w-]+)?)  /gm)].map((match) => match[1] ?? "");
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) {
    const help = await run([...command.split(" "), "--help"], { dataDir: place.dataDir });
    expect([command, help.code, help.stderr]).toEqual([command, 0, ""]);
    expect(help.stdout).toStartWith(`Usage: coffer ${command}`);
  }
  expect(await Bun.file(join(place.dataDir, "coffer.db")).exists()).toBe(false);
});

const FAILURES: readonly (readonly [command: string, says: string, input?: string])[] = [
  ["sreve", 'there is no command "sreve"'],
  ["user", 'there is no command "user"'],
  ["serve --prot 1", "--prot"],
  ["serve --port", "--port"],
  ["version now", "now"],
  ["user create", "USERNAME"],
  ["user|create|Bad Name|--password-stdin", "username must have 3 to 32", "long enough"],
  ["user create bob --password-stdin", "password must have 8 to 1024", "short"],
  ["user create ada --password-stdin", 'The username "ada" is taken.', "long enough"],
  ["user|create|bob|hunter2 hunter2", "exactly one USERNAME"],
  ["user create bob", "--password-stdin"],
  ["key create nobody", 'There is no user "nobody".'],
  ["user reset-password nobody --password-stdin", 'There is no user "nobody".', "long enough"],
  ["user reset-password ada --password-stdin", "password must have 8 to 1024", "short"],
  ["user set-plan nobody pro", 'There is no user "nobody".'],
  ["user set-plan ada gold", "PLAN must be one of free, pro, team."],
  ["user set-plan ada", "one USERNAME and one PLAN"],
  ["user list ada", "ada"],
  ["key create ada --scope write", "--scope must be one of read-write, read-only"],
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

test("a command about accounts that are there makes no data directory where there is none", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  for (const command of [
    "user list",
    "user reset-password ada --password-stdin",
    "user set-plan ada pro",
    "key create ada",
  ]) {
    const { code, stderr } = await run(command.split(" "), { dataDir: place.dataDir, input: "long enough" });
    expect([command, code, stderr]).toEqual([
      command,
      1,
      `coffer: ${place.dataDir} is not a Coffer data directory. Choose the right one with --data-dir or COFFER_DATA_DIR.\n`,
    ]);
  }
  expect(await readdir(place.path)).toEqual([]);
});

test("accounts and keys made beside a running server work with it at once", async () => {
  await using server = await serve();
  const { dataDir } = server;
  const stdout = "Created the account ada, an administrator, on the plan team.\n";
  expect(await createUser(server, "ada")).toEqual({ code: 0, stdout, stderr: "" });
  const second = await run(["user", "create", "bob", "--password-stdin", "--data-dir", server.dataDir], {
    input: "bob's password",
  });
  expect(second.stdout).toBe("Created the account bob on the plan free.\n");

  const created = await run(["key", "create", "ada", "--name", "laptop"], { dataDir });
  expect([created.code, created.stderr]).toEqual([0, ""]);
  expect(created.stdout).toMatch(/^cof_sk_live_\w+\n$/);
  const ada = server.client(created.stdout.trim());
  const drive = await ada.post<{ data: { id: string; slug: string } }>("/v0/drives", { name: "Notes" });
  expect(drive.data.slug).toBe("ada/notes");

  const { stdout: readOnly } = await run(["key", "create", "ada", "--scope", "read-only"], { dataDir });
  const reader = server.client(readOnly.trim());
  await reader.get(`/v0/drives/${drive.data.id}`);
  await reader.json(403, "POST", "/v0/drives", { body: { name: "More" } });
  const keys = await ada.get<{ name: string; scope: string }[]>("/v0/keys");
  expect(keys.map(({ name, scope }) => [name, scope])).toEqual([
    ["laptop", "read-write"],
    ["", "read-only"],
  ]);

  const log = server.stdout.text + server.stderr.text;
  for (const secret of [created.stdout.trim(), readOnly.trim(), "ada's password"])
    expect(log).not.toContain(secret);
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

test("accounts are listed and changed beside a running server, which goes by it at once", async () => {
  await using server = await serve({ env: { COFFER_RATE_LIMITS: "free=100,pro=200,team=300" } });
  const { dataDir } = server;
  await createUser(server, "ada");
  await createUser(server, "bob");
  const list = async () =>
    (await run(["user", "list"], { dataDir })).stdout.split("\n").map((line) => line.split(/ +/));
  const today = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(await list()).toEqual([
    ["USERNAME", "PLAN", "CREATED", "EMAIL"],
    ["ada", "team", today],
    ["bob", "free", today],
    [""],
  ]);

  const login = async (password: string) => {
    const answer = await server.client().send("POST", "/auth/login", { body: { username: "bob", password } });
    return { status: answer.status, cookie: (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" };
  };
  const { cookie } = await login("bob's password");
  const ask = () => server.client().send("GET", "/v0/account", { headers: { cookie } });
  const planned = async () => (await ask()).headers.get("x-ratelimit-limit");
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
});

test("many commands side by side and beside uploads all succeed", async () => {
  await using server = await serve();
  const { dataDir } = server;
  await createUser(server, "ada");
  const first = server.client((await run(["key", "create", "ada"], { dataDir })).stdout.trim());
  const drive = await first.makeDrive("D");
  const uploads = Array.from({ length: 100 }, (_, n) => first.put(drive.id, `${n}.txt`, `file ${n}`));
  const commands = Array.from({ length: 6 }, () => run(["key", "create", "ada"], { dataDir }));
  for (const { code, stdout } of await Promise.all(commands)) {
    expect(code).toBe(0);
    await server.client(stdout.trim()).get("/v0/drives");
  }
  await Promise.all(uploads);
});

test("healthcheck tells whether the server is well", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const server = await serve(place);
  const env = { COFFER_HOST: "127.0.0.1", COFFER_PORT: String(server.port) };
  expect(await run(["healthcheck"], { env })).toEqual({ code: 0, stdout: "", stderr: "" });
  await server.stop();
  const { code, stderr } = await run(["healthcheck"], { env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^coffer: http:\S+ does not answer\.\n$/)]);
});
