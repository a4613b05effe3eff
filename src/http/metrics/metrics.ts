import { once } from "../../domain/once.ts";
import { wantsOpenMetrics } from "../content/negotiation.ts";
import type { Route } from "../operation/route.ts";
import type { ExpositionOptions } from "./exposition.ts";
import { watcherCheck, type WatcherOptions } from "./watcher.ts";

export type MetricsOptions = ExpositionOptions & WatcherOptions;

/** `/metrics`, for Prometheus. */
export function metrics(options: MetricsOptions): Route {
  const requireWatcher = watcherCheck(options);
  // Most servers are never asked.
  const load = once(async () => {
    const { Exposition } = await import("./exposition.ts");
    return new Exposition(options);
  });
  return {
    method: "GET",
    path: "/metrics",
    answer: async ({ request }, { peer }) => {
      requireWatcher(request, peer);
      const exposition = await load();
      return exposition.answer(wantsOpenMetrics(request.headers.get("accept")));
    },
  };
}
