import { type Server, serveSilently, signUp } from "../../support/server/executable.ts";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { quantile } from "../figures.ts";
import { overAfter, latencies, rateOf, type RepeatedCall } from "../load.ts";
import { storeOf } from "../peers/coffer.ts";
import type { Group, Run } from "../run.ts";

const SLOW_WRITES = {
  name: "4 KiB uploads a second, 4 clients, every sync delayed by 20 ms",
  reach: { atLeast: 150 },
} as const;
const DOWNLOAD = "p99 of a 1 KiB download";
const IDLE = { name: `${DOWNLOAD}, nothing else going on, ms` } as const;
const WRITING = { name: `${DOWNLOAD} while 4 clients upload, ms` } as const;
const WRITING_RATIO = { name: `${DOWNLOAD} while 4 clients upload / idle`, reach: { atMost: 3 } } as const;
const SLOW = { name: `${DOWNLOAD} while 4 clients upload, every sync delayed by 20 ms, ms` } as const;
const SLOW_RATIO = {
  name: `${DOWNLOAD} while 4 clients upload, every sync delayed by 20 ms / idle`,
  reach: { atMost: 3 },
} as const;

/** Delays every sync of a server; it stays the process that is started. */
const DELAY = [
  "strace",
  "-qq",
  "--output=/dev/null",
  "--follow-forks",
  "--daemonize",
  // Other calls are not slowed down.
  "--seccomp-bpf",
  "--trace=fsync,fdatasync",
  "--inject=fsync,fdatasync:delay_exit=20000",
];

/** What readers notice of writers. */
export const interference: Group = {
  measures: [SLOW_WRITES, IDLE, WRITING, WRITING_RATIO, SLOW, SLOW_RATIO],
  measure: async (run) => {
    const { results } = run;
    await using asItIs = await serveSilently({ dataDir: run.newPath() });
    await using slow =
      NO_STRACE === "" ? await serveSilently({ dataDir: run.newPath(), wrapper: DELAY }) : null;
    if (slow === null) results.problem("every sync delayed", NO_STRACE);
    const fast = await readerOf(asItIs);
    const delayed = slow === null ? null : await readerOf(slow);
    for (let round = 0; round < run.sizes.rounds; round += 1) {
      const one = await readBeside(run, fast);
      results.add(IDLE, "Coffer", one.idle);
      results.add(WRITING, "Coffer", one.writing);
      results.add(WRITING_RATIO, "Coffer", one.writing / one.idle);
      if (delayed === null) continue;
      const other = await readBeside(run, delayed);
      results.add(SLOW_WRITES, "Coffer", other.uploads);
      results.add(SLOW, "Coffer", other.writing);
      results.add(SLOW_RATIO, "Coffer", other.writing / other.idle);
    }
  },
};

/** Somebody who downloads a small file again and again. */
interface Reader {
  readonly url: string;
  readonly download: RepeatedCall;
  readonly upload: RepeatedCall;
}

async function readerOf(server: Server): Promise<Reader> {
  const { smallUpload, store } = storeOf(server, await signUp(server, "ada"));
  const download = await store("1k.bin", crypto.getRandomValues(new Uint8Array(1024)));
  await latencies(server.url, download, overAfter(1));
  return { url: server.url, download, upload: smallUpload };
}

/** The p99 of downloads in ms, alone and beside four writers, and how many uploads those make a second. */
async function readBeside(run: Run, { url, download, upload }: Reader) {
  const idle = await latencies(url, download, overAfter(run.sizes.seconds));
  let isOver = false;
  const writers = rateOf(run, url, upload, { connections: 4, seconds: run.sizes.seconds }).finally(() => {
    isOver = true;
  });
  const [{ answers }, beside] = await Promise.all([writers, latencies(url, download, () => isOver)]);
  return { idle: quantile(idle, 0.99), writing: quantile(beside, 0.99), uploads: answers };
}
