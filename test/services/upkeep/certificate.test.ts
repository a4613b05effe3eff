import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Certificate } from "../../../src/services/upkeep/certificate.ts";
import { RecordedLog } from "../../http/stub-app.ts";
import { makeCertificate } from "../../support/samples/certificates.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const DAY_MS = 86_400_000;

const place = await temporaryDirectory();
const made = (name: string, days?: number) => makeCertificate(place.path, name, days);
const [former, renewed, short] = await Promise.all([made("former"), made("renewed"), made("short", 20)]);
afterAll(() => place[Symbol.asyncDispose]());

const served = () => ({ ended: Promise.resolve() });

async function open(files = { cert: former.cert, key: former.key }) {
  const log = new RecordedLog();
  const clock = new FakeClock(Date.now());
  return { log, clock, certificate: await Certificate.open({ files, clock, log }) };
}

test.each([
  ["no certificate", { cert: "nowhere.crt", key: former.key }, "nowhere.crt cannot be read"],
  ["no key", { cert: former.cert, key: "nowhere.key" }, "nowhere.key cannot be read"],
  ["a key in its place", { cert: former.key, key: former.key }, "holds no certificate in PEM"],
  ["a certificate in its place", { cert: former.cert, key: former.cert }, "holds no private key in PEM"],
  ["the key of another one", { cert: former.cert, key: renewed.key }, "is not that of the first certificate"],
])("a start with %s is refused, and says why", async (_, files, why) => {
  const failure = await failureOf(open(files));
  expect(String(failure)).toContain(why);
  expect(String(failure)).not.toContain("-----BEGIN");
});

test("a chain with something else in it is refused, though its first certificate is whole", async () => {
  const cert = join(place.path, "chain.crt");
  await Bun.write(
    cert,
    `${former.pair.cert}-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n`,
  );
  expect(String(await failureOf(open({ cert, key: former.key })))).toContain(
    "something that is no certificate",
  );
});

test("a key that all users can read is told of, and so is a certificate that ends soon", async () => {
  await chmod(short.key, 0o644);
  const { log, clock, certificate } = await open(short);
  expect(log.lines.map(({ message }) => message)).toEqual([expect.stringContaining("chmod o=")]);
  expect([certificate.daysLeft(), certificate.isEnding()]).toEqual([20, false]);
  clock.advance(6 * DAY_MS);
  expect([certificate.daysLeft(), certificate.isEnding()]).toEqual([14, true]);
  clock.advance(15 * DAY_MS);
  expect(certificate.daysLeft()).toBeLessThan(0);
});

test("files that are replaced are used, also by a link or with their directory, and only once", async () => {
  const at = join(place.path, "live");
  const [first, second] = [join(place.path, "v1"), join(place.path, "v2")];
  for (const [directory, { pair }] of [
    [first, former],
    [second, renewed],
  ] as const) {
    await mkdir(directory);
    await Bun.write(join(directory, "tls.crt"), pair.cert);
    await Bun.write(join(directory, "tls.key"), pair.key);
  }
  await symlink(first, at);
  const { certificate } = await open({ cert: join(at, "tls.crt"), key: join(at, "tls.key") });
  const used: string[] = [];
  const look = () =>
    certificate.look(({ cert }) => {
      used.push(cert);
      return served();
    });
  await look();
  await rm(at);
  await symlink(second, at);
  await look();
  await look();
  await rm(at);
  await rename(first, at);
  await look();
  expect(used).toEqual([renewed.pair.cert, former.pair.cert]);
  expect(certificate.pair.cert).toBe(former.pair.cert);
});

test("what does not fit together is not used: the former pair stays, said once, until it fits", async () => {
  const files = { cert: join(place.path, "half.crt"), key: join(place.path, "half.key") };
  await Bun.write(files.cert, former.pair.cert);
  await Bun.write(files.key, former.pair.key);
  const { certificate, clock, log } = await open(files);
  const since = clock.now();
  await Bun.write(files.cert, renewed.pair.cert);
  await certificate.look(served);
  clock.advance(60_000);
  await certificate.look(served);
  expect(certificate.failure).toEqual({ since, reason: expect.stringContaining("is not that of the first") });
  expect(certificate.pair.cert).toBe(former.pair.cert);
  expect(log.ofLevel("warn").filter(({ message }) => message.includes("are not used"))).toHaveLength(1);
  await Bun.write(files.key, renewed.pair.key);
  await certificate.look(() => {
    throw new Error("the port is taken");
  });
  expect([certificate.failure?.reason, certificate.pair.cert]).toEqual([
    "the port is taken",
    former.pair.cert,
  ]);
  await certificate.look(served);
  expect([certificate.failure, certificate.pair.cert]).toEqual([null, renewed.pair.cert]);
});
