import { createLog } from "../../../src/process/log.ts";
import type { Posted } from "../../../src/tracing/collector.ts";
import { Exporter } from "../../../src/tracing/exporter.ts";
import { Sampler } from "../../../src/tracing/sampler.ts";
import { Tracer } from "../../../src/tracing/tracer.ts";
import type { CollectedSpan } from "../peers/trace-collector.ts";
import { FakeClock } from "./fake-clock.ts";

const TAKEN: Posted = { kind: "taken", rejected: 0, why: "" };

/** A tracer whose spans come into a list, once it is stopped. */
export function openRecordedTracer({ perSecond = 100 } = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ format: "json", clock, write: (line) => void lines.push(line) });
  const spans: CollectedSpan[] = [];
  const post = (body: string) => {
    spans.push(...JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
    return Promise.resolve(TAKEN);
  };
  const exporter = new Exporter({
    collector: { post },
    teller: { resource: { "service.name": "test" }, version: "1.2.3" },
    log,
  });
  const sampler = new Sampler({ clock, isParentBased: true, ratio: 1, perSecond });
  return { clock, lines, log, spans, tracer: new Tracer({ sampler, exporter, clock }) };
}
