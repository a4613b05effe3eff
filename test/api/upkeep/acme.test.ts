import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ServerRecord } from "../../../src/http/records/server-schemas.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import { certificateAt } from "../../http/tls-client.ts";
import { refusal, TestAuthority } from "../../support/peers/authority.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { freePort } from "../../support/server/executable.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { runHere } from "../../support/server/run-here.ts";
import { eventually } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

test("a server without a certificate listens, tells why it gets none, and has one in the end", async () => {
  await using place = await temporaryDirectory();
  await using authority = await TestAuthority.start(new FakeClock());
  const ca = join(place.path, "ca.crt");
  await Bun.write(ca, authority.ca);
  // So short that for others it would end soon.
  authority.lifetimeMs = 6 * DAY_MS;
  const redirectPort = freePort();
  const challengeAt = (token: string) =>
    `http://127.0.0.1:${redirectPort}/.well-known/acme-challenge/${token}`;
  authority.look = async (token) => (await fetch(challengeAt(token))).text();
  authority.fault = (asked) => (asked === "POST /order" ? refusal("unauthorized", "not now") : null);
  const settings = {
    "tls-acme": "drive.example.com",
    "tls-acme-directory": authority.directory,
    "tls-acme-ca": ca,
    "tls-redirect-port": String(redirectPort),
  };
  await using coffer = await startAppliance(settings, { certificateMs: 20 });
  let port = Number(new URL(coffer.appliance.url).port);
  addAccount(coffer, "ada");
  const ask = (path: string, headers = {}) =>
    fetch(`https://127.0.0.1:${port}${path}`, {
      headers,
      keepalive: false,
      tls: { rejectUnauthorized: false },
    });
  const problems = async () => {
    const answer = await ask("/v0/server", { cookie: beginSession(coffer, "ada").browser.cookie });
    const { data }: { data: ServerRecord } = JSON.parse(await answer.text());
    return data.problems.map(({ kind, reason }) => ({ kind, reason }));
  };
  await eventually(async () => (await problems()).length > 0);
  const reason = "the authority refuses: not now (unauthorized)";
  expect(await problems()).toEqual([{ kind: "certificate_failed", reason }]);
  const metrics = await (await ask("/metrics")).text();
  expect(metrics).toContain('coffer_problem{kind="certificate_failed"} 1\n');
  expect(metrics).toContain('coffer_problem{kind="certificate_unusable"} 0\n');
  const standIn = await certificateAt(port);
  expect([standIn.subject, standIn.subjectAltName]).toEqual([
    "CN=Coffer (not trusted)",
    "DNS:drive.example.com",
  ]);

  const unknown = await fetch(challengeAt("unknown"), { redirect: "manual" });
  expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "text/plain"]);
  const other = await fetch(`http://127.0.0.1:${redirectPort}/a`, { redirect: "manual" });
  expect(other.status).toBe(308);

  authority.fault = () => null;
  coffer.clock.advance(2 * 60_000);
  await eventually(async () => (await certificateAt(port)).fingerprint256 !== standIn.fingerprint256);
  expect((await certificateAt(port)).issuer).toBe("CN=Test authority");
  expect(await problems()).toEqual([]);
  expect((await ask("/healthz")).status).toBe(200);

  // What is damaged later keeps no server from its start.
  await coffer.close();
  const kept = join(coffer.dataDir, "acme", "*", "certificate.pem");
  for await (const path of new Bun.Glob(kept.slice(1)).scan({ cwd: "/", absolute: true }))
    await Bun.write(path, "damaged");
  await coffer.restart();
  port = Number(new URL(coffer.appliance.url).port);
  expect((await certificateAt(port)).subject).toBe("CN=Coffer (not trusted)");
  const kinds = async () => (await problems()).map(({ kind }) => kind);
  await eventually(async () => (await kinds()).length === 2);
  expect(await kinds()).toEqual(["certificate_failed", "certificate_unusable"]);
  const flags = Object.entries({ ...settings, host: "127.0.0.1", port: String(port) });
  const given = flags.flatMap(([name, value]) => [`--${name}`, value]);
  const { stdout } = await runHere(["doctor", ...given], coffer.dataDir);
  expect(stdout).toMatch(/server: .* certificate_unusable\..* delete attempts\.json in the folder acme/);
  expect(stdout).not.toContain("COFFER_TLS_CERT");
  coffer.clock.advance(DAY_MS);
  await eventually(async () => (await certificateAt(port)).issuer === "CN=Test authority");
  expect(await problems()).toEqual([]);
});
