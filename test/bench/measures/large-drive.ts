import { serveSilently, signUp } from "../../support/server/executable.ts";
import { time } from "../figures.ts";
import { memoryOf } from "../processes.ts";
import type { Group, Run } from "../run.ts";
import type { Sizes } from "../sizes.ts";
import { deletionMeasures, measureDeletion } from "./deletion.ts";
import { find, measureSearch, searchMeasures, searchTogether } from "./search.ts";
import { ownWord, type TextDrive, uploadTexts } from "./text-drive.ts";

/** How many files are looked for to see whether all are indexed. */
const PROBES = 50;

/** A drive with many text files: how it is indexed and searched, what it takes, and how a folder goes. */
export function largeDrive(sizes: Sizes): Group {
  const files = sizes.texts.toLocaleString("en-US");
  const rate = { name: `uploads of ${files} text files of 120 words a second, 16 clients` };
  const lag = { name: "indexing of these files, seconds behind their upload", reach: { atMost: 1 } };
  const resident = {
    name: `memory after ${files} uploads, their indexing and eight searchers at once, MB`,
    reach: { atMost: 150 },
  };
  const search = searchMeasures(sizes);
  const deletion = deletionMeasures(sizes);
  return {
    measures: [
      rate,
      lag,
      ...search.flatMap(({ p50, p99 }) => [p50, p99]),
      resident,
      deletion.idle,
      deletion.during,
      deletion.after,
      deletion.back,
    ],
    measure: async (run) => {
      const { results, newPath } = run;
      await using server = await serveSilently({ dataDir: newPath() });
      const agent = await signUp(server, "ada");
      const since = performance.now();
      const drive = await uploadTexts(server, agent, sizes.texts);
      results.add(rate, "Coffer", sizes.texts / ((performance.now() - since) / 1000));
      results.add(lag, "Coffer", (await time(() => untilIndexed(run, drive))) / 1000);
      await measureSearch(run, drive, search);
      await searchTogether(run, drive);
      await Bun.sleep(2000);
      results.add(resident, "Coffer", memoryOf(server.pid, "VmRSS"));
      await measureDeletion(run, drive, deletion);
    },
  };
}

/** Waits until files from the whole drive are found by their texts. */
async function untilIndexed({ sizes }: Run, drive: TextDrive): Promise<void> {
  const probes = Array.from({ length: PROBES }, (_, n) => Math.floor(((n + 1) * sizes.texts) / PROBES) - 1);
  for (const n of probes.toReversed()) {
    while ((await find(drive, `q=${ownWord(n)}`)) === 0) await Bun.sleep(20);
  }
}
