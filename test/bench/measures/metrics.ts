import { RequestMeter } from "../../../src/http/metrics/request-meter.ts";
import { startStub } from "../../http/stub-app.ts";
import { median } from "../figures.ts";
import type { Group } from "../run.ts";

const SHARE = {
  name: "what counting a request takes of the least that one costs without its connection, %",
  reach: { atMost: 1 },
} as const;

/** So short that other work on the machine slows both down, or neither. */
const SLICE = { requests: 100, counts: 20_000 };
const SLICES = 50;
const ROUTES = 170;

/** What the figures for Prometheus take of requests: in this process, in turns with requests that do next to nothing. */
export const metrics: Group = {
  measures: [SHARE],
  measure: async ({ sizes, results }) => {
    await using app = startStub();
    const connections = { requestIP: () => null, timeout: () => {} };
    const headers = { authorization: "Bearer team" };
    const answer = async () => {
      const response = await app.handler(new Request("http://localhost/v0/things", { headers }), connections);
      await response.text();
    };
    const meter = new RequestMeter();
    const routes = Array.from({ length: ROUTES }, (_, n) => ({ method: "GET", path: `/v0/things/${n}` }));
    const count = (n: number) => {
      const route = routes[(n * 7919) % ROUTES];
      meter.count(route ?? null, 200 + (n % 4), (n % 997) / 10_000);
    };
    for (let round = 0; round <= sizes.rounds; round += 1) {
      const shares: number[] = [];
      for (let slice = 0; slice < SLICES; slice += 1) {
        const began = performance.now();
        for (let n = 0; n < SLICE.requests; n += 1) await answer();
        const between = performance.now();
        for (let n = 0; n < SLICE.counts; n += 1) count(n);
        const ofRequest = (between - began) / SLICE.requests;
        shares.push((100 * (performance.now() - between)) / SLICE.counts / ofRequest);
      }
      // The first round is compiled meanwhile.
      if (round > 0) results.add(SHARE, "Coffer", median(shares));
    }
  },
};
