import { expect, test } from "bun:test";
import { connectMcp } from "../../support/peers/mcp.ts";
import { Receiver } from "../../support/peers/receiver.ts";
import { S3Server } from "../../support/peers/s3-server.ts";
import { type CollectedSpan, TraceCollector, valuesOf } from "../../support/peers/trace-collector.ts";
import { newContent } from "../../support/samples/contents.ts";
import { png } from "../../support/samples/pictures.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { scrape } from "../../support/server/metrics.ts";
import { provision } from "../../support/server/scenario.ts";

/** A Coffer that sends its traces to a collector. */
async function startTraced(settings: Record<string, string> = {}, more: Record<string, string> = {}) {
  const collector = new TraceCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more };
  const coffer = await startAppliance({ "webhook-addresses": "127.0.0.1", ...settings }, { env });
  return {
    coffer,
    collector,
    /** All spans, after the server has ended. */
    spans: async () => {
      await coffer.close();
      return collector.spans;
    },
    [Symbol.asyncDispose]: async () => {
      await coffer[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
    },
  };
}

/** The names of what is in a span, in the order in which it began, and of what is in that. */
function below(spans: readonly CollectedSpan[], { spanId }: CollectedSpan): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === spanId)
    .toSorted((a, b) => a.startTimeUnixNano.localeCompare(b.startTimeUnixNano))
    .map((span) => {
      const inner = below(spans, span);
      return inner.length === 0 ? span.name : [span.name, ...inner];
    });
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join()}`);
  return found;
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

test("a request is a span by its route, and what takes long in it is below", async () => {
  await using traced = await startTraced({ "base-url": "https://drive.example" });
  const { coffer } = traced;
  const { id: drive, key } = await provision(coffer);
  const client = coffer.client(key);
  const { id } = await client.put(drive, "secret-name.bin", newContent(2_000_000));
  await client.fetch("GET", `/v0/files/${id}/download`).then((answer) => answer.bytes());
  // The first one may have to bring the index up to date.
  for (const _ of ["first", "second"]) await client.get(`/v0/search?q=secret&drive_id=${drive}`);
  const { id: picture } = await client.put(drive, "a.png", png(300, 300));
  await client.fetch("GET", `/v0/files/${picture}/thumbnail`).then((answer) => answer.bytes());
  await client.status("HEAD", "/v0/secret-path");
  const spans = await traced.spans();

  const put = named(spans, "PUT /v0/files");
  expect(below(spans, put)).toEqual(["blob sync", "database write"]);
  expect(valuesOf(put)).toMatchObject({
    "http.request.method": "PUT",
    "http.response.status_code": 201,
    "http.route": "/v0/files",
    "server.address": "drive.example",
  });
  expect(valuesOf(put)["coffer.request_id"]).toMatch(/^[\da-f-]{36}$/);
  expect(String(valuesOf(put)["coffer.key_id"])).not.toBe("");
  expect([put.kind, put.parentSpanId, put.status]).toEqual([2, undefined, undefined]);
  const sync = spans.find(({ name, parentSpanId }) => name === "blob sync" && parentSpanId === put.spanId);
  expect(valuesOf(sync ?? put)).toEqual({ "coffer.content.size": 2_000_000 });
  const write = spans.find(
    ({ name, parentSpanId }) => name === "database write" && parentSpanId === put.spanId,
  );
  expect(write?.events?.map(({ name }) => name)).toEqual(["transaction"]);

  expect(below(spans, named(spans, "GET /v0/files/:id/download"))).toEqual(["blob read"]);
  const second = spans.findLast(({ name }) => name === "GET /v0/search");
  expect(below(spans, second ?? put)).toEqual(["search"]);
  expect(below(spans, named(spans, "GET /v0/files/:id/thumbnail"))).toContain("draw-thumbnail");
  const lost = named(spans, "HEAD");
  expect(valuesOf(lost)["http.route"]).toBeUndefined();
  expect(valuesOf(lost)["http.response.status_code"]).toBe(404);
  const told = traced.collector.requests.map(({ text }) => text).join("");
  for (const secret of [key, "secret-name", "secret-path"]) expect(told).not.toContain(secret);
  expect(traced.collector.resource).toMatchObject({ "service.name": "coffer" });
});

test("a request goes on with the trace that it brings, and the log says which", async () => {
  await using traced = await startTraced();
  const { coffer } = traced;
  const headers = (flags: string) => ({ traceparent: `00-${TRACE}-${CALLER}-${flags}` });
  await coffer.client().send("GET", "/healthz", { headers: headers("01") });
  await coffer.client().send("GET", "/docs/openapi.json", { headers: headers("00") });
  await coffer.client().send("GET", "/readyz", { headers: { traceparent: `00-${TRACE}-${CALLER}-01-` } });
  const spans = await traced.spans();
  const health = named(spans, "GET /healthz");
  expect([health.traceId, health.parentSpanId]).toEqual([TRACE, CALLER]);
  expect(spans.map(({ name }) => name)).toEqual(["GET /healthz", "GET /readyz"]);
  expect(named(spans, "GET /readyz").traceId).not.toBe(TRACE);
  expect(valuesOf(health)["server.address"]).toBeUndefined();
  const lines = coffer.lines.map((line): Record<string, unknown> => JSON.parse(line));
  const requests = lines.filter(({ message }) => message === "request");
  expect(requests.map(({ trace_id, span_id }) => [trace_id, span_id])).toEqual([
    [TRACE, health.spanId],
    [undefined, undefined],
    [named(spans, "GET /readyz").traceId, named(spans, "GET /readyz").spanId],
  ]);
});

test("a call of a tool is a span, by a name that callers cannot choose", async () => {
  await using traced = await startTraced();
  const { coffer } = traced;
  const { key } = await provision(coffer);
  {
    await using agent = await connectMcp(coffer.appliance.url, key);
    await agent.get("list_drives");
    await agent.client.callTool({ name: "made-up", arguments: {} }).catch(() => {});
  }
  const spans = await traced.spans();
  const call = named(spans, "tools/call list_drives");
  const request = spans.find(({ spanId }) => spanId === call.parentSpanId);
  expect([request?.name, valuesOf(request ?? call)["coffer.mcp.call"]]).toEqual([
    "POST /mcp",
    "tools/call list_drives",
  ]);
  expect(JSON.stringify(spans)).not.toContain("made-up");
});

test("a message to a webhook is a trace of its own, which it brings along", async () => {
  await using traced = await startTraced();
  await using receiver = new Receiver();
  const { coffer } = traced;
  const { id: drive, key } = await provision(coffer);
  const client = coffer.client(key);
  await client.post("/v0/webhooks", { url: receiver.url("/secret-hook"), events: ["file.created"] });
  await client.put(drive, "a", "a");
  await receiver.first(1);
  receiver.answer = () => new Response(null, { status: 500 });
  await client.put(drive, "b", "b");
  await receiver.first(2);
  const spans = await traced.spans();
  const deliveries = spans.filter(({ name }) => name === "webhook delivery");
  expect(deliveries.map((span) => [span.kind, span.parentSpanId, span.status?.code])).toEqual([
    [3, undefined, undefined],
    [3, undefined, 2],
  ]);
  expect(receiver.received.map(({ headers }) => headers.get("traceparent"))).toEqual(
    deliveries.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
  expect(JSON.stringify(spans)).not.toContain("secret-hook");
});

test("requests to a bucket are spans, and the bucket is told nothing of them", async () => {
  await using bucket = await S3Server.start("a-bucket", { clock: new FakeClock() });
  await using traced = await startTraced({ blobs: "s3://a-bucket/one" }, bucket.env);
  const { coffer } = traced;
  const { id: drive, key } = await provision(coffer);
  await coffer.client(key).put(drive, "a.bin", newContent(100_000));
  const spans = await traced.spans();
  const put = named(spans, "s3 PUT");
  expect(put.kind).toBe(3);
  const sync = spans.find(({ spanId }) => spanId === put.parentSpanId);
  expect([sync?.name, below(spans, named(spans, "PUT /v0/files"))[0]]).toEqual([
    "blob sync",
    ["blob sync", ...below(spans, sync ?? put)],
  ]);
});

test("a collector that refuses spans fails no request, and the log says so", async () => {
  await using traced = await startTraced();
  const { coffer, collector } = traced;
  collector.answer = () => new Response(null, { status: 400 });
  const { key } = await provision(coffer);
  expect((await scrape(coffer)).get('coffer_trace_spans_total{outcome="sent"}')).toBe(0);
  await coffer.close();
  expect(coffer.lines.join("\n")).toContain("it answered 400");
  expect(coffer.lines.join("\n")).not.toContain(key);
});

test("nothing is counted where no traces are sent", async () => {
  await using coffer = await startAppliance();
  const names = [...(await scrape(coffer)).keys()];
  expect(names.filter((name) => name.startsWith("coffer_trace_spans"))).toEqual([]);
});
