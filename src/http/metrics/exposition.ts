import { setImmediate as nextTurn } from "node:timers/promises";
import type { SteadyClock } from "../../process/clock.ts";
import { LoopDelay } from "../../process/loop-delay.ts";
import { processFigures } from "../../process/process-figures.ts";
import type { Figures } from "../../services/upkeep/server-figures.ts";
import { families } from "./families.ts";
import { linesOf } from "./family.ts";
import type { RequestMeter } from "./request-meter.ts";

/** How long others wait for a part of the text, in milliseconds. */
const TURN_MS = 1;

const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export interface ExpositionOptions {
  readonly clock: SteadyClock;
  readonly version: string;
  readonly requests: RequestMeter;
  /** Rejects if the database or the disk does not answer. */
  readonly figures: () => Promise<Figures>;
}

/** What Prometheus is answered. */
export class Exposition {
  readonly #options: ExpositionOptions;
  readonly #process: ReturnType<typeof processFigures>;
  readonly #delay: LoopDelay;

  constructor(options: ExpositionOptions) {
    this.#options = options;
    this.#process = processFigures(options.clock);
    this.#delay = new LoopDelay(options.clock);
  }

  /** All metrics, in the text format 0.0.4, or in OpenMetrics 1.0. */
  async answer(isOpenMetrics: boolean): Promise<Response> {
    const { figures, requests, version } = this.#options;
    const told = {
      ...(await figures()),
      process: await this.#process(),
      loopDelay: this.#delay.seconds,
      requests: requests.figures(),
      version,
    };
    let text = "";
    let turn = performance.now();
    for (const family of families(told)) {
      for (const lines of linesOf(family, isOpenMetrics)) {
        text += lines;
        if (performance.now() - turn < TURN_MS) continue;
        await nextTurn();
        turn = performance.now();
      }
    }
    const headers = { "content-type": isOpenMetrics ? OPEN_METRICS : TEXT, "cache-control": "no-store" };
    return new Response(isOpenMetrics ? `${text}# EOF\n` : text, { headers });
  }
}
