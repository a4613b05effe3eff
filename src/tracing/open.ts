import type { SteadyClock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { TraceSettings } from "../config/traces.ts";
import { Collector } from "./collector.ts";
import { Exporter } from "./exporter.ts";
import { Sampler } from "./sampler.ts";
import { Tracer } from "./tracer.ts";

/** What a tracer needs. */
export interface TracerOptions {
  readonly settings: TraceSettings;
  readonly clock: SteadyClock;
  readonly log: Log;
  /** Of the program. */
  readonly version: string;
}

/** Makes what records traces and sends them. Stop it. */
export function openTracer({ settings, clock, log, version }: TracerOptions): Tracer {
  const collector = new Collector({ ...settings.collector, clock });
  const exporter = new Exporter({ collector, teller: { resource: settings.resource, version }, log });
  return new Tracer({ sampler: new Sampler({ ...settings.sampling, clock }), exporter, clock });
}
