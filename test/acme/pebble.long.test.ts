import type { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { NO_PEBBLE, startPebble } from "../support/peers/pebble.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { freePort } from "../support/server/executable.ts";
import { eventually } from "../support/server/scenario.ts";
import { withReason } from "../support/server/skip.ts";
import { certificateAt } from "../http/tls-client.ts";

const NAMES = ["drive.example.com", "www.example.com"];

test.skipIf(NO_PEBBLE !== "")(
  withReason("Let's Encrypt's own authority for tests issues a certificate, and another one", NO_PEBBLE),
  async () => {
    const redirectPort = freePort();
    await using pebble = await startPebble(redirectPort);
    const settings = {
      "tls-acme": NAMES.join(),
      "tls-acme-email": "ada@example.com",
      "tls-acme-directory": pebble.directory,
      "tls-acme-ca": pebble.ca,
      "tls-redirect-port": String(redirectPort),
    };
    await using coffer = await startAppliance(settings, {
      certificateMs: 50,
      prepare: () => Promise.resolve(Date.now()),
    });
    const port = () => Number(new URL(coffer.appliance.url).port);
    const standIn = await certificateAt(port());
    expect(standIn.issuer).toBe(standIn.subject);
    await eventually(async () => (await certificateAt(port())).fingerprint256 !== standIn.fingerprint256);
    const first = await certificateAt(port());
    expect(namesOf(first)).toEqual(NAMES);
    expect(first.issuer).toContain("Pebble");

    // It is kept for its owner alone, and a restart orders no other one.
    const folder = join(coffer.dataDir, "acme", ...(await readdir(join(coffer.dataDir, "acme"))));
    expect((await readdir(folder)).toSorted()).toEqual(["account.pem", "attempts.json", "certificate.pem"]);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    await coffer.restart();
    expect((await certificateAt(port())).fingerprint256).toBe(first.fingerprint256);

    // Near its end there is another one, by the same account.
    coffer.clock.set(Date.parse(first.validTo) - coffer.clock.now() - 60_000);
    await eventually(async () => (await certificateAt(port())).fingerprint256 !== first.fingerprint256);
    expect(namesOf(await certificateAt(port()))).toEqual(NAMES);
    expect(coffer.lines.filter((line) => /no TLS certificate|background work failed/.test(line))).toEqual([]);
  },
);

function namesOf({ subjectAltName = "" }: X509Certificate): string[] {
  return subjectAltName
    .split(", ")
    .map((name) => name.replace("DNS:", ""))
    .toSorted();
}
