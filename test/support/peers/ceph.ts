import { mkdir } from "node:fs/promises";
import { freePort } from "../server/executable.ts";
import { whyCannot } from "../server/skip.ts";
import { Daemons, runByHand, type S3Engine } from "./s3-engine.ts";

// By hand, until Ctrl-C:
//   bun test/support/peers/ceph.ts

/** Why tests that need Ceph are skipped; empty if it can be started. */
export const NO_CEPH = whyCannot(["ceph-osd", "--version"], "Ceph does not run", [
  "ceph",
  "ceph-mon",
  "ceph-osd",
  "radosgw",
  "setpriv",
]);

/** Bytes that the disk says to have. What is stored takes that much of this machine's memory. */
const DISK_BYTES = 16 * 1024 ** 3;

/** Who may do what; the gateway is the administrator. */
const KEYS = ["mon.", "osd.0", "client.admin"];
const EVERYTHING = ["mon", "osd", "mgr"].flatMap((service) => ["--cap", service, "allow *"]);

/** Starts a Ceph cluster: a monitor, one disk in memory and an object gateway. It takes two seconds and 150 MB. */
export async function startCeph(): Promise<S3Engine> {
  await using opened = new AsyncDisposableStack();
  const daemons = opened.use(await Daemons.begin());
  const [cluster, disk, key, secret] = [newId(), newId(), newId(), newId()];
  const monitor = `[v2:127.0.0.1:${freePort()}/0]`;
  const endpoint = `http://127.0.0.1:${freePort()}`;
  await daemons.write("ceph.conf", configuration(daemons.path, cluster, monitor, endpoint));
  const configured = ["-c", daemons.at("ceph.conf")];

  for (const [at, name] of KEYS.entries()) {
    const create = at === 0 ? ["--create-keyring"] : [];
    await daemons.run("ceph-authtool", "keyring", ...create, "--gen-key", "-n", name, ...EVERYTHING);
  }
  await daemons.run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", monitor, "monmap");
  const monMap = ["--monmap", "monmap", "--keyring", "keyring"];
  await daemons.run("ceph-mon", ...configured, "-i", "a", "--mkfs", ...monMap);
  daemons.start("mon", "ceph-mon", ...configured, "-i", "a", "-f");

  // Waits for the monitor.
  await daemons.run("ceph", ...configured, "osd", "new", disk);
  await mkdir(daemons.at("osd"));
  await daemons.run("ceph-osd", ...configured, "-i", "0", "--mkfs", "--osd-uuid", disk);
  daemons.start("osd", "ceph-osd", ...configured, "-i", "0", "-f");

  // Waits for the disk.
  const user = ["--uid=coffer", "--display-name=Coffer", `--access-key=${key}`, `--secret-key=${secret}`];
  await daemons.run("radosgw-admin", ...configured, "user", "create", ...user);
  await daemons.serve("radosgw", endpoint, "radosgw", ...configured, "-n", "client.admin", "-f");

  const owned = opened.move();
  return {
    path: daemons.path,
    env: {
      S3_ENDPOINT: endpoint,
      S3_REGION: "us-east-1",
      S3_ACCESS_KEY_ID: key,
      S3_SECRET_ACCESS_KEY: secret,
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function newId(): string {
  return crypto.randomUUID();
}

function configuration(path: string, cluster: string, monitor: string, endpoint: string): string {
  return `
    [global]
    fsid = ${cluster}
    mon host = ${monitor}
    public addr = 127.0.0.1
    keyring = ${path}/keyring
    mon data = ${path}/mon
    osd data = ${path}/osd
    rgw data = ${path}/rgw
    run dir = ${path}
    crash dir = ${path}
    admin socket = ${path}/$name.asok
    log to file = false
    log to stderr = true
    mon cluster log to file = false

    # Whoever waits for a change of the cluster, as each new pool is one, would wait for a second.
    paxos propose interval = 0.05
    paxos min wait = 0.02
    # How full this machine's disk is does not matter.
    mon data avail crit = 0

    osd objectstore = memstore
    memstore device bytes = ${DISK_BYTES}
    osd pool default size = 1
    osd pool default min size = 1
    osd pool default pg num = 8
    osd pool default pg autoscale mode = off
    osd crush chooseleaf type = 0
    mon allow pool size one = true

    # What is removed would take memory for hours.
    rgw gc obj min wait = 10
    rgw gc processor period = 10

    # Otherwise each answer on a connection that was used before is 40 ms late.
    rgw frontends = beast endpoint=${new URL(endpoint).host} tcp_nodelay=1
  `;
}

if (import.meta.main) await runByHand(startCeph);
