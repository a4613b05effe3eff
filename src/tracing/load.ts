import type { TraceSettings } from "../config/traces.ts";
import type { TracerOptions } from "./open.ts";
import type { Tracer } from "./tracer.ts";

/** What records traces; null if none are sent. Then nothing of it is loaded. */
export async function loadTracer(
  options: Omit<TracerOptions, "settings"> & { readonly settings: TraceSettings | null },
): Promise<Tracer | null> {
  const { settings } = options;
  if (settings === null) return null;
  const { openTracer } = await import("./open.ts");
  return openTracer({ ...options, settings });
}
