import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, cp, mkdir } from "node:fs/promises";
import packageJson from "../../package.json";
import { guideOf } from "../support/guides/guides.ts";
import { withReason } from "../support/server/skip.ts";
import { type EmptyRoot, type Machine, NO_EMPTY_ROOT, openEmptyRoot, type Serving } from "./empty-root.ts";

/** Where the `curl` of a machine finds what it downloads. */
const DOWNLOADS = "srv/downloads";

const CURL = `#!/bin/sh
for each; do case $each in https:*) cp "/${DOWNLOADS}/\${each##*/}" .; esac; done
`;

/**
 * Tests that each way of the manual's page about installation leads to a server that an agent can use, on a machine that
 * has nothing but the base of its system.
 * @param made the directory of a release, which is there when the first test begins
 * @param cannot why there is none; empty if there will be
 */
export function testFirstUse(made: () => string, cannot: string): void {
  const reason = cannot || NO_EMPTY_ROOT;
  describe.skipIf(reason !== "")(withReason("a machine that nobody has used yet", reason), () => {
    let root: EmptyRoot;
    beforeAll(async () => {
      root = await openEmptyRoot();
      await cp(made(), root.at(DOWNLOADS), { recursive: true });
    });
    afterAll(() => root[Symbol.asyncDispose]());

    /** A machine that can download, and whose user may do everything. */
    const newMachine = async () => {
      const machine = await root.machine();
      const bin = machine.at("usr/local/bin");
      await mkdir(bin, { recursive: true });
      for (const [name, script] of [
        ["curl", CURL],
        ["sudo", '#!/bin/sh\nexec "$@"\n'],
      ] as const) {
        await Bun.write(`${bin}/${name}`, script);
        await chmod(`${bin}/${name}`, 0o755);
      }
      return machine;
    };

    test("an archive is unpacked and started, and an agent uploads a file", async () => {
      const machine = await newMachine();
      await uses(await machine.serve(await wayOf("An archive"), "ada"));
    });

    test("the package for Debian makes a user and a service, and an agent uploads a file", async () => {
      const machine = await newMachine();
      await machine.run(await wayOf("Debian, Ubuntu"));
      await usesService(machine);
    });

    test("the package for Fedora does so too", async () => {
      const machine = await newMachine();
      await machine.run(await wayOf("Fedora, openSUSE"));
      const [file = ""] = new Bun.Glob("*.rpm").scanSync({ cwd: machine.at("root"), absolute: true });
      await machine.rpm("--install", "--nodeps", file);
      await usesService(machine);
    });

    const NO_NPM = ["node", "npm"].some((tool) => Bun.which(tool) === null) ? "there is no npm" : "";
    test.skipIf(NO_NPM !== "")(
      withReason("the packages of npm are installed and started, and an agent uploads a file", NO_NPM),
      async () => {
        const machine = await newMachine();
        await machine.addNpm();
        await uses(await machine.serve(await wayOf("npm"), "ada"));
      },
    );

    test("such a machine has nothing to run a server with, nor to download one", async () => {
      const machine = await root.machine();
      const found = await machine.run("for tool in bun node coffer curl; do command -v $tool || true; done");
      expect(found).toBe("");
    });
  });
}

/** The commands of a part of the page, for this version. What asks systemd, or is of Fedora, is left out. */
async function wayOf(heading: string): Promise<string> {
  const { text, blocks } = await guideOf(".github/docs/install.md");
  const start = text.split("\n").indexOf(`### ${heading}`) + 1;
  const block = blocks.find(({ line }) => line > start);
  if (start === 0 || block === undefined) throw new Error(`The page has no ${heading}.`);
  return block.text
    .replaceAll(/^sudo (?:systemctl|dnf) .*\n/gm, "")
    .replace(/\bVERSION=\S+/, `VERSION=${packageJson.version}`);
}

/** Uses a server as an agent does that has nothing but its address, and stops it. */
async function uses(server: Serving): Promise<void> {
  await using serving = server;
  type Provisioned = { data: Record<"api_key" | "drive_id", string> };
  const { data } = await serving.client().post<Provisioned>("/v0/drives/provision", { name: "First" });
  const client = serving.client(data.api_key);
  const { id } = await client.put(data.drive_id, "notes/plan.md", "A plan.");
  expect(await client.send("GET", `/v0/files/${id}/download`)).toMatchObject({
    status: 200,
    text: "A plan.",
  });
  await serving.stop();
}

/** Uses the service of a package, with settings for a port that nobody has. */
async function usesService(machine: Machine): Promise<void> {
  await machine.run("printf 'COFFER_HOST=127.0.0.1\\nCOFFER_PORT=0\\n' >>/etc/coffer/coffer.env");
  await uses(await machine.serveUnit());
  const modes = "/usr/bin/coffer /etc/coffer/coffer.env /var/lib/coffer /var/lib/coffer/coffer.db";
  expect(await machine.run(`stat -c '%a %U' ${modes}`)).toBe("755 root\n600 root\n700 coffer\n600 coffer\n");
}
