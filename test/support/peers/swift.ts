import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { freePort } from "../server/executable.ts";
import { whyCannot } from "../server/skip.ts";
import { Daemons, runByHand, type S3Engine } from "./s3-engine.ts";

// By hand, until Ctrl-C:
//   bun test/support/peers/swift.ts

/** Debian's own, which has Swift. */
const PYTHON = "/usr/bin/python3";

/** Why tests that need OpenStack Swift are skipped; empty if it can be started. */
export const NO_SWIFT = whyCannot([PYTHON, "-c", "import swift.common.utils"], "Swift is not set up", [
  "swift-proxy-server",
  "swift-account-server",
  "swift-container-server",
  "swift-object-server",
  "setpriv",
]);

/** The servers behind the proxy, one for each kind of records. */
const STORES = ["account", "container", "object"];

/**
 * Writes a ring, which says where the records of a kind are: all on one disk. `swift-ring-builder` does the same in
 * three steps of half a second.
 */
const WRITE_RING = `
import sys
from swift.common.ring import RingBuilder
builder = RingBuilder(2, 1, 0)
builder.add_dev(dict(region=1, zone=1, ip="127.0.0.1", port=int(sys.argv[2]), device="disk", weight=1))
builder.rebalance()
builder.get_ring().save(sys.argv[1])
`;

/** What requests pass before the proxy itself; `s3api` turns them into those of Swift. */
const FILTERS =
  "catch_errors gatekeeper healthcheck memcache listing_formats s3api tempauth copy slo dlo".split(" ");

/**
 * Starts OpenStack Swift with its S3 API: four servers, in three seconds and 250 MB. It answers conditional requests
 * with 501. Its access key has a colon, which `presign()` of `Bun.S3Client` signs wrongly.
 */
export async function startSwift(): Promise<S3Engine> {
  await using opened = new AsyncDisposableStack();
  const daemons = opened.use(await Daemons.begin());
  await mkdir(daemons.at("devices", "disk"), { recursive: true });
  await Promise.all(STORES.map((store) => startStore(daemons, store)));
  const [port, secret] = [freePort(), crypto.randomUUID()];
  await startServer(daemons, "proxy", port, proxySettings(secret));
  const owned = opened.move();
  return {
    path: daemons.path,
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_REGION: "us-east-1",
      S3_ACCESS_KEY_ID: "coffer:agent",
      S3_SECRET_ACCESS_KEY: secret,
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts the server of one kind of records, with the ring that says on which disk they are. */
async function startStore(daemons: Daemons, store: string): Promise<void> {
  const port = freePort();
  await daemons.run(PYTHON, "-c", WRITE_RING, `${store}.ring.gz`, String(port));
  await startServer(
    daemons,
    store,
    port,
    `devices = ${daemons.at("devices")}
     mount_check = false
     [pipeline:main]
     pipeline = healthcheck ${store}-server
     [filter:healthcheck]
     use = egg:swift#healthcheck
     [app:${store}-server]
     use = egg:swift#${store}`,
  );
}

function proxySettings(secret: string): string {
  const own: Readonly<Record<string, string>> = {
    // There is none, so nothing is cached.
    memcache: "memcache_servers = 127.0.0.1:1",
    s3api: "location = us-east-1",
    tempauth: `user_coffer_agent = ${secret} .admin`,
  };
  const filters = FILTERS.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n${own[name] ?? ""}`);
  return `[pipeline:main]
    pipeline = ${FILTERS.join(" ")} proxy-server
    [app:proxy-server]
    use = egg:swift#proxy
    account_autocreate = true
    ${filters.join("\n")}`;
}

/** Starts a server and waits until it is ready. @param settings what follows in its `DEFAULT` section, and the others */
async function startServer(daemons: Daemons, name: string, port: number, settings: string): Promise<void> {
  const text = `[DEFAULT]
    bind_ip = 127.0.0.1
    bind_port = ${port}
    user = ${userInfo().username}
    swift_dir = ${daemons.path}
    workers = 0
    ${settings}\n`;
  await daemons.write(`${name}.conf`, text);
  await daemons.serve(
    name,
    `http://127.0.0.1:${port}/healthcheck`,
    `swift-${name}-server`,
    daemons.at(`${name}.conf`),
  );
}

if (import.meta.main) await runByHand(startSwift);
