import { expect, test } from "bun:test";
import { NO_PROMETHEUS, Prometheus } from "../../support/peers/prometheus.ts";
import { newContent } from "../../support/samples/contents.ts";
import { Client } from "../../support/server/client.ts";
import { serve } from "../../support/server/executable.ts";
import { EXPRESSIONS, RULES } from "../../support/server/monitoring.ts";
import { eventually } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";

const CLIENTS = 8;
/** How often each of them uploads, reads and searches. */
const ROUNDS = 60;
/** How often the metrics are read, in milliseconds. */
const SCRAPE_MS = 100;

const OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

/** Uploads, reads and searches, one after another, as an agent does. Returns how many requests it sent. */
async function work(url: string): Promise<number> {
  type Provisioned = { readonly data: Readonly<Record<"api_key" | "drive_id", string>> };
  const { data } = await new Client(url).post<Provisioned>("/v0/drives/provision", { name: "Load" });
  const client = new Client(url, data.api_key);
  const drive = data.drive_id;
  for (let n = 0; n < ROUNDS; n++) {
    const { id } = await client.put(drive, `${n}.bin`, newContent(n % 2 === 0 ? 100 : 40_000));
    await client.fetch("GET", `/v0/files/${id}/download`).then((answer) => answer.bytes());
    await client.get(`/v0/search?q=bin&drive_id=${drive}`);
  }
  return 1 + 3 * ROUNDS;
}

interface Scraped {
  readonly isOpenMetrics: boolean;
  /** The value of each series that only grows. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Reads the metrics, and checks that they are whole. */
async function scrapeOnce(url: string, isOpenMetrics: boolean): Promise<Scraped> {
  const response = await fetch(`${url}/metrics`, {
    headers: { accept: isOpenMetrics ? OPEN_METRICS : "text/plain" },
  });
  const text = await response.text();
  expect([response.status, text.endsWith("\n# EOF\n")]).toEqual([200, isOpenMetrics]);
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, series = "", value] = /^(\w+_(?:total|bucket|sum|count)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (series !== "") counts.set(series.replace(/le="(\d+)\.0"/, 'le="$1"'), Number(value));
  }
  return { isOpenMetrics, counts };
}

test("metrics are whole, and only grow, while clients are busy", async () => {
  await using server = await serve();
  const { url } = server;
  const done = new AbortController();
  const working = Promise.all(Array.from({ length: CLIENTS }, () => work(url))).finally(() => done.abort());
  const scrapes: Scraped[] = [];
  while (!done.signal.aborted) {
    scrapes.push(await scrapeOnce(url, scrapes.length % 2 === 0));
    await Bun.sleep(SCRAPE_MS);
  }
  const sent = (await working).reduce((sum, count) => sum + count, 0);
  const last = await scrapeOnce(url, false);
  scrapes.push(last);
  expect(scrapes.length).toBeGreaterThan(5);
  for (const [at, { counts }] of scrapes.slice(1).entries()) {
    for (const [series, before] of scrapes[at]?.counts ?? [])
      expect([series, (counts.get(series) ?? -1) >= before]).toEqual([series, true]);
  }
  const answered = Array.from(last.counts).filter(([series]) =>
    /^coffer_http_requests_total\{.*route="\/v0/.test(series),
  );
  expect(answered.reduce((sum, [, count]) => sum + count, 0)).toBe(sent);
  expect(last.counts.get("coffer_content_sync_duration_seconds_count")).toBe((CLIENTS * ROUNDS) / 2);
});

test.skipIf(NO_PROMETHEUS !== "")(
  withReason("Prometheus reads them, and evaluates the alerts and the dashboard", NO_PROMETHEUS),
  async () => {
    await using server = await serve();
    const { url } = server;
    await using prometheus = await Prometheus.start({ target: new URL(url).host, rules: RULES });
    await Promise.all(Array.from({ length: CLIENTS }, () => work(url)));
    await eventually(async () =>
      [...(await prometheus.query("sum(rate(coffer_http_requests_total[1m]))")).values()].some(
        (rate) => rate > 0,
      ),
    );
    expect([...(await prometheus.query('up{job="coffer"}')).values()]).toEqual([1]);
    await eventually(async () => (await prometheus.rules()).every(({ health }) => health !== "unknown"));
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    expect(rules.filter(({ state }) => state === "firing").map(({ name }) => name)).toEqual([]);
    let answered = 0;
    for (const expression of EXPRESSIONS) if ((await prometheus.query(expression)).size > 0) answered += 1;
    // The others are about what this server has not: webhooks, a bucket, backups.
    expect(answered).toBeGreaterThan(EXPRESSIONS.length / 2);
  },
);
