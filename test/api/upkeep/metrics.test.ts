import { afterAll, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/domain/time.ts";
import { RawClient } from "../../http/raw-client.ts";
import { EventReader } from "../../support/peers/event-reader.ts";
import { Receiver } from "../../support/peers/receiver.ts";
import { S3Server } from "../../support/peers/s3-server.ts";
import { newContent } from "../../support/samples/contents.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { grown, NO_PROMTOOL, promtool, scrape, scrapeText } from "../../support/server/metrics.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";

const TOKEN = "a-token-of-some-length";

const coffer = await startAppliance({ "webhook-addresses": "127.0.0.1" });
afterAll(() => coffer[Symbol.asyncDispose]());

describe("the text", () => {
  test("is what the client asks for", async () => {
    const types: readonly (readonly [accept: string, type: string])[] = [
      ["*/*", "text/plain; version=0.0.4; charset=utf-8"],
      ["text/plain;version=0.0.4", "text/plain; version=0.0.4; charset=utf-8"],
      ["application/openmetrics-text;q=0.4,text/plain;q=0.5", "text/plain; version=0.0.4; charset=utf-8"],
      [
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
      ],
    ];
    for (const [accept, type] of types) {
      const { status, headers, text } = await coffer
        .client()
        .send("GET", "/metrics", { headers: { accept } });
      expect([accept, status, headers.get("content-type")]).toEqual([accept, 200, type]);
      expect(text.endsWith("\n# EOF\n")).toBe(type.startsWith("application/"));
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test("describes each metric once, before its values, and has no series twice", async () => {
    const families = (await scrapeText(coffer)).split(/^(?=# HELP )/m);
    expect(families.length).toBeGreaterThan(40);
    const series: string[] = [];
    for (const text of families) {
      const [help = "", type = "", ...values] = text.trimEnd().split("\n");
      const [, name = ""] = /^# HELP (\w+) [A-Z][^"\\]+\.$/.exec(help) ?? [];
      expect(type).toMatch(new RegExp(`^# TYPE ${name} (?:counter|gauge|histogram)$`));
      for (const line of values) {
        expect(line).toMatch(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{.*\\})? [-+.\\deInf]+$`));
        series.push(line.slice(0, line.lastIndexOf(" ")));
      }
    }
    expect(new Set(series).size).toBe(series.length);
  });

  test.skipIf(NO_PROMTOOL !== "")(
    withReason("is what promtool takes, and named as it advises", NO_PROMTOOL),
    async () => {
      expect(promtool("metrics", await scrapeText(coffer))).toBe("");
    },
  );
});

describe("who may read it", () => {
  test("callers on this machine, unless something has passed their request on", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1" };
    const refused = await coffer.client().send("GET", "/metrics", { headers });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(refused.text).toContain("COFFER_METRICS_TOKEN");
    expect(await coffer.client().status("HEAD", "/metrics")).toBe(200);
    expect(await coffer.client().status("POST", "/metrics")).toBe(405);
  });

  test("with a token whoever sends it, and no key does instead", async () => {
    await using other = await startAppliance({}, { env: { COFFER_METRICS_TOKEN: TOKEN } });
    const { key } = await provision(other);
    expect(await other.client().status("GET", "/metrics")).toBe(401);
    expect(await other.client(key).status("GET", "/metrics")).toBe(401);
    expect(await other.client(TOKEN).status("GET", "/metrics")).toBe(200);
    const headers = { "x-forwarded-for": "192.0.2.1", host: "drive.example.com" };
    expect(await other.client(TOKEN).status("GET", "/metrics/", { headers })).toBe(200);
    expect(await other.client(TOKEN).status("GET", "/v0/drives")).toBe(401);
    expect(other.lines.join("\n")).not.toContain(TOKEN);
  });
});

describe("requests are counted", () => {
  test("by route, method and status, in time and bytes, and each piece of work", async () => {
    const before = await scrape(coffer);
    const { id: drive, key } = await provision(coffer);
    const client = coffer.client(key);
    const small = newContent(1000);
    const { id } = await client.put(drive, "a/one.txt", small);
    await client.put(drive, "b.bin", newContent(50_000));
    await client.fetch("GET", `/v0/files/${id}/download`).then((answer) => answer.bytes());
    for (const missing of ["x", "y", "z"]) await client.status("GET", `/v0/files/${missing}`);
    await client.get(`/v0/search?q=one&drive_id=${drive}`);
    await client.status("HEAD", `/v0/files/${id}`);
    await coffer.client("no-key").status("GET", "/v0/drives");
    const after = await scrape(coffer);
    const expected = {
      'coffer_http_requests_total{method="POST",route="/v0/drives/provision",code="201"}': 1,
      'coffer_http_requests_total{method="GET",route="/v0/files/:id/download",code="200"}': 1,
      'coffer_http_requests_total{method="GET",route="/v0/files/:id",code="404"}': 3,
      'coffer_http_requests_total{method="GET",route="/v0/files/:id",code="200"}': 1,
      'coffer_http_request_duration_seconds_count{method="GET",route="/v0/files/:id"}': 4,
      'coffer_http_request_duration_seconds_bucket{method="GET",route="/v0/files/:id",le="+Inf"}': 4,
      'coffer_http_requests_total{method="any",route="none",code="401"}': 1,
      'coffer_requests_refused_total{reason="unauthorized"}': 1,
      coffer_content_received_bytes_total: 51_000,
      coffer_content_sent_bytes_total: 1000,
      coffer_search_duration_seconds_count: 1,
      // The small one is a row.
      coffer_content_sync_duration_seconds_count: 1,
      coffer_drives: 1,
      coffer_files: 2,
      'coffer_storage_bytes{kind="files"}': 51_000,
      'coffer_storage_bytes{kind="versions"}': 0,
      'coffer_storage_bytes{kind="trash"}': 0,
      coffer_storage_kept_bytes: 0,
    };
    expect(grown(before, after, Object.keys(expected))).toEqual(expected);
    const writes = grown(before, after, [
      "coffer_database_commit_writes_sum",
      "coffer_database_sync_duration_seconds_count",
    ]);
    for (const count of Object.values(writes)) expect(count).toBeGreaterThanOrEqual(3);
    expect(
      grown(before, after, ["coffer_search_indexed_total"])["coffer_search_indexed_total"],
    ).toBeGreaterThanOrEqual(2);
    await client.json(200, "PUT", `/v0/files?drive_id=${drive}&path=b.bin`, { body: newContent(300) });
    await client.json(200, "DELETE", `/v0/files/${id}`);
    const kinds = ["files", "versions", "trash"].map((kind) => `coffer_storage_bytes{kind="${kind}"}`);
    const stored = grown(after, await scrape(coffer), [...kinds, "coffer_storage_kept_bytes"]);
    expect(Object.values(stored)).toEqual([300 - 51_000, 50_000, 1000, 51_000]);
  });

  test("in no more series, whatever is sent", async () => {
    const port = Number(new URL(coffer.appliance.url).port);
    const send = async (line: string, ...lines: readonly string[]) => {
      using client = await RawClient.to(port);
      await client.write([line, "Host: x", ...lines, "Connection: close", "", ""].join("\r\n"));
      await client.until(/$^/);
    };
    const hostile = (n: number) => {
      const word = `${n}-%22%7D%0A${"x".repeat(n)}`;
      return Promise.all([
        send(`GET /${word} HTTP/1.1`),
        send(`GET /v0/${word} HTTP/1.1`, `Authorization: Bearer ${word}`),
        send(`GET /s/${word} HTTP/1.1`, `User-Agent: ${word}`, `X-Request-Id: ${word}`),
        send(`GET /v0/presigned/${word} HTTP/1.1`),
        send(`M${n} /v0/files HTTP/1.1`),
        send(`M${n} /healthz HTTP/1.1`),
        send(`PATCH /docs/api/${word} HTTP/1.1`),
        send(`GET http://${word}/healthz HTTP/1.1`),
        send(`OPTIONS /v0/${word} HTTP/1.1`, "Origin: http://x", "Access-Control-Request-Method: GET"),
        send(`GET /%ff${word} HTTP/1.1`),
      ]);
    };
    await hostile(0);
    await scrape(coffer);
    const before = await scrape(coffer);
    for (let n = 1; n <= 10; n += 1) await hostile(n);
    const after = await scrape(coffer);
    expect([...after.keys()].filter((name) => !before.has(name))).toEqual([]);
    const none = grown(before, after, ['coffer_http_requests_total{method="any",route="none",code="404"}']);
    expect(Object.values(none)[0]).toBeGreaterThanOrEqual(10);
  });
});

test("a stream of changes counts while it is open", async () => {
  const { id: drive, key } = await provision(coffer);
  const streams = async () => (await scrape(coffer)).get("coffer_feed_streams");
  expect(await streams()).toBe(0);
  {
    await using reader = await EventReader.open(coffer.client(key), `drive_id=${drive}`);
    expect([reader.response.status, await streams()]).toEqual([200, 1]);
  }
  await eventually(async () => (await streams()) === 0);
});

test("messages to webhooks count by what came of them, and those that wait", async () => {
  await using receiver = new Receiver();
  const { id: drive, key } = await provision(coffer);
  const client = coffer.client(key);
  await client.post("/v0/webhooks", { url: receiver.url(), events: ["file.created"] });
  const before = await scrape(coffer);
  const outcomes = ["delivered", "postponed", "failed"].map(
    (outcome) => `coffer_webhook_attempts_total{outcome="${outcome}"}`,
  );
  const grow = async () => {
    const series = [...outcomes, "coffer_webhook_deliveries_waiting"];
    return Object.values(grown(before, await scrape(coffer), series));
  };
  await client.put(drive, "a", "a");
  await eventually(async () => (await grow())[0] === 1);
  receiver.answer = () => new Response(null, { status: 503 });
  await client.put(drive, "b", "b");
  await eventually(async () => (await grow())[1] === 1);
  expect(await grow()).toEqual([1, 1, 0, 1]);
  receiver.answer = () => new Response(null, { status: 410 });
  coffer.clock.advance(DAY_MS);
  coffer.appliance.services.webhookSender.pump();
  await eventually(async () => (await grow())[2] === 1);
});

test("the event loop is looked at from the first scrape on", async () => {
  await scrape(coffer);
  const looks = async () => (await scrape(coffer)).get("coffer_event_loop_delay_seconds_count") ?? 0;
  await eventually(async () => (await looks()) > 0);
});

test("a bucket tells what is asked of it, and what its cache saves", async () => {
  await using bucket = await S3Server.start("a-bucket", { clock: new FakeClock() });
  await using other = await startAppliance({ blobs: "s3://a-bucket/one" }, { env: bucket.env });
  const { id: drive, key } = await provision(other);
  const before = await scrape(other);
  const { id } = await other.client(key).put(drive, "a.bin", newContent(100_000));
  for (const _ of [1, 2]) {
    await other
      .client(key)
      .fetch("GET", `/v0/files/${id}/download`)
      .then((answer) => answer.bytes());
  }
  const after = await scrape(other);
  const expected = {
    'coffer_bucket_requests_total{operation="put",outcome="ok"}': 1,
    'coffer_bucket_requests_total{operation="put",outcome="failed"}': 0,
    coffer_bucket_retries_total: 0,
    coffer_bucket_circuit_open: 0,
    coffer_blob_cache_hits_total: 2,
    coffer_blob_cache_misses_total: 0,
    coffer_blob_cache_contents: 1,
    'coffer_disk_reachable{disk="s3://a-bucket/one"}': 0,
  };
  expect(grown(before, after, Object.keys(expected))).toEqual(expected);
  expect(after.get('coffer_disk_reachable{disk="s3://a-bucket/one"}')).toBe(1);
  expect(after.has("coffer_disk_free_bytes")).toBe(false);
});
