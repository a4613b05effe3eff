import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client, Json, RequestOptions } from "../../support/server/client.ts";
import { holdRequest } from "../../support/server/held-request.ts";
import { eventually, expectCommonRules, openStage, provision } from "../../support/server/scenario.ts";
import { FORM_TYPE, formOf, HELLO, HELLO_DIGEST } from "../../support/server/uploads.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import {
  describedApi,
  requestOf,
  ROUTES,
  type RouteRow,
  successOf,
  withByPath,
} from "../../support/server/routes.ts";
import { makeOwnTarget, routeOf } from "../../support/server/targets.ts";
import { everythingIn, rowsIn } from "../../support/faults/change-database.ts";

const stage = openStage();
const DAY = 24 * 60 * 60 * 1000;
const PROVISION: Sent = ["POST", "/v0/drives/provision", { body: { name: "Same" } }];

const newKey = () => `key ${crypto.randomUUID()}`;

/** A drive of one's own, and what asks with its key under one Idempotency-Key. */
async function fresh() {
  const own = await stage.ownDrive();
  const key = newKey();
  return { own, key, ask: (sent: Sent) => send(own.client, key, sent) };
}

/** A request as it can be sent any number of times. */
type Sent = readonly [method: string, path: string, options?: RequestOptions];

function send(client: Client, key: string, [method, path, options = {}]: Sent): Promise<Answer> {
  return client.send(method, path, { ...options, headers: { ...options.headers, "idempotency-key": key } });
}

/** The answer as a repeated request must get it again. */
function essence({ status, headers, text }: Answer): unknown {
  return { status, text, type: headers.get("content-type"), etag: headers.get("etag") };
}

function expectReplay(answer: Answer, first: Answer): void {
  expectCommonRules("POST", answer);
  expect(answer.headers.get("idempotency-replayed")).toBe("true");
  expect(essence(answer)).toEqual(essence(first));
}

/** What was sent for the first time, and done. */
function expectFirst(answer: Answer, status = 201): Answer {
  expectCommonRules("POST", answer);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.any(String)]);
  expect(answer.headers.get("idempotency-replayed")).toBeNull();
  return answer;
}

function countRows(table: string, dataDir = stage.coffer.dataDir): number {
  return Number(rowsIn(dataDir, `SELECT count(*) FROM ${table}`)[0]?.[0]);
}

/** A form with a file. */
function form(drive: string, content: string): string {
  return formOf(['name="drive_id"', drive], ['name="file"; filename="form.txt"', content]);
}

const drive_id = "{drive}";

function also(request: string, status: number, about: string, more: RouteRow[2] = {}): RouteRow {
  return [request, status, { about, ...more }];
}

/** Writes that are not in `ROUTES`. */
const OTHERS: readonly RouteRow[] = [
  also("POST /v0/drives/{drive}/snapshots/{snapshot}/restore", 200, "of a folder", {
    body: { path: "sub/" },
  }),
  also("POST /v0/trash/{trashedFolder}/restore", 200, "of a folder"),
  also("POST /v0/drives/{drive}/members", 200, "of a member", {
    body: { username: "carol", role: "editor" },
  }),
  also("POST /v0/files", 201, "as a form", { body: form(drive_id, "Hello World!"), headers: FORM_TYPE }),
  also("PUT /v0/files?drive_id={drive}&path=empty.txt", 201, "of nothing"),
  also("PUT /v0/files?drive_id={drive}&path=put.txt", 201, "if there is none", {
    body: "Hello World!",
    headers: { "if-none-match": "*" },
  }),
  also("PATCH /v0/files/{file}", 200, "if it is unchanged", {
    body: { filename: "renamed.txt" },
    headers: { "if-match": "*" },
  }),
  also("POST /v0/files/{file}/move", 200, "onto itself", { body: { destination_path: "sub/f.txt" } }),
  also("POST /v0/links", 201, "with a password", { body: { drive_id, path: "/", password: "open sesame" } }),
  also("POST /v0/files/{file}/edit", 200, "as a dry run", {
    body: { op: "append", text: "more", dry_run: true },
  }),
  also("POST /v0/folders", 200, "that is there", { body: { drive_id, path: "sub/" } }),
];

/** Requests that differ from one in one thing each. */
function othersThan([request, of, more = {}]: RouteRow): RouteRow[] {
  const { body, headers } = more;
  const elsewhere = `${request}${request.includes("?") ? "&" : "?"}other=1`;
  const others: RouteRow[] = [
    [request, of, { ...more, headers: { ...headers, "if-match": '"other"' } }],
    [elsewhere, of, { ...more, headers: { ...headers, prefer: "handling=lenient" } }],
  ];
  // What comes after a form is not read.
  if (typeof body === "string" && headers !== FORM_TYPE) {
    others.push([request, of, { ...more, body: `${body}!` }]);
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    others.push([request, of, { ...more, body: { ...body, filename: "other", tags: ["other"] } }]);
  }
  return others;
}

/** Those that store nothing: one has an answer of any length, one a cookie of its own each time, one begins something. */
const CHANGES_NOTHING = [
  "POST /v0/files/{id}/extract",
  "POST /v0/files/by-path/extract",
  "POST /v0/files/read",
  "POST /v0/shared/{token}/unlock",
  "POST /v0/server/backups",
];

/** Every write there is. */
const WRITES = [...ROUTES, ...withByPath(OTHERS)].filter(
  ([request]) => !request.startsWith("GET ") && !CHANGES_NOTHING.includes(routeOf(request)),
);

test("every write of the API description takes a key, and is tried here", async () => {
  const { operations } = await describedApi();
  const routes = (of: typeof operations) => of.map(({ method, path }) => `${method} ${path}`);
  const keyed = routes(operations.filter(({ parameters }) => parameters.header.includes("Idempotency-Key")));
  const writes = routes(operations).filter((name) => /^(?!GET )\w+ \/v0\//.test(name));
  expect([...keyed, ...CHANGES_NOTHING].toSorted()).toEqual(writes.toSorted());
  expect([...new Set(WRITES.map(([request]) => routeOf(request)))].toSorted()).toEqual(keyed.toSorted());
});

for (const row of WRITES) {
  const [request, , more = {}] = row;
  const status = successOf(row);

  const begin = async () => {
    const target = await makeOwnTarget(stage, JSON.stringify([request, more]), "sub/f.txt");
    const client =
      more.by === "session"
        ? beginSession(stage.coffer, "ada").browser
        : stage.world.clients[more.by ?? "ada"];
    const key = newKey();
    return (of: RouteRow) => send(client, key, requestOf(of, target));
  };

  describe([routeOf(request), more.about ?? []].flat().join(" "), () => {
    test("is done once and answered twice, and never answers another request", async () => {
      const ask = await begin();
      const first = await ask(row);
      expectFirst(first, status);
      const after = everythingIn(stage.coffer.dataDir);
      stage.coffer.clock.advance(1);
      expectReplay(await ask(row), first);
      expectReplay(await ask(row), first);
      for (const each of othersThan(row)) expectRefused(await ask(each), "IDEMPOTENCY_KEY_REUSED");
      expect(everythingIn(stage.coffer.dataDir)).toEqual(after);
    });

    test("has one effect, however many ask at once", async () => {
      const ask = await begin();
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask(row)));
      const [first, ...others] = answers.filter(
        (answer) => answer.status < 300 && answer.headers.get("idempotency-replayed") === null,
      );
      if (first === undefined) throw new Error("nobody was first");
      expect(others).toEqual([]);
      expectFirst(first, status);
      for (const answer of answers.filter((each) => each !== first)) {
        if (answer.status < 300) expectReplay(answer, first);
        else expectRefused(answer, "IDEMPOTENCY_IN_PROGRESS");
      }
      const after = everythingIn(stage.coffer.dataDir);
      expectReplay(await ask(row), first);
      expect(everythingIn(stage.coffer.dataDir)).toEqual(after);
    });
  });
}

const folder = (drive: string, path: string): Sent => [
  "POST",
  "/v0/folders",
  { body: { drive_id: drive, path } },
];
const put = (drive: string, path: string, body: string | Uint8Array<ArrayBuffer>): Sent => [
  "PUT",
  `/v0/files?drive_id=${drive}&path=${path}`,
  { body },
];

const PRINTABLE = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("");

describe("the header", () => {
  // Without an API key, two behind one address could come by the same.
  const keyed = "whoever has an API key";
  test.each([
    ["empty", "nobody", ""],
    ["too long", "nobody", "x".repeat(256)],
    ["not ASCII", "nobody", "caf\u00e9"],
    ["with a tab", "nobody", "a\tb"],
    ["one character", keyed, "1"],
    ["255 characters", keyed, "x".repeat(255)],
    ["31 random characters", keyed, crypto.randomUUID().replaceAll("-", "").slice(0, 31)],
    ["32 times the same", keyed, "a".repeat(32)],
    ["seven characters over and over", keyed, "provide".repeat(36)],
    ["the UUID of nothing", keyed, "00000000-0000-0000-0000-000000000000"],
    ["a UUID", "everybody", crypto.randomUUID()],
    ["a UUID of version 7", "everybody", Bun.randomUUIDv7()],
    ["32 hex digits", "everybody", "0123456701234567012345670123456f"],
    ["255 characters, not the same", "everybody", "not the same ".repeat(20).slice(0, 255)],
    ["every printable character", "everybody", PRINTABLE],
  ])("%s is taken from %s", async (_, from, key) => {
    const { ada, nobody, liar } = stage.world.clients;
    for (const client of from === "everybody" ? [ada, nobody] : [ada, nobody, liar]) {
      const before = countRows("drive");
      const isTaken = from === "everybody" || (from === keyed && client === ada);
      const answer = await send(client, key, PROVISION);
      if (isTaken) {
        expectFirst(answer, 201);
        expectReplay(await send(client, key, PROVISION), answer);
      } else {
        expectRefused(answer, "VALIDATION_ERROR", "Idempotency-Key");
        if (from === keyed) expect(answer.text).toContain("such as a new UUID");
      }
      expect(countRows("drive") - before).toBe(isTaken ? 1 : 0);
    }
  });

  test("means nothing to reads, and to routes that are none", async () => {
    const { own, ask } = await fresh();
    for (const path of ["/v0/drives", `/v0/drives/${own.id}`]) {
      expectFirst(await ask(["GET", path]), 200);
      expect((await send(own.client, "x".repeat(256), ["HEAD", path])).status).toBe(200);
    }
    expectRefused(await ask(["POST", "/v0/nothing"]), "NOT_FOUND");
    expectFirst(await ask(folder(own.id, "a/")));
  });

  test("comes after the key and its scope", async () => {
    const { nobody, agentReader } = stage.world.clients;
    expectRefused(await send(nobody, "", folder("x", "a/")), "UNAUTHORIZED");
    expectRefused(await send(agentReader, "", folder("x", "a/")), "FORBIDDEN");
  });
});

describe("a key is its caller's own", () => {
  test("two agents with the same key have an effect each", async () => {
    const key = newKey();
    const [one, other] = [await stage.ownDrive(), await stage.ownDrive()];
    const create: Sent = ["POST", "/v0/keys", { body: { name: "Same" } }];
    const first = expectFirst(await send(one.client, key, create));
    const second = expectFirst(await send(other.client, key, create));
    expect(JSON.parse(second.text).id).not.toBe(JSON.parse(first.text).id);
  });

  test("and so have two keys of one account, and nobody", async () => {
    const key = newKey();
    const { ada, adaDrive } = stage.world.clients;
    const answers = await Promise.all(
      [ada, adaDrive, stage.coffer.client()].map((client) => send(client, key, PROVISION)),
    );
    for (const answer of answers) expectFirst(answer, 201);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
  });
});

test("whoever is signed in has one under all of the account's sessions, and none in common with its keys", async () => {
  const key = newKey();
  const create: Sent = ["POST", "/v0/drives", { body: { name: "Same" } }];
  const first = expectFirst(await send(beginSession(stage.coffer, "ada").browser, key, create));
  expectReplay(await send(beginSession(stage.coffer, "ada").browser, key, create), first);
  expectFirst(await send(stage.world.clients.ada, key, create));
});

test("callers without a key are told apart by their address", async () => {
  await using coffer = await startAppliance({ "trusted-proxies": "127.0.0.1" });
  const key = newKey();
  const [method, path, options] = PROVISION;
  const provisionFrom = (address: string) =>
    send(coffer.client(), key, [method, path, { ...options, headers: { "x-forwarded-for": address } }]);
  const first = await provisionFrom("192.0.2.1");
  expectFirst(first, 201);
  const second = await provisionFrom("192.0.2.2");
  expectFirst(second, 201);
  expect(second.text).not.toBe(first.text);
  expectReplay(await provisionFrom("192.0.2.1"), first);
  expectReplay(await provisionFrom("192.0.2.2"), second);
});

describe("only successes are kept", () => {
  test("a refused request may be corrected under its key", async () => {
    const { own, ask } = await fresh();
    expectRefused(await ask(folder(own.id, "a//")), "VALIDATION_ERROR", "path");
    const broken = await ask(["POST", "/v0/folders", { body: "{" }]);
    expectRefused(broken, "VALIDATION_ERROR", "body");
    expectRefused(await ask(folder("nowhere", "a/")), "NOT_FOUND");
    expectFirst(await ask(folder(own.id, "a/")));
    expectRefused(await ask(folder(own.id, "b/")), "IDEMPOTENCY_KEY_REUSED");
  });

  test("a refused upload may be corrected under its key", async () => {
    const { own, ask } = await fresh();
    await own.client.put(own.id, "taken", "x");
    expectRefused(await ask(put(own.id, "taken/below", "x")), "CONFLICT");
    expectFirst(await ask(put(own.id, "free", "x")));
  });

  test("an answer too long to be kept undoes its write", async () => {
    const { own, ask } = await fresh();
    const file = await own.client.put(own.id, "a", "x");
    const ids = Array.from({ length: 999 }, (_, n) => `${n}-${"x".repeat(1010)}`);
    const remove = (others: string[]): Sent => [
      "POST",
      "/v0/files/bulk-delete",
      { body: { file_ids: [file.id, ...others] } },
    ];
    expectRefused(await ask(remove(ids)), "PAYLOAD_TOO_LARGE");
    await own.client.get(`/v0/files/${file.id}`);
    expectFirst(await ask(remove(ids.map(() => crypto.randomUUID()))), 200);
    await own.client.json(404, "GET", `/v0/files/${file.id}`);
  });
});

describe("while the first is running", () => {
  test("another is refused before its body is read, whatever it asks", async () => {
    const { own, key, ask } = await fresh();
    const path = `/v0/files?drive_id=${own.id}&path=slow.txt`;
    const headers = { "idempotency-key": key };
    const first = await holdRequest(own.client, ["PUT", path], undefined, headers);
    const endless = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(1)) });
    const refusal = await own.client.send("PUT", path, { body: endless, headers });
    expectRefused(refusal, "IDEMPOTENCY_IN_PROGRESS");
    expect(refusal.headers.get("retry-after")).toBe("1");
    expectRefused(await ask(folder(own.id, "a//")), "IDEMPOTENCY_IN_PROGRESS");
    const answer = await first.complete();
    expectFirst(answer, 201);
    expectReplay(await ask(put(own.id, "slow.txt", "Hello World!")), answer);
  });

  test.each([
    ["an upload", (drive: string) => `PUT /v0/files?drive_id=${drive}&path=cut`],
    ["a JSON body", () => "POST /v0/folders"],
  ])("%s that is cut off lets go of its key and leaves nothing", async (_, target) => {
    const { own, key, ask } = await fresh();
    const raw = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
    await raw.write(
      `${target(own.id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\nIdempotency-Key: ${key}\r\nContent-Length: 1000\r\n\r\n{"drive_id"`,
    );
    await eventually(async () => (await ask(folder(own.id, "a//"))).status === 409);
    raw.socket.destroy();
    await eventually(async () => (await ask(folder(own.id, "a//"))).status === 400);
    expectFirst(await ask(put(own.id, "cut", "whole")));
    const list = await own.client.get<{ total: number }>(`/v0/files?drive_id=${own.id}`);
    expect(list.total).toBe(1);
  });
});

function jsonUpload(drive: string, content: string, fields: Record<string, Json> = {}): Sent {
  const body = { drive_id: drive, filename: "form.txt", content, ...fields };
  return ["POST", "/v0/files", { body }];
}

describe("an upload is known by its fields and its content", () => {
  test("however it is encoded", async () => {
    const { own, ask } = await fresh();
    const first = expectFirst(await ask(jsonUpload(own.id, HELLO)));
    expect(first.headers.get("etag")).toBe(`"${HELLO_DIGEST}"`);
    const again: Sent[] = [
      jsonUpload(own.id, `${HELLO.slice(0, 5)}\n${HELLO.slice(5)}`),
      ["POST", "/v0/files", { body: { content: HELLO, filename: "form.txt", drive_id: own.id } }],
      ["POST", "/v0/files", { body: form(own.id, "Hello World!"), headers: FORM_TYPE }],
    ];
    for (const request of again) expectReplay(await ask(request), first);
    const others: Sent[] = [
      jsonUpload(own.id, `${HELLO}IQ==`.replace("hIQ==", "hIQ")),
      jsonUpload(own.id, ""),
      jsonUpload(own.id, HELLO, { tags: ["a"] }),
      jsonUpload(own.id, HELLO, { path: "elsewhere.txt" }),
      jsonUpload(own.id, HELLO, { expires_at: null }),
    ];
    for (const request of others) {
      expectRefused(await ask(request), "IDEMPOTENCY_KEY_REUSED");
    }
    const list = await own.client.get<{ total: number }>(`/v0/files?drive_id=${own.id}`);
    expect(list.total).toBe(1);
  });

  test("what repeats another is not kept, nor what does not repeat it", async () => {
    const { own, ask } = await fresh();
    const content = crypto.getRandomValues(new Uint8Array(500_000).subarray(0, 65_536));
    const big = new Uint8Array(1_000_000);
    big.set(content);
    const upload = () => ask(put(own.id, "big.bin", big));
    expectFirst(await upload(), 201);
    const before = await stage.onDisk();
    expect((await upload()).status).toBe(201);
    big[999_999] = 1;
    expectRefused(await upload(), "IDEMPOTENCY_KEY_REUSED");
    expect(await stage.onDisk()).toEqual(before);
  });

  test("and answered as before when its drive and its time have gone", async () => {
    const { ada } = stage.world.clients;
    const { id: drive } = await ada.makeDrive("Soon gone");
    const key = newKey();
    const upload = put(drive, `soon.txt&expires_at=${stage.coffer.clock.iso(1000)}`, "x");
    const first = expectFirst(await send(ada, key, upload));
    stage.coffer.clock.advance(2000);
    expectReplay(await send(ada, key, upload), first);
    await ada.delete(`/v0/drives/${drive}`);
    expectReplay(await send(ada, key, upload), first);
  });
});

test("an answer is the first one, whatever has happened since", async () => {
  const { own, ask } = await fresh();
  const upload = put(own.id, "a", "x");
  const first = await ask(upload);
  const { id }: { id: string } = JSON.parse(first.text);
  await own.client.delete(`/v0/files/${id}`);
  expectReplay(await ask(upload), first);
  await own.client.json(404, "GET", `/v0/files/${id}`);
});

function remaining({ headers }: Answer): number {
  return Number(headers.get("x-ratelimit-remaining"));
}

describe("for 24 hours", () => {
  const it = testWith(() => startAppliance({ "provisions-per-hour": "1" }));

  it("across restarts, counted as a request but not as a drive", async (coffer) => {
    const key = newKey();
    const ask = () => send(coffer.client(), key, PROVISION);
    const first = expectFirst(await ask());
    const second = await ask();
    expectReplay(second, first);
    expect(remaining(second)).toBe(remaining(first) - 1);
    expectRefused(await send(coffer.client(), newKey(), PROVISION), "RATE_LIMITED");
    await coffer.restart();
    expectReplay(await ask(), first);

    coffer.clock.advance(DAY - 1);
    expectReplay(await ask(), first);
    await coffer.appliance.services.sweep.run();
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(1);

    coffer.clock.advance(1);
    const later = expectFirst(await ask());
    expect(later.text).not.toBe(first.text);
    expectReplay(await ask(), later);
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(1);
  });

  it("then the sweep takes the records away, however many", async (coffer) => {
    const { id, client } = await provision(coffer);
    const write = (n: number) => send(client, `many ${n}`, folder(id, `f${n}/`));
    await Promise.all(Array.from({ length: 450 }, (_, n) => write(n)));
    expect(countRows("idempotency_record", coffer.dataDir)).toBeGreaterThanOrEqual(450);
    coffer.clock.advance(DAY);
    await coffer.appliance.services.sweep.run();
    expect(countRows("idempotency_record", coffer.dataDir)).toBe(0);
  });
});
