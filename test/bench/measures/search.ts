import { quantile } from "../figures.ts";
import { sendForJson } from "../load.ts";
import type { Run } from "../run.ts";
import type { Sizes } from "../sizes.ts";
import type { Measure } from "../table.ts";
import { EVERYWHERE, OFTEN, rareWord, TAG, type TextDrive } from "./text-drive.ts";

/** No kind of search is measured for longer than this. */
const MOST_MS = 10_000;

/** What is searched for, the n-th time. */
interface Question {
  readonly name: string;
  readonly query: (n: number) => string;
}

const QUESTIONS: readonly Question[] = [
  { name: "a rare word", query: (n) => `q=${rareWord(n)}` },
  { name: "a word in every file", query: () => `q=${EVERYWHERE}` },
  { name: "two words, each in half of the files", query: () => `q=${OFTEN.join("+")}` },
  { name: "a prefix of two letters", query: () => "q=ka" },
  { name: "a tag, in a tenth of the files", query: () => `tags=${TAG}` },
];

/** The lines about search, for so many files. */
export function searchMeasures({ texts }: Sizes) {
  const head = `search, ${texts.toLocaleString("en-US")} text files`;
  return QUESTIONS.map(({ name, query }) => ({
    query,
    p50: { name: `${head}: ${name}, p50 in ms`, reach: { atMost: 25 } } satisfies Measure,
    p99: { name: `${head}: ${name}, p99 in ms`, reach: { atMost: 80 } } satisfies Measure,
  }));
}

export type SearchMeasures = ReturnType<typeof searchMeasures>;

/** Asks each question often, one after the other. */
export async function measureSearch(
  { sizes, results }: Run,
  drive: TextDrive,
  measures: SearchMeasures,
): Promise<void> {
  for (const { query, p50, p99 } of measures) {
    const times: number[] = [];
    const until = performance.now() + MOST_MS;
    for (let n = 0; n < sizes.searches && performance.now() < until; n += 1) {
      const since = performance.now();
      await find(drive, query(n));
      times.push(performance.now() - since);
    }
    results.add(p50, "Coffer", quantile(times, 0.5));
    results.add(p99, "Coffer", quantile(times, 0.99));
  }
}

/** Eight callers ask all questions again and again. */
export async function searchTogether({ sizes }: Run, drive: TextDrive): Promise<void> {
  const until = performance.now() + sizes.searchers * 1000;
  await Promise.all(
    Array.from({ length: 8 }, async (_, searcher) => {
      for (let n = searcher; performance.now() < until; n += 1) {
        await find(drive, QUESTIONS[n % QUESTIONS.length]?.query(n) ?? "");
      }
    }),
  );
}

/** How many files a search finds. */
export async function find({ url, drive, headers }: TextDrive, query: string): Promise<number> {
  const target = `/v0/search?drive_id=${drive}&limit=20&${query}`;
  return (await sendForJson<{ total: number }>(url, { method: "GET", target, headers })).total;
}
