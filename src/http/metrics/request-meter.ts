import { DURATIONS, Histogram } from "../../process/histogram.ts";
import type { RouteName } from "../gate/request-context.ts";

/** What was answered by one route, or by none, since the start. */
export interface RouteFigures {
  readonly route: RouteName | null;
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Until the response was handed over, in seconds; its stream may have run for longer. */
  readonly durations: Histogram;
}

/** Counts answers. However many are asked for, and by what methods and paths, there is one meter for each route. */
export class RequestMeter {
  readonly #routes = new Map<RouteName | null, { statuses: Map<number, number>; durations: Histogram }>();

  /** @param route null if no route was found, or the request was refused before */
  count(route: RouteName | null, status: number, seconds: number): void {
    let meter = this.#routes.get(route);
    if (meter === undefined) {
      meter = { statuses: new Map(), durations: new Histogram(DURATIONS) };
      this.#routes.set(route, meter);
    }
    meter.statuses.set(status, (meter.statuses.get(status) ?? 0) + 1);
    meter.durations.observe(seconds);
  }

  /** Of the routes that were asked for. */
  figures(): RouteFigures[] {
    return Array.from(this.#routes, ([route, meter]) => ({ route, ...meter }));
  }
}
