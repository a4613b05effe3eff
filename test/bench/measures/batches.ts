import { serveSilently, signUp } from "../../support/server/executable.ts";
import { time } from "../figures.ts";
import { type Call, latencies, send } from "../load.ts";
import { storeOf } from "../peers/coffer.ts";
import type { Group } from "../run.ts";

const FILES = 1000;
const TEXT = "x".repeat(4096 - 6);

const AT_ONCE = {
  name: "1,000 files of 4 KiB in one request, files a second",
  reach: { atLeast: 1000 },
} as const;
const ONE_BY_ONE = { name: "The same, one request after another, files a second" } as const;
const LONGEST = {
  name: "Longest 1 KiB download while 1,000 files come in one request, ms",
  reach: { atMost: 50 },
} as const;

/** How fast many small files are written, with one request and with many, and what readers notice of it. */
export const batches: Group = {
  measures: [AT_ONCE, ONE_BY_ONE, LONGEST],
  measure: async (run) => {
    await using server = await serveSilently({ dataDir: run.newPath() });
    const agent = await signUp(server, "ada");
    const { upload, store } = storeOf(server, agent);
    const download = await store("1k.bin", crypto.getRandomValues(new Uint8Array(1024)));
    const batch = (round: number): Call => ({
      method: "POST",
      target: `/v0/files/batch?drive_id=${agent.drive}&prefix=round-${round}`,
      headers: { authorization: `Bearer ${agent.key}`, "content-type": "application/jsonl" },
      body: numbered(round)
        .map(([path, text]) => JSON.stringify({ path, text }))
        .join("\n"),
    });
    // The first warms up.
    await send(server.url, batch(-1));
    for (let round = 0; round < run.sizes.rounds; round += 1) {
      run.results.add(AT_ONCE, "Coffer", FILES / ((await time(() => send(server.url, batch(round)))) / 1000));
      const single = await time(async () => {
        for (const [path, text] of numbered(round + 1000))
          await send(server.url, upload(`single-${round}/${path}`, Uint8Array.from(Buffer.from(text))));
      });
      run.results.add(ONE_BY_ONE, "Coffer", FILES / (single / 1000));
      let isOver = false;
      const written = send(server.url, batch(round + 2000)).finally(() => {
        isOver = true;
      });
      const [, waits] = await Promise.all([written, latencies(server.url, download, () => isOver)]);
      run.results.add(LONGEST, "Coffer", Math.max(...waits));
    }
  },
};

/** Files with contents that no other round has. */
function numbered(round: number): (readonly [path: string, text: string])[] {
  return Array.from({ length: FILES }, (_, n) => {
    const number = String(round * FILES + n).padStart(6, "0");
    return [`${n % 10}/${number}.txt`, TEXT + number] as const;
  });
}
