import { afterAll, beforeEach, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Renewal } from "../../src/acme/renewal.ts";
import { AcmeFiles } from "../../src/data-directory/acme-files.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/time.ts";
import { createLog } from "../../src/process/log.ts";
import { CertificateIssuer } from "../support/peers/certificate-issuer.ts";
import { refusal, TestAuthority } from "../support/peers/authority.ts";
import { FakeClock } from "../support/server/fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const NAMES = ["drive.example.com", "www.example.com"];
const MINUTE_MS = 60_000;
const place = await temporaryDirectory(FAST_DIRECTORY);
afterAll(() => place[Symbol.asyncDispose]());

const stage = { count: 0, clock: new FakeClock(), lines: [""], reasons: new Array<string | null>() };
beforeEach(() => {
  Object.assign(stage, { count: stage.count + 1, clock: new FakeClock(), lines: [], reasons: [] });
});

function filesOf(authority: TestAuthority): AcmeFiles {
  return new AcmeFiles({ acme: join(place.path, String(stage.count)) }, authority.directory);
}

/** As a start does, which may not be the first one. */
async function open(authority: TestAuthority, names = NAMES, email: string | null = null): Promise<Renewal> {
  const ca = join(place.path, "ca.crt");
  await Bun.write(ca, authority.ca);
  const { clock, lines, reasons } = stage;
  const renewal = await Renewal.open({
    settings: { kind: "acme", names, email, directory: authority.directory, ca },
    files: filesOf(authority),
    clock,
    log: createLog({ format: "json", clock, write: (line) => lines.push(line) }),
    onFailure: (reason) => reasons.push(reason),
  });
  authority.look = (token) => renewal.challenges.answerTo(token);
  return renewal;
}

async function begin(names = NAMES) {
  const authority = await TestAuthority.start(stage.clock);
  return { authority, renewal: await open(authority, names) };
}

function kept(authority: TestAuthority): Promise<string | null> {
  return filesOf(authority).read("certificate.pem");
}

test("the first certificate is issued at once, and a restart orders no other one", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  const seen: string[] = [];
  authority.look = (token) => {
    seen.push(token);
    return renewal.challenges.answerTo(token);
  };
  await renewal.runIfDue();
  const text = (await kept(authority)) ?? "";
  expect(new X509Certificate(text).subjectAltName).toBe(NAMES.map((name) => `DNS:${name}`).join(", "));
  expect(text).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  // Nothing is answered once the order is over.
  expect(seen.map((token) => renewal.challenges.answerTo(token))).toEqual([null, null]);
  expect(stage.reasons).toEqual([null]);
  await renewal.runIfDue();
  await (await open(authority)).runIfDue();
  expect(authority.orders).toHaveLength(1);
});

test("without advice it is renewed after two thirds of its life, by the same account", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  await renewal.runIfDue();
  const first = await kept(authority);
  stage.clock.advance(59 * DAY_MS);
  await renewal.runIfDue();
  expect(authority.orders).toHaveLength(1);
  stage.clock.advance(2 * DAY_MS);
  await (await open(authority, NAMES, "ada@example.com")).runIfDue();
  expect(await kept(authority)).not.toBe(first);
  expect(authority.orders.map(({ replaces }) => replaces)).toEqual([null, null]);
  expect([...authority.contacts]).toEqual([["/account/0", ["mailto:ada@example.com"]]]);
});

test("it is renewed when the authority would have it, which is told what is replaced", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  await renewal.runIfDue();
  const { serialNumber } = new X509Certificate((await kept(authority)) ?? "");
  const start = stage.clock.now() + 10 * DAY_MS;
  authority.window = { start, end: start + DAY_MS };
  stage.clock.set(9 * DAY_MS);
  await renewal.runIfDue();
  expect(authority.orders).toHaveLength(1);
  stage.clock.set(2 * DAY_MS);
  await renewal.runIfDue();
  const serial = Buffer.from(serialNumber, "hex");
  const bytes = serial.readUInt8() < 0x80 ? serial : Buffer.concat([Buffer.alloc(1), serial]);
  const id = `${authority.issuer.keyId.toString("base64url")}.${bytes.toString("base64url")}`;
  expect(authority.orders.map(({ replaces }) => replaces)).toEqual([null, id]);
  expect(authority.asked).toContain(`GET /renewal/${id}`);
});

test("an order that an authority refuses as a replacement is placed without", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  await renewal.runIfDue();
  authority.window = { start: 0, end: 1 };
  stage.clock.advance(2 * DAY_MS);
  let refusals = 0;
  authority.fault = (asked) => {
    if (asked !== "POST /order" || refusals > 0) return null;
    refusals += 1;
    return refusal("alreadyReplaced", "it has a successor", 409);
  };
  await renewal.runIfDue();
  expect([refusals, authority.orders.length, authority.orders[1]?.replaces]).toEqual([1, 2, null]);
});

test("it is renewed after nine tenths of its life, whatever the authority says", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  const later = stage.clock.now() + 1000 * DAY_MS;
  authority.window = { start: later, end: later };
  await renewal.runIfDue();
  stage.clock.advance(80 * DAY_MS);
  await renewal.runIfDue();
  expect(authority.orders).toHaveLength(1);
  stage.clock.advance(2 * DAY_MS);
  await renewal.runIfDue();
  expect(authority.orders).toHaveLength(2);
});

test("there is at most one a day, or two in the life of a shorter one", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  authority.window = { start: 0, end: 1 };
  authority.lifetimeMs = DAY_MS;
  await renewal.runIfDue();
  stage.clock.advance(11 * HOUR_MS);
  await renewal.runIfDue();
  expect(authority.orders).toHaveLength(1);
  stage.clock.advance(2 * HOUR_MS);
  authority.lifetimeMs = 90 * DAY_MS;
  await renewal.runIfDue();
  stage.clock.advance(23 * HOUR_MS);
  const again = await open(authority);
  await again.runIfDue();
  expect(authority.orders).toHaveLength(2);
  stage.clock.advance(2 * HOUR_MS);
  await again.runIfDue();
  expect(authority.orders).toHaveLength(3);
});

test("other names have another certificate at once, which replaces none", async () => {
  const { authority, renewal } = await begin(["drive.example.com"]);
  await using _ = authority;
  await renewal.runIfDue();
  authority.window = { start: 0, end: 1 };
  await (await open(authority)).runIfDue();
  expect(authority.orders.map(({ names, replaces }) => [names, replaces])).toEqual([
    [["drive.example.com"], null],
    [NAMES, null],
  ]);
});

test("what fails is told once, and tried again after pauses that grow; a restart shortens them", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  authority.fault = (asked) =>
    asked === "POST /order" ? refusal("rejectedIdentifier", "not\nthis name") : null;
  const reason = "the authority refuses: not this name (rejectedIdentifier)";
  const tries = () => authority.asked.filter((asked) => asked === "POST /order").length;
  const pauses: number[] = [];
  await renewal.runIfDue();
  while (pauses.length < 7) {
    const [before, from] = [tries(), stage.clock.now()];
    while (tries() === before) {
      stage.clock.advance(MINUTE_MS);
      await renewal.runIfDue();
    }
    pauses.push((stage.clock.now() - from) / MINUTE_MS);
  }
  for (const [at, pause] of [1, 4, 16, 64, 256, 720, 720].entries()) {
    expect(pauses[at]).toBeWithin(pause, pause * 1.25 + 2);
  }
  expect(new Set(stage.reasons)).toEqual(new Set([reason]));
  expect(stage.lines.filter((line) => line.includes('"level":"warn"'))).toHaveLength(1);
  const again = await open(authority);
  const before = tries();
  stage.clock.advance(11 * MINUTE_MS);
  await again.runIfDue();
  expect(tries()).toBe(before);
  stage.clock.advance(2 * MINUTE_MS);
  authority.fault = () => null;
  await again.runIfDue();
  expect(stage.reasons.at(-1)).toBeNull();
  expect(await kept(authority)).not.toBeNull();
});

test("an authority that wants to be left alone is, also after a restart, for up to seven days", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  const wait = { "retry-after": String((30 * DAY_MS) / 1000) };
  authority.fault = (asked) =>
    asked === "POST /order" ? refusal("rateLimited", "too many", 429, wait) : null;
  await renewal.runIfDue();
  authority.fault = () => null;
  const again = await open(authority);
  stage.clock.advance(7 * DAY_MS - MINUTE_MS);
  await again.runIfDue();
  expect(authority.orders).toEqual([]);
  stage.clock.advance(2 * MINUTE_MS);
  await again.runIfDue();
  expect(authority.orders).toHaveLength(1);
});

test("a nonce that was used is replaced", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  let refusals = 0;
  authority.fault = (asked) => {
    if (!asked.startsWith("POST /finalize") || refusals === 2) return null;
    refusals += 1;
    return refusal("badNonce", "once more");
  };
  await renewal.runIfDue();
  expect([refusals, stage.reasons]).toEqual([2, [null]]);
});

const other = new CertificateIssuer();
test.each<[string, string, () => Response, string]>([
  ["leads elsewhere", "GET /directory", () => Response.redirect("https://evil.example/"), "status 302"],
  ["is a page", "GET /directory", () => new Response("<html>"), "cannot be read"],
  ["is too long", "GET /directory", () => new Response("x".repeat(300 * 1024)), "too long"],
  [
    "names another server",
    "GET /directory",
    () => Response.json({ newNonce: "https://evil.example/nonce", newAccount: "/account" }),
    "another server: https://evil.example",
  ],
  ["has no account", "POST /account", () => new Response("{}", { status: 201 }), "no address"],
  [
    "has a token that is none",
    "POST /authorization/0/0",
    () => {
      const challenges = [{ type: "http-01", url: "/challenge/0/0", token: "../secret" }];
      return Response.json({ status: "pending", identifier: { value: "drive.example.com" }, challenges });
    },
    "no valid token",
  ],
  [
    "says why a name does not lead here",
    "POST /authorization/0/0",
    () => {
      const error = { detail: "connection refused" };
      const challenges = [{ type: "http-01", url: "/challenge/0/0", token: "abc", error }];
      return Response.json({ status: "invalid", identifier: { value: "drive.example.com" }, challenges });
    },
    "did not find this server at drive.example.com: connection refused",
  ],
  ["has no certificate", "POST /certificate/0", () => new Response("nothing"), "sent no certificate"],
  [
    "has a private key beside",
    "POST /certificate/0",
    () => new Response("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"),
    "sent no certificate",
  ],
])("an answer that %s gives no certificate, and a reason", async (_, where, answer, says) => {
  const { authority, renewal } = await begin();
  await using used = authority;
  used.fault = (asked) => (asked === where ? answer() : null);
  await renewal.runIfDue();
  expect(stage.reasons).toEqual([expect.stringContaining(says)]);
  expect(await kept(authority)).toBeNull();
});

test("a certificate of another key, or for other names, is not kept", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  const { certificateRequest, newKey } = await import("../../src/acme/own-keys.ts");
  const validity = { beginsAt: stage.clock.now(), endsAt: stage.clock.now() + DAY_MS };
  const foreign = other.issue(certificateRequest(NAMES, newKey()), validity);
  authority.fault = (asked) => (asked === "POST /certificate/0" ? new Response(foreign) : null);
  await renewal.runIfDue();
  expect(stage.reasons).toEqual(["the authority sent a certificate of another key"]);
  expect(await kept(authority)).toBeNull();
});

test("an authority that cannot be asked is a reason, and so is a file that cannot be read", async () => {
  const { authority, renewal } = await begin();
  await authority[Symbol.asyncDispose]();
  await renewal.runIfDue();
  expect(stage.reasons).toEqual([expect.stringContaining("cannot be asked")]);
  await using second = await TestAuthority.start(stage.clock);
  await filesOf(second).write("account.pem", "no key");
  await filesOf(second).write("attempts.json", "no json");
  await (await open(second)).runIfDue();
  expect(stage.reasons.at(-1)).toContain("delete it, and another account is made");
  expect(await readdir(join(filesOf(second).pathOf("account.pem"), ".."))).not.toContain("certificate.pem");
});

test("a stop gives up what is under way, which is no failure", async () => {
  const { authority, renewal } = await begin();
  await using _ = authority;
  authority.fault = (asked) => {
    if (asked === "POST /order") renewal.stop();
    return null;
  };
  await renewal.runIfDue();
  await renewal.runIfDue();
  expect(stage.reasons).toEqual([]);
  expect(authority.asked.filter((asked) => asked === "POST /order")).toHaveLength(1);
  await (await open(authority)).runIfDue();
  expect(stage.reasons).toEqual([null]);
});
