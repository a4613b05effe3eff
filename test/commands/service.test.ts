import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isObject } from "../support/schemas/json-schema.ts";
import { runHere } from "../support/server/run-here.ts";
import { withReason } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const PROGRAM = ["--program", "/usr/bin/coffer"];
const NO_ANALYZE = Bun.which("systemd-analyze") === null ? "systemd-analyze not installed" : "";

/** Prints a form of the service. */
async function printed(...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(["service", "print", ...PROGRAM, ...flags]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("every form names the program, the data and who runs it, and stays stopped without a data directory", async () => {
  const where = ["--data-dir", "/srv/files of ada", "--user", "ada"];
  const unit = await printed("--systemd", ...where);
  for (const line of [
    "Type=notify",
    "ExecStart=/usr/bin/coffer serve",
    'Environment="COFFER_DATA_DIR=/srv/files of ada"',
    'ReadWritePaths="/srv/files of ada"',
    "User=ada",
    "EnvironmentFile=-/etc/coffer/coffer.env",
    "RestartPreventExitStatus=65 74",
    `ExecStopPost=-+/bin/sh -c 'case "$$EXIT_STATUS" in 65|74) exec systemctl --no-block stop coffer.socket "coffer-*.socket";; esac'`,
  ]) {
    expect(unit.split("\n")).toContain(line);
  }
  expect(await printed("--systemd")).toContain("StateDirectory=coffer\n");
  expect(await printed("--systemd", "--drop-in")).toStartWith("# What is here goes before");
  const socket = (await printed("--systemd", "--socket")).split("\n");
  for (const line of ["ListenStream=0.0.0.0:2633", "RequiredBy=coffer.service"])
    expect(socket).toContain(line);
  expect(await printed("--launchd", ...where)).toContain("<key>/srv/files of ada/coffer.db</key>");
  expect(await printed("--openrc", ...where)).toContain("COFFER_DATA_DIR='/srv/files of ada'");
  const compose: unknown = Bun.YAML.parse(await printed("--compose"));
  expect(compose).toMatchObject({
    services: { coffer: { ports: ["2633:2633"], volumes: ["coffer:/data"] } },
  });
});

test("the file for Compose that builds the image runs it as the one that is printed does", async () => {
  const file = Bun.file(resolve(import.meta.dir, "../../.github/compose.yaml"));
  const compose: unknown = Bun.YAML.parse(await file.text());
  const { ulimits: _, ...runs } = composed(Bun.YAML.parse(await printed("--compose")));
  expect(composed(compose)).toEqual({ ...runs, build: ".." });
  expect(compose).toMatchObject({ name: "coffer", volumes: { coffer: null } });
});

/** What a file for Compose says of the server. */
function composed(file: unknown): Record<string, unknown> {
  if (!isObject(file) || !isObject(file["services"]) || !isObject(file["services"]["coffer"]))
    throw new Error("It has no service with the name coffer.");
  return file["services"]["coffer"];
}

test.skipIf(NO_ANALYZE !== "")(
  withReason("systemd knows every line of the units, and finds little that they expose", NO_ANALYZE),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const path = join(place.path, "coffer.service");
    await Bun.write(path, await printed("--systemd", "--program", process.execPath));
    const socket = join(place.path, "coffer.socket");
    await Bun.write(socket, await printed("--systemd", "--socket"));
    const checked = Bun.spawnSync(["systemd-analyze", "verify", path, socket]);
    expect(checked.stderr.toString()).toBe("");
    const exposed = Bun.spawnSync(["systemd-analyze", "security", "--offline=true", path]).stdout.toString();
    expect(Number(/exposure level.*: (\d+\.\d)/.exec(exposed)?.[1])).toBeLessThanOrEqual(2);
  },
);

test("the script of OpenRC is one that a shell reads", async () => {
  const script = await printed("--openrc", "--data-dir", "/srv/ada's");
  expect(Bun.spawnSync(["sh", "-n"], { stdin: Buffer.from(script) }).success).toBe(true);
});

test("an installation below a root writes its files, keeps what is the operator's, and runs nothing", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const install = (...flags: string[]) =>
    runHere(["service", "install", "--systemd", "--root", place.path, ...flags, ...PROGRAM]);
  expect((await install()).code).toBe(0);
  const socket = join(place.path, "etc/systemd/system/coffer.socket");
  expect(await Bun.file(socket).exists()).toBe(false);
  const settings = join(place.path, "etc/coffer/coffer.env");
  expect((await stat(settings)).mode & 0o777).toBe(0o600);
  await Bun.write(settings, "COFFER_NAME=Ada's\n");
  const unit = join(place.path, "etc/systemd/system/coffer.service");
  await Bun.write(unit, "");
  const again = await install("--socket");
  expect([again.code, again.stderr]).toEqual([0, ""]);
  expect(again.stdout).toContain(`kept ${settings}\n`);
  expect(await Bun.file(settings).text()).toBe("COFFER_NAME=Ada's\n");
  expect(await Bun.file(unit).text()).toBe(await printed("--systemd"));
  expect(await Bun.file(socket).text()).toBe(await printed("--systemd", "--socket"));
});

test.each([
  [["print"], "Choose one of"],
  [["print", "--systemd", "--openrc"], "Choose one."],
  [["print", "--compose", "--drop-in"], "--drop-in needs --systemd"],
  [["print", "--openrc", "--socket"], "--socket needs --systemd"],
  [["print", "--systemd", "--socket", "--drop-in"], "Choose one of --socket, --drop-in"],
  [["install", "--openrc", "--socket", "--root", "/nonexistent"], "--socket needs systemd"],
  [["print", "--systemd", "--user", "a b"], "--user is a name"],
  [["print", "--systemd", "--data-dir", "/a\nExecStart=/b"], "no control characters"],
] as const)("service %p is refused", async (args, says) => {
  const { code, stderr } = await runHere(["service", ...args, ...PROGRAM]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
});
