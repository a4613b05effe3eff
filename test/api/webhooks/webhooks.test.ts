import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeliveryRecord, WebhookRecord } from "../../../src/http/records/change-schemas.ts";
import { WEBHOOKS } from "../../../src/domain/limits.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { Receiver, signatureOf } from "../../support/peers/receiver.ts";
import { expectRefused } from "../../support/server/answers.ts";
import {
  eventually,
  expectJson,
  openStage,
  type OwnDrive,
  startWithDrive,
} from "../../support/server/scenario.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const stage = openStage({ "webhook-addresses": "127.0.0.1" });

/** Takes what each test has sent. */
let receiver: Receiver;
beforeEach(() => {
  receiver = new Receiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

type Client = OwnDrive["client"];

const hook = (client: Client, url: string, events: string[] = ["*"], more: object = {}) =>
  client.post<WebhookRecord & { secret: string }>("/v0/webhooks", { url, events, ...more });

async function deliveriesOf(client: Client, id: string): Promise<readonly DeliveryRecord[]> {
  return (await client.get<{ data: DeliveryRecord[] }>(`/v0/webhooks/${id}/deliveries`)).data;
}

/** The newest delivery, once it has been tried so often. */
async function tried({ client }: OwnDrive, id: string, attempts: number): Promise<DeliveryRecord> {
  let newest: DeliveryRecord | undefined;
  await eventually(async () => {
    [newest] = await deliveriesOf(client, id);
    return newest?.attempts === attempts;
  });
  if (newest === undefined) throw new Error("there is no delivery");
  return newest;
}

const put = ({ client, id }: OwnDrive, path: string) => client.put(id, path, "x");

/** A drive with a webhook. */
async function hooked(events?: string[], path?: string) {
  const own = await stage.ownDrive();
  return { own, ...(await hook(own.client, receiver.url(path), events)) };
}

/** Lets time pass, and has the server look at its clock. */
function pass(ms: number): void {
  stage.coffer.clock.advance(ms);
  stage.coffer.appliance.services.webhookSender.pump();
}

describe("a change", () => {
  test("is sent once, signed, as the feed shows it", async () => {
    const own = await stage.ownDrive();
    const made = await hook(own.client, receiver.url("/a?b"), ["file.*"], { secret: SECRET });
    expect(made.secret).toBe(SECRET);
    await put(own, "a.txt");
    const [received] = await receiver.first(1);
    const { data } = await own.client.get<{ data: object[] }>(`/v0/changes?drive_id=${own.id}`);
    expect(received?.message).toEqual({
      type: "file.created",
      timestamp: expect.any(String),
      data: expect.objectContaining(data[0] ?? {}),
    });
    expect(received?.headers.get("content-type")).toBe("application/json");
    expect(received?.headers.get("webhook-timestamp")).toBe(
      String(Math.floor(stage.coffer.clock.now() / 1000)),
    );
    if (received === undefined) throw new Error("nothing came");
    expect(received.headers.get("webhook-signature")).toBe(signatureOf(received, SECRET));
    const delivery = await tried(own, made.id, 1);
    expect(delivery).toMatchObject({ state: "delivered", status: 204, error: null, next_at: null });
    expect(received.headers.get("webhook-id")).toBe(delivery.id);
  });

  test("is sent only to who asked for it, of all drives or of one", async () => {
    const ada = stage.coffer.client(stage.world.keys.ada);
    const drive = await ada.makeDrive("B");
    await hook(ada, receiver.url("/all"), ["file.created"]);
    await hook(ada, receiver.url("/one"), ["file.created"], { drive_id: drive.id });
    await hook(ada, receiver.url("/other"), ["snapshot.*"]);
    await put({ id: drive.id, key: "", client: ada }, "in-b.txt");
    await put({ id: stage.world.drives.ada, key: "", client: ada }, "in-a.txt");
    await receiver.first(3);
    const came = receiver.received.map(({ path, message }) => `${path} ${String(message.data["path"])}`);
    expect(came.toSorted()).toEqual(["/all in-a.txt", "/all in-b.txt", "/one in-b.txt"]);
  });

  test("that happened while the server was down is sent, and what was sent is not sent again", async () => {
    const { own, id } = await hooked();
    await put(own, "one.txt");
    await tried(own, id, 1);
    // Nobody is told any more.
    await stage.coffer.appliance.services.webhookOutbox.stop();
    await put(own, "two.txt");
    await stage.coffer.restart();
    await receiver.first(2);
    expect(receiver.received.map(({ message }) => message.data["path"])).toEqual(["one.txt", "two.txt"]);
  });
});

describe("what is not answered with 2xx", () => {
  test("is sent again, with the same id, for a day", async () => {
    receiver.answer = () => new Response("no", { status: 500 });
    const { own, id } = await hooked();
    await put(own, "a.txt");
    const start = stage.coffer.clock.now();
    for (let attempts = 1; attempts < 8; attempts += 1) {
      const delivery = await tried(own, id, attempts);
      expect(delivery).toMatchObject({ state: "pending", status: 500, error: "The server answered 500." });
      pass(Date.parse(delivery.next_at ?? "") - stage.coffer.clock.now());
    }
    expect(await tried(own, id, 8)).toMatchObject({ state: "failed", next_at: null });
    const hours = (stage.coffer.clock.now() - start) / 3_600_000;
    expect(hours).toBeGreaterThan(19);
    expect(hours).toBeLessThan(29);
    expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    expect(receiver.received).toHaveLength(8);
  });

  test.each([
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/"), /^The server answered 302: redirects/],
    ["a redirect to the same server", () => Response.redirect("/hook", 307), /307: redirects/],
  ])("%s: is not followed", async (_, answer, error) => {
    receiver.answer = answer;
    const { own, id } = await hooked();
    await put(own, "a.txt");
    expect(await tried(own, id, 1)).toMatchObject({ error: expect.stringMatching(error) });
    expect(receiver.received).toHaveLength(1);
  });

  test("an answer without an end is not read on, and its status counts", async () => {
    let sent = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      sent += 1;
      controller.enqueue(new Uint8Array(4096));
    };
    receiver.answer = () => new Response(new ReadableStream({ pull }));
    const { own, id } = await hooked();
    await put(own, "a.txt");
    expect(await tried(own, id, 1)).toMatchObject({ state: "delivered", status: 200 });
    expect(sent).toBeGreaterThan(0);
  });

  test("is what the webhook shows of its deliveries, until a newer one is answered", async () => {
    const answered = Promise.withResolvers<Response>();
    receiver.answer = () => answered.promise;
    const { own, id } = await hooked(["file.created"]);
    const last = async () => (await own.client.get<WebhookRecord>(`/v0/webhooks/${id}`)).last_delivery;
    await put(own, "a.txt");
    await receiver.first(1);
    expect(await last()).toBeNull();
    answered.resolve(new Response(null, { status: 500 }));
    const failed = await tried(own, id, 1);
    // Its webhook pauses, so these are not sent yet.
    await Promise.all(["b", "c"].map((path) => put(own, path)));
    await eventually(async () => (await deliveriesOf(own.client, id)).length === 3);
    expect(await last()).toEqual(failed);
    receiver.answer = () => new Response(null, { status: 202 });
    // The first one waits for longer.
    pass(2000);
    await receiver.first(3);
    const [newest] = await deliveriesOf(own.client, id);
    await eventually(async () => (await last())?.id === newest?.id);
    expect(await last()).toMatchObject({ state: "delivered", status: 202 });
    const { data } = await own.client.get<{ data: WebhookRecord[] }>(`/v0/webhooks?drive_id=${own.id}`);
    expect(data.map(({ last_delivery: shown }) => shown?.id)).toEqual([newest?.id]);
  });

  test("410 disables the webhook, until it is enabled again", async () => {
    receiver.answer = () => new Response(null, { status: 410 });
    const { own, id } = await hooked();
    await put(own, "a.txt");
    expect(await tried(own, id, 1)).toMatchObject({ state: "failed", status: 410 });
    const path = `/v0/webhooks/${id}`;
    await eventually(async () => (await own.client.get<WebhookRecord>(path)).disabled_at !== null);
    await put(own, "b.txt");
    await own.client.json(409, "POST", `${path}/test`);
    receiver.answer = () => new Response();
    const body = { enabled: true };
    const enabled = { disabled_at: null, disabled_reason: null };
    expect(await own.client.patch<WebhookRecord>(path, body)).toMatchObject(enabled);
    await put(own, "c.txt");
    await receiver.first(2);
    expect(receiver.received.map(({ message }) => message.data["path"])).toEqual(["a.txt", "c.txt"]);
  });

  test("410 of an address that the webhook has left meanwhile does not disable it", async () => {
    const answered = Promise.withResolvers<void>();
    receiver.answer = async ({ path }) => {
      if (path === "/new") return new Response();
      await answered.promise;
      return new Response(null, { status: 410 });
    };
    const { own, id } = await hooked(undefined, "/old");
    await put(own, "a.txt");
    await receiver.first(1);
    await own.client.patch(`/v0/webhooks/${id}`, { url: receiver.url("/new") });
    answered.resolve();
    expect(await tried(own, id, 1)).toMatchObject({ state: "pending", status: 410 });
    pass(10_000);
    expect(await tried(own, id, 2)).toMatchObject({ state: "delivered" });
    expect(await own.client.get<WebhookRecord>(`/v0/webhooks/${id}`)).toMatchObject({ disabled_at: null });
  });

  test("while its webhook is deleted is not taken for a message of the next one", async () => {
    const answered = Promise.withResolvers<void>();
    receiver.answer = async ({ path }) => {
      if (path === "/first") await answered.promise;
      return new Response(null, { status: path === "/first" ? 410 : 204 });
    };
    const own = await stage.ownDrive();
    const first = await hook(own.client, receiver.url("/first"));
    await put(own, "a.txt");
    await receiver.first(1);
    await own.client.delete(`/v0/webhooks/${first.id}`);
    const { id } = await hook(own.client, receiver.url("/second"));
    await put(own, "b.txt");
    await eventually(async () => (await deliveriesOf(own.client, id)).length === 1);
    answered.resolve();
    await receiver.first(2);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/first", "/second"]);
    expect(await tried(own, id, 1)).toMatchObject({ state: "delivered", status: 204 });
    expect(await own.client.get<WebhookRecord>(`/v0/webhooks/${id}`)).toMatchObject({ disabled_at: null });
  });

  test("waits in the feed if it is too much, and none of it is left out", async () => {
    receiver.answer = () => new Response(null, { status: 503 });
    const { own, id } = await hooked(["file.created"]);
    const count = WEBHOOKS.pending.unclaimed + 50;
    await Promise.all(Array.from({ length: count }, (_, n) => put(own, `${n}.txt`)));
    const list = `/v0/webhooks/${id}/deliveries?limit=1000`;
    const total = async () => (await own.client.get<{ total: number }>(list)).total;
    await eventually(async () => (await total()) === WEBHOOKS.pending.unclaimed);
    receiver.answer = () => new Response();
    const paths = () => new Set(receiver.received.map(({ message }) => message.data["path"]));
    await eventually(() => {
      pass(60_000);
      return paths().size === count;
    });
    await eventually(async () => (await total()) === WEBHOOKS.kept);
  });
});

describe("an address", () => {
  test("by a name that leads elsewhere is not connected to", async () => {
    const before = await stage.ownDrive();
    const { id } = await hook(before.client, receiver.url("/hook", "localhost"));
    await stage.coffer.restart({ "webhook-addresses": "10.0.0.0/8" });
    const own = { ...before, client: stage.coffer.client(before.key) };
    for (const name of ["localhost", "LOCALHOST", "localhost.", "a.localhost"]) {
      for (const protocol of ["http", "https"]) {
        const body = { url: `${protocol}://${name}/`, events: ["*"] };
        await own.client.json(400, "POST", "/v0/webhooks", { body });
        await own.client.json(400, "PATCH", `/v0/webhooks/${id}`, { body });
      }
    }
    await put(own, "a.txt");
    expect(await tried(own, id, 1)).toMatchObject({
      status: null,
      error: "The server has no address that is allowed.",
    });
    expect(receiver.received).toEqual([]);
    await stage.coffer.restart();
  });

  test("without TLS is refused where no addresses are allowed", async () => {
    await using other = await startWithDrive();
    const body = { url: "http://agent.example/", events: ["*"] };
    await other.own.client.json(400, "POST", "/v0/webhooks", { body });
    await other.own.client.post("/v0/webhooks", { ...body, url: "https://agent.example/" });
  });
});

/** What a webhook is not made with, and a word of what is said. */
const WRONG: readonly [wrong: object, word: string][] = [
  ...[
    "http://127.0.0.2/",
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://0x7f.2/",
    "https://2130706434/",
    "https://169.254.169.254/latest",
    "http://8.8.8.8/",
    "ftp://agent.example/",
    "https://ada:secret@agent.example/",
    "agent.example",
    "",
  ].map((url): [object, string] => [{ url }, "url"]),
  [{ url: `https://agent.example/${"x".repeat(2048)}` }, "2048"],
  [{ events: [] }, "events"],
  [{ events: ["file.create"] }, "file.created"],
  [{ events: ["files"] }, "file.*"],
  [{ events: ["nothing"] }, "drive.updated"],
  [{ secret: "hello" }, "whsec_"],
  [{ secret: `whsec_${Buffer.alloc(23).toString("base64")}` }, "24 to 64"],
];

describe("a webhook", () => {
  test("is made, seen without its secret, changed and deleted, and is one of so many", async () => {
    const own = await stage.ownDrive();
    const made = await hook(own.client, "https://agent.example/hook", ["file.*", "file.*"]);
    const shown = { events: ["file.*"], secret: expect.stringMatching(/^whsec_/), drive_id: own.id };
    expect(made).toMatchObject(shown);
    const { secret: _, ...seen } = made;
    const path = `/v0/webhooks/${made.id}`;
    expect(await own.client.get<object>(path)).toEqual(seen);
    const list = { data: [seen], total: 1, next_cursor: null };
    expect(await own.client.get<object>("/v0/webhooks")).toEqual(list);
    const body = { url: "https://other.example/", events: ["*"], enabled: false };
    const { enabled: __, ...changed } = body;
    expect(await own.client.patch<object>(path, body)).toMatchObject({
      ...changed,
      disabled_at: expect.any(String),
      disabled_reason: expect.any(String),
    });
    expect(await own.client.delete<object>(path)).toEqual({ id: made.id, deleted: true });
    await own.client.json(404, "GET", path);
    // There may be so many.
    for (let n = 0; n < WEBHOOKS.each.unclaimed; n += 1) await hook(own.client, body.url);
    await own.client.json(403, "POST", "/v0/webhooks", { body: { url: body.url, events: ["*"] } });
  });

  test.each(WRONG)("is not made with %j", async (wrong, word) => {
    const body = { url: "https://agent.example/", events: ["*"], ...wrong };
    const answer = await stage.coffer.client(stage.world.keys.agent).send("POST", "/v0/webhooks", { body });
    expectRefused(answer, "VALIDATION_ERROR");
    expectJson(answer.text, { error: { message: expect.stringContaining(word) } });
  });

  test("is tried, and a delivery is sent again with its id", async () => {
    const { own, id } = await hooked(["link.created"]);
    const sent = await own.client.post<DeliveryRecord>(`/v0/webhooks/${id}/test`);
    expect(sent).toMatchObject({ type: "webhook.test", state: "pending" });
    await tried(own, id, 1);
    await own.client.json(200, "POST", `/v0/webhooks/${id}/deliveries/${sent.id}/resend`);
    const [first, second] = await receiver.first(2);
    expect(first?.message).toMatchObject({ type: "webhook.test", data: { webhook_id: id } });
    expect([first, second].map((each) => each?.headers.get("webhook-id"))).toEqual([sent.id, sent.id]);
  });

  test.each(["a new change", "what waits"])(
    "ends with the key that made it: %s is not sent",
    async (what) => {
      receiver.answer = () => new Response(null, { status: 500 });
      const own = await stage.ownDrive();
      const key = await own.client.makeKey();
      const { id } = await hook(stage.coffer.client(key.key), receiver.url());
      const waits = what === "what waits";
      if (waits) {
        await put(own, "a.txt");
        await tried(own, id, 1);
      }
      await own.client.delete(`/v0/keys/${key.id}`);
      if (waits) pass(10_000);
      else await put(own, "b.txt");
      await eventually(async () => {
        return (await own.client.status("GET", `/v0/webhooks/${id}`)) === 404;
      });
      expect(receiver.received).toHaveLength(waits ? 1 : 0);
    },
  );

  test("of a drive that is claimed is its owner's then; of a deleted one it goes", async () => {
    const { own, id } = await hooked(["file.created"]);
    const ada = stage.coffer.client(stage.world.keys.ada);
    await ada.post("/v0/drives/claim", { token: own.claimToken }, 200);
    const { data } = await ada.get<{ data: WebhookRecord[] }>("/v0/webhooks");
    expect(data.map((each) => each.id)).toContain(id);
    await put(own, "a.txt");
    await receiver.first(1);
    await ada.delete(`/v0/drives/${own.id}`);
    await ada.json(404, "GET", `/v0/webhooks/${id}`);
    const { data: left } = await ada.get<{ data: WebhookRecord[] }>("/v0/webhooks");
    expect(left.map((each) => each.id)).not.toContain(id);
    await stage.coffer.appliance.services.sweep.run();
    expect(rowsIn(stage.coffer.dataDir, "SELECT 1 FROM webhook WHERE id = ?", id)).toEqual([]);
  });

  test("whose secret cannot be read any more is disabled, and the secret is nowhere in the database", async () => {
    const { own, id, secret } = await hooked();
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
    for (const file of ["coffer.db", "coffer.db-wal"]) {
      const stored = readFileSync(join(stage.coffer.dataDir, file));
      expect([stored.includes(bytes), stored.includes(secret)]).toEqual([false, false]);
    }
    changeDatabase(stage.coffer.dataDir, `UPDATE webhook SET secret = x'00' WHERE id = '${id}'`);
    await put(own, "a.txt");
    const path = `/v0/webhooks/${id}`;
    await eventually(async () => (await own.client.get<WebhookRecord>(path)).disabled_at !== null);
    expect(receiver.received).toEqual([]);
  });
});
