import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "../../src/db/engine/database.ts";
import { writeDeb } from "../../src/release/deb.ts";
import { PLATFORMS } from "../../src/release/platforms.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { guideOf } from "../support/guides/guides.ts";
import type { Client } from "../support/server/client.ts";
import { withReason } from "../support/server/skip.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { type EmulatedMachine, NO_EMULATED_MACHINE, openEmulatedMachine } from "./emulated-machine.ts";
import { executableOf } from "./releases.ts";

const [OLDER, NEWER] = ["0.2.0-rc.1", "0.2.0-rc.2"];
const INSTALL = ".github/docs/install.md";
const DROP_IN = "/etc/systemd/system/coffer.service.d/override.conf";

// One machine, since it takes long to make: each test goes on where the one before has left it, with the service running.
describe.skipIf(NO_EMULATED_MACHINE !== "")(withReason("with systemd", NO_EMULATED_MACHINE), () => {
  let place: TemporaryDirectory;
  let machine: EmulatedMachine;
  /** An agent's key, its drive, and a file. */
  let client: Client;
  let drive = "";
  let file = "";

  beforeAll(async () => {
    place = await temporaryDirectory();
    const packages = await Promise.all([OLDER, NEWER].map((version) => packageOf(version, place.path)));
    machine = await openEmulatedMachine([...packages, await newerDatabase(place.path)]);
  });
  afterAll(async () => {
    await machine[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const install = (version: string) => machine.run(`dpkg -i /root/coffer_${version}_amd64.deb`);
  /** Writes a drop-in of the service, and has it hold. */
  const dropIn = (text: string) =>
    machine.run(
      `mkdir -p ${DROP_IN.replace(/\/[^/]*$/, "")}; cat >${DROP_IN} <<"EOF"\n${text}\nEOF\nsystemctl daemon-reload`,
    );
  const expectKept = async () =>
    expect(await client.send("GET", `/v0/files/${file}/download`)).toMatchObject({
      status: 200,
      text: "A plan.",
    });
  /** What systemd says of a unit. */
  const shown = async (unit: string, ...names: readonly string[]) => {
    const lines = await machine.run(`systemctl show ${unit} -p ${names.join(",")}`);
    return Object.fromEntries(
      lines
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  };
  /** Waits in the machine until a command succeeds. */
  const until = (command: string) => machine.run(`until ${command}; do sleep 0.2; done`);

  test("the package's service is ready, and writes as its own user what an agent uploads", async () => {
    await install(OLDER);
    expect(await shown("coffer", "Type", "ActiveState", "SubState", "UnitFileState", "WatchdogUSec")).toEqual(
      {
        Type: "notify",
        ActiveState: "active",
        SubState: "running",
        UnitFileState: "enabled",
        WatchdogUSec: "1min",
      },
    );
    await machine.run(
      "echo COFFER_BASE_URL=https://drive.example.com >>/etc/coffer/coffer.env; systemctl restart coffer",
    );
    type Provisioned = { data: Record<"api_key" | "drive_id" | "claim_url", string> };
    const { data } = await machine.client().post<Provisioned>("/v0/drives/provision", { name: "First" });
    expect(data.claim_url).toStartWith("https://drive.example.com/");
    [client, drive] = [machine.client(data.api_key), data.drive_id];
    ({ id: file } = await client.put(drive, "notes/plan.md", "A plan."));
    await expectKept();
    const modes = "/var/lib/coffer /var/lib/coffer/coffer.db /etc/coffer/coffer.env";
    expect(await machine.run(`stat -c '%a %U' ${modes}`)).toBe("700 coffer\n600 coffer\n600 root\n");
    const exposed = await machine.run("systemd-analyze security coffer.service --no-pager");
    expect(Number(/exposure level.*: (\d+\.\d)/.exec(exposed)?.[1])).toBeLessThanOrEqual(2);
  });

  test("what does not answer is killed by the watchdog and started again, with no report of a crash", async () => {
    await dropIn("[Service]\nWatchdogSec=10");
    await machine.run("systemctl restart coffer; kill -STOP $(systemctl show coffer -p MainPID --value)");
    await until('[ "$(systemctl show coffer -p NRestarts --value)" = 1 ] && systemctl -q is-active coffer');
    await expectKept();
    const log = await machine.run("journalctl -u coffer -o cat --no-pager");
    expect(log).toContain("Watchdog timeout (limit 10s)!");
    expect(log).not.toContain("crash");
    await machine.run(`rm ${DROP_IN}; systemctl daemon-reload`);
  });

  test("where systemd listens, an upgrade loses no connection and keeps everything", async () => {
    await machine.run("systemctl stop coffer && systemctl enable --now coffer.socket coffer.service");
    const before = await shown("coffer", "MainPID");
    const answers = await answersWhile(machine.client(), () => install(NEWER));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await machine.run("coffer version")).toStartWith(`coffer ${NEWER} (`);
    expect(await shown("coffer", "MainPID")).not.toEqual(before);
    await expectKept();
    await machine.run("systemctl stop coffer.socket");
    expect(await states()).toEqual(["inactive", "inactive"]);
    await machine.run("systemctl start coffer");
    expect(await states()).toEqual(["active", "active"]);
  });

  /** The state of the socket and of the service. */
  const states = async () =>
    (await machine.run("systemctl is-active coffer.socket coffer.service || true")).trim().split("\n");
  const expectGivenUp = async (code: number) => {
    await until('[ "$(systemctl show coffer -p ActiveState --value)" = failed ]');
    await until("! systemctl -q is-active coffer.socket");
    const failed = { ActiveState: "failed", ExecMainStatus: `${code}`, NRestarts: "0" };
    expect(await shown("coffer", "ActiveState", "ExecMainStatus", "NRestarts")).toEqual(failed);
  };

  test("without its data directory the service ends, and no connection starts it", async () => {
    await machine.run("mv /var/lib/coffer /var/lib/away");
    await expectGivenUp(74);
    await machine.run(
      "rm -rf /var/lib/coffer; mv /var/lib/away /var/lib/coffer; systemctl reset-failed coffer; systemctl start coffer",
    );
    await expectKept();
  });

  test("nor is it started again with the store of a newer version, also by a connection", async () => {
    const database = "/var/lib/coffer/coffer.db";
    await machine.run(`
      systemctl stop coffer.socket
      mv ${database} /root/kept.db
      install -o coffer -g coffer -m 600 /root/newer.db ${database}
      systemctl start coffer.socket`);
    // Whatever becomes of it: it has to wait for an answer, and gets none.
    const asked = machine
      .client()
      .status("GET", "/healthz")
      .catch(() => null);
    await expectGivenUp(65);
    expect(await asked).toBeNull();
    await machine.run(`mv /root/kept.db ${database}; systemctl reset-failed coffer; systemctl start coffer`);
    await expectKept();
  });

  test("after a start of the machine the service is there by itself", async () => {
    await machine.reboot();
    expect(await states()).toEqual(["active", "active"]);
    await expectKept();
  });

  test("disks of the manual's drop-ins can be written, and are in use until the server stops", async () => {
    const [optional = "", required = ""] = await dropInsOf("Another disk");
    await dropIn(optional);
    await machine.run("systemctl restart coffer");
    await expectKept();
    await dropIn(required);
    await machine.run(`
      systemctl stop coffer
      mkdir -p /mnt/disk
      mount -t tmpfs -o size=3G disk /mnt/disk
      install -d -m 700 -o coffer -g coffer /mnt/disk/coffer
      cp -a /var/lib/coffer /mnt/disk
      sed -i "s,^COFFER_DATA_DIR=.*,COFFER_DATA_DIR=/mnt/disk/coffer," /etc/coffer/coffer.env
      systemctl start coffer`);
    await expectKept();
    await client.put(drive, "notes/more.md", "On the disk.");
    expect(await machine.run("! umount /mnt/disk")).toContain("busy");
    await machine.run(`systemctl stop coffer; umount /mnt/disk; rm ${DROP_IN}; systemctl daemon-reload`);
    await machine.run("sed -i s,/mnt/disk,/var/lib, /etc/coffer/coffer.env; systemctl start coffer");
  });

  test("a port below 1024 can be had with the manual's drop-in", async () => {
    await machine.run("systemctl disable --now coffer.socket");
    const [privilege = ""] = await dropInsOf("TLS", ".github/docs/network.md");
    await dropIn(`${privilege}Environment=COFFER_PORT=443`);
    await machine.run("systemctl restart coffer; grep -q ' 00000000:01BB ' /proc/net/tcp");
    await machine.run(`rm ${DROP_IN}; systemctl daemon-reload; systemctl restart coffer`);
  });

  test("its removal stops the service and keeps the data, and a plain executable goes on with it", async () => {
    await machine.run("mkdir -p /usr/local/bin; cp /usr/bin/coffer /usr/local/bin/; dpkg -r coffer");
    expect(await states()).toEqual(["inactive", "inactive"]);
    await machine.run("dpkg -P coffer; [ ! -e /etc/coffer ]; coffer service install");
    await expectKept();
    await machine.run("coffer service install --socket");
    expect(await states()).toEqual(["active", "active"]);
    const answers = await answersWhile(machine.client(), () => machine.run("systemctl restart coffer"));
    expect(new Set(answers)).toEqual(new Set([200]));
    await expectKept();
    const units = "/etc/systemd/system/coffer.service /etc/systemd/system/coffer.service.d /etc/coffer";
    expect(await machine.run(`stat -c %a ${units}`)).toBe("644\n755\n755\n");
  });

  test("it makes the user that it runs as", async () => {
    await machine.run(
      "systemctl stop coffer.socket; userdel coffer; rm -r /var/lib/coffer; coffer service install",
    );
    expect(await machine.run("stat -c '%a %U' /var/lib/coffer/coffer.db")).toBe("600 coffer\n");
  });
});

/** Makes the package of a version: not compressed, as an emulated processor takes long to unpack it. */
async function packageOf(version: string, place: string): Promise<string> {
  const platform = PLATFORMS.find(({ name }) => name === "linux-x64-baseline");
  if (platform === undefined) throw new Error("There is no such platform.");
  const path = await executableOf(version, place);
  const texts = [{ name: "LICENSE", bytes: Buffer.from("MIT") }];
  return writeDeb(place, { platform, path }, { version, seconds: 1_795_939_200, texts }, ["-Znone"]);
}

/** Makes a database that a newer version has written. */
async function newerDatabase(place: string): Promise<string> {
  const directory = join(place, "newer");
  await mkdir(directory);
  await Database.open(join(directory, "coffer.db"), { now: () => 0 }).close();
  changeDatabase(
    directory,
    "INSERT INTO schema_migration (version, name, checksum, applied_at, coffer) VALUES (99, 'next', 'c', 0, '9.8.7')",
  );
  const path = join(place, "newer.db");
  await Bun.$`mv ${join(directory, "coffer.db")} ${path}`;
  return path;
}

/** The drop-ins that a part of the manual gives. */
async function dropInsOf(heading: string, page = INSTALL): Promise<string[]> {
  const { text, blocks } = await guideOf(page);
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  if (start === -1) throw new Error(`The page has no ${heading}.`);
  return blocks
    .filter(({ language, line }) => language === "ini" && line > start && line < start + 1 + length)
    .map((block) => block.text);
}

/** Asks on new connections, some at once, until `work` is done. Returns the status of all answers. */
async function answersWhile(client: Client, work: () => Promise<unknown>): Promise<number[]> {
  const answers: number[] = [];
  const done = new AbortController();
  const ask = async () => {
    while (!done.signal.aborted) {
      const response = await fetch(`${client.base}/healthz`, { keepalive: false });
      await response.text();
      answers.push(response.status);
    }
  };
  await Promise.all([ask(), ask(), work().finally(() => done.abort())]);
  return answers;
}
