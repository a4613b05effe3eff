import { type Agent, serveSilently, signUp } from "../../support/server/executable.ts";
import { quantile, time } from "../figures.ts";
import { latencies, overAfter } from "../load.ts";
import { memoryOf } from "../processes.ts";
import type { Group, Run } from "../run.ts";
import type { Sizes } from "../sizes.ts";
import { EVERYWHERE, FOLDER, OFTEN, ownWord, rareWord, TAG, uploadTexts } from "./text-drive.ts";

/** How many files are looked for to see whether all are indexed. */
const PROBES = 50;
/** No kind of search is measured for longer than this. */
const MOST_MS = 10_000;
const UNNOTICED = { atMost: 20 };

/** What is searched for, the n-th time. */
const QUESTIONS: readonly (readonly [name: string, query: (n: number) => string])[] = [
  ["a rare word", (n) => `q=${rareWord(n)}`],
  ["a word in every file", () => `q=${EVERYWHERE}`],
  ["two words, each in half of the files", () => `q=${OFTEN.join("+")}`],
  ["a prefix of two letters", () => "q=ka"],
  ["a tag, in a tenth of the files", () => `tags=${TAG}`],
];

/** A drive with many text files: how it is indexed and searched, what it takes, and how a folder goes. */
export function largeDrive(sizes: Sizes): Group {
  const files = sizes.texts.toLocaleString("en-US");
  const rate = { name: `uploads of ${files} text files of 120 words a second, 16 clients` };
  const lag = { name: "indexing of these files, seconds behind their upload", reach: { atMost: 1 } };
  const resident = {
    name: `memory after ${files} uploads, their indexing and eight searchers at once, MB`,
    reach: { atMost: 150 },
  };
  const searches = QUESTIONS.map(([name, query]) => {
    const head = `search, ${files} text files: ${name}`;
    const p50 = { name: `${head}, p50 in ms`, reach: { atMost: 25 } };
    return { query, p50, p99: { name: `${head}, p99 in ms`, reach: { atMost: 80 } } };
  });
  const wait = "longest wait of a 1 KiB download, ms";
  const half = (sizes.texts / 2).toLocaleString("en-US");
  const idle = { name: `${wait}: nothing else going on for ${sizes.seconds} s` };
  const during = { name: `${wait}: while a folder of ${half} files is deleted`, reach: UNNOTICED };
  const after = { name: `${wait}: in the ${sizes.aftermath} s after it`, reach: UNNOTICED };
  const back = { name: `${wait}: while it comes back from the trash`, reach: UNNOTICED };

  /** Asks each question often, one after the other. */
  const search = async ({ results }: Run, agent: Agent) => {
    for (const { query, p50, p99 } of searches) {
      const times: number[] = [];
      const isOver = overAfter(MOST_MS / 1000);
      for (let n = 0; n < sizes.searches && !isOver(); n += 1) {
        times.push(await time(() => find(agent, query(n))));
      }
      results.add(p50, "Coffer", quantile(times, 0.5));
      results.add(p99, "Coffer", quantile(times, 0.99));
    }
  };

  /** Deletes the folder, and restores it at the end, while a small file is downloaded again and again. */
  const remove = async ({ results }: Run, url: string, { client, key, drive }: Agent) => {
    const { id } = await client.put(drive, "1k.bin", crypto.getRandomValues(new Uint8Array(1024)));
    const headers = { authorization: `Bearer ${key}` };
    const download = { method: "GET", target: `/v0/files/${id}/download`, headers };
    const longest = async (isOver: () => boolean) => {
      // The garbage of this process is collected now and not while it waits.
      Bun.gc(true);
      return (await latencies(url, download, isOver)).reduce((most, ms) => Math.max(most, ms), 0);
    };
    const longestWhile = async <T>(request: Promise<T>): Promise<readonly [wait: number, answer: T]> => {
      let isOver = false;
      const answer = request.finally(() => {
        isOver = true;
      });
      return Promise.all([longest(() => isOver), answer]);
    };
    await longest(overAfter(1));
    results.add(idle, "Coffer", await longest(overAfter(sizes.seconds)));
    const folder = { drive_id: drive, path: FOLDER, confirm: true };
    const deletion = client.delete<{ trash_id: string }>("/v0/folders", folder);
    const [waitDuring, { trash_id: entry }] = await longestWhile(deletion);
    results.add(during, "Coffer", waitDuring);
    results.add(after, "Coffer", await longest(overAfter(sizes.aftermath)));
    const [waitBack] = await longestWhile(client.post(`/v0/trash/${entry}/restore`, {}, 200));
    results.add(back, "Coffer", waitBack);
  };

  return {
    measures: [
      rate,
      lag,
      ...searches.flatMap(({ p50, p99 }) => [p50, p99]),
      resident,
      idle,
      during,
      after,
      back,
    ],
    measure: async (run) => {
      const { results } = run;
      await using server = await serveSilently({ dataDir: run.newPath() });
      const agent = await signUp(server, "ada");
      const ms = await time(() => uploadTexts(server.url, agent, sizes.texts));
      results.add(rate, "Coffer", sizes.texts / (ms / 1000));
      results.add(lag, "Coffer", (await time(() => untilIndexed(agent, sizes.texts))) / 1000);
      await search(run, agent);
      await searchTogether(agent, overAfter(sizes.searchers));
      await Bun.sleep(2000);
      results.add(resident, "Coffer", memoryOf(server.pid, "VmRSS"));
      await remove(run, server.url, agent);
    },
  };
}

/** Waits until files from the whole drive are found by their texts. */
async function untilIndexed(agent: Agent, texts: number): Promise<void> {
  const probes = Array.from({ length: PROBES }, (_, n) => Math.floor(((n + 1) * texts) / PROBES) - 1);
  for (const n of probes.toReversed()) {
    while ((await find(agent, `q=${ownWord(n)}`)) === 0) await Bun.sleep(20);
  }
}

/** Eight callers ask all questions again and again. */
async function searchTogether(agent: Agent, isOver: () => boolean): Promise<void> {
  await Promise.all(
    Array.from({ length: 8 }, async (_, searcher) => {
      for (let n = searcher; !isOver(); n += 1)
        await find(agent, QUESTIONS[n % QUESTIONS.length]?.[1](n) ?? "");
    }),
  );
}

/** How many files a search finds. */
async function find({ client, drive }: Agent, query: string): Promise<number> {
  return (await client.get<{ total: number }>(`/v0/search?drive_id=${drive}&limit=20&${query}`)).total;
}
