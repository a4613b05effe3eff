import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { runHere } from "../support/server/run-here.ts";
import { testWith } from "../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { startWithAda } from "../support/server/accounts.ts";

const it = testWith(() => temporaryDirectory(FAST_DIRECTORY));

/** The commands that the overview lists. */
async function commands(): Promise<string[]> {
  const { stdout } = await runHere(["--help"]);
  return [...stdout.matchAll(/^ {2}(\w+(?: [\w-]+)?) {2}/gm)].map(([, name = ""]) => name);
}

test.each([["--help"], ["help"]])("%s lists every command", async (argument) => {
  const { code, stderr } = await runHere([argument]);
  expect([code, stderr]).toEqual([0, ""]);
  const accounts = ["user create", "user list", "user reset-password", "user set-plan", "key create"];
  const others = [
    "serve",
    "audit",
    "backup",
    "restore",
    "verify",
    "blobs migrate",
    "status",
    "upgrade",
    "doctor",
    "service install",
    "service print",
    "healthcheck",
    "version",
  ];
  expect((await commands()).toSorted()).toEqual([...accounts, ...others].toSorted());
});

it("every command that --help lists has a --help of its own, which does nothing else", async (place) => {
  for (const command of await commands()) {
    const help = await runHere([...command.split(" "), "--help"], place.dataDir);
    expect([command, help.code, help.stderr]).toEqual([command, 0, ""]);
    expect(help.stdout).toStartWith(`Usage: coffer ${command}`);
  }
  expect(await readdir(place.path)).toEqual([]);
});

/** Others, which read a password, are in e2e/process/commands.test.ts. */
const FAILURES: readonly (readonly [command: string, says: string])[] = [
  ["user", 'there is no command "user'],
  ["serve --prot 1", "--prot"],
  ["serve --port", "--port"],
  ["version now", "now"],
  ["user create", "USERNAME"],
  ["user|create|bob|hunter2 hunter2", "exactly one USERNAME"],
  ["key create nobody", 'There is no user "nobody".'],
  ["user set-plan nobody pro", 'There is no user "nobody".'],
  ["user set-plan ada gold", "PLAN must be one of free, pro, team."],
  ["user set-plan ada", "one USERNAME and one PLAN"],
  ["user list ada", "ada"],
  ["key create ada --scope write", "--scope must be one of read-write, read-only"],
  ["restore", "Give exactly one SRC"],
  ["restore - --backup x", "leave --backup out"],
  ["restore /proc/self/fdinfo", "holds no backups of Coffer"],
];

test("a command that fails says why in one line on standard error, and nothing on standard output", async () => {
  await using coffer = await startWithAda();
  for (const [command, says] of FAILURES) {
    const args = command.split(command.includes("|") ? "|" : " ");
    // The first two words say which command it is, and these take no directory.
    const ended = await runHere(args, /^(user$|serve|version)/.test(command) ? undefined : coffer.dataDir);
    const code = says.startsWith("there is no command") ? 2 : 1;
    expect([args, ended]).toEqual([
      args,
      { code, stdout: "", stderr: expect.stringMatching(/^coffer: [^\n]+\n$/) },
    ]);
    expect(ended.stderr).toContain(says);
  }
});

it("a command about accounts that are there makes no data directory where there is none", async (place) => {
  for (const command of ["user list", "user set-plan ada pro", "key create ada"]) {
    expect([command, await runHere(command.split(" "), place.dataDir)]).toEqual([
      command,
      {
        code: 1,
        stdout: "",
        stderr: `coffer: ${place.dataDir} is not a Coffer data directory. Choose the right one with --data-dir or COFFER_DATA_DIR.\n`,
      },
    ]);
  }
  expect(await readdir(place.path)).toEqual([]);
});
