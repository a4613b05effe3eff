import { expect, test } from "bun:test";
import { RawClient } from "../raw-client.ts";
import { startStub } from "../stub-app.ts";
import { valuesOf } from "../../support/peers/trace-collector.ts";
import { openRecordedTracer } from "../../support/server/recorded-tracer.ts";

test("a request that the server fails has failed, and one that it refuses has not", async () => {
  const { tracer, spans } = openRecordedTracer();
  await using stub = startStub({ tracer });
  for (const path of ["1/fails/throws", "1/fails/rejects", "1/fails/refuses", "missing"])
    await stub.send(`/v0/things/${path}`).then((answer) => answer.bytes());
  await tracer.stop();
  const fails = "GET /v0/things/:id/fails/:how";
  expect(spans.map((span) => [span.name, span.status?.code, valuesOf(span)["error.type"]])).toEqual([
    [fails, 2, "500"],
    [fails, 2, "500"],
    [fails, 2, "507"],
    ["GET /v0/things/:id", undefined, undefined],
  ]);
  expect(JSON.stringify(spans)).not.toContain("secret detail");
});

test("a method that is not among the usual ones has no name", async () => {
  const { tracer, spans } = openRecordedTracer();
  await using stub = startStub({ tracer });
  using client = await RawClient.to(Number(new URL(stub.url).port));
  await client.write("PROPFIND /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await client.until(/$^/);
  await tracer.stop();
  expect(JSON.stringify(spans)).not.toContain("PROPFIND");
});
