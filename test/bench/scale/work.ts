import { rm } from "node:fs/promises";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { executable } from "../../support/server/executable.ts";
import { latencies, overAfter } from "../load.ts";
import { memoryOf, processorTime } from "../processes.ts";
import { fill } from "./fill.ts";
import { ACROSS, Growth, longRounds, type Scale } from "./growth.ts";
import type { Panel } from "./plot.ts";
import { type Store, withServer } from "./store.ts";

/** Files of each folder that is deleted, in a drive of any size. */
const DOOMED = 10_000;
/** How often the memory of a command is read, in milliseconds. */
const WATCH_MS = 10;
/** After so many seconds a command is not run again. */
const COMMAND_SECONDS = 60;

const folder = new Growth("ms of the processor");
const wait = new Growth("ms a download waits at most");
const verifyTime = new Growth("verify --quick");
const backupTime = new Growth("backup");
const verifyMemory = new Growth("verify --quick");
const backupMemory = new Growth("backup");

/** What takes long. */
export const WORK: readonly Panel[] = [
  { title: "Deletion of a folder of 10,000 files", across: ACROSS, curves: [folder, wait] },
  { title: "Commands, seconds of the processor", across: ACROSS, curves: [verifyTime, backupTime] },
  { title: "Commands, peak memory in MB", across: ACROSS, curves: [verifyMemory, backupMemory] },
];

/** Checks and backs up a store, without a server. Adds to `WORK`. */
export async function runCommands(scale: Scale, { dataDir, size, indexedTo }: Store): Promise<void> {
  // As if the rest were still to be indexed: else each of its files would be a finding.
  if (indexedTo !== null) changeDatabase(dataDir, `UPDATE search_index SET filled_to = ${indexedTo}`);
  const place = scale.newPath();
  const commands = [
    { args: ["verify", "--quick"], seconds: verifyTime, memory: verifyMemory },
    { args: ["backup", place, "--keep", "1"], seconds: backupTime, memory: backupMemory },
  ];
  for (const { args, seconds, memory } of commands) {
    const ran: { seconds: number; mb: number }[] = [];
    const isOver = overAfter(COMMAND_SECONDS);
    while (ran.length < longRounds(scale) && (ran.length === 0 || !isOver()))
      ran.push(await runCommand(args, dataDir));
    seconds.add(
      size,
      ran.map((each) => each.seconds),
    );
    memory.add(
      size,
      ran.map((each) => each.mb),
    );
  }
  await rm(place, { recursive: true });
  if (indexedTo !== null) changeDatabase(dataDir, "UPDATE search_index SET filled_to = NULL");
}

async function runCommand(args: readonly string[], dataDir: string) {
  const command = [await executable(), ...args, "--data-dir", dataDir];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  let mb = 0;
  const watch = setInterval(() => {
    if (child.exitCode === null) mb = Math.max(mb, memoryOf(child.pid, "VmHWM"));
  }, WATCH_MS);
  const [said, code] = await Promise.all([child.stderr.text(), child.exited]);
  clearInterval(watch);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${said}`);
  return { seconds: Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e6, mb };
}

/** Deletes folders: every second one while a small file is downloaded again and again. Adds to `WORK`. */
export async function removeFolders(scale: Scale, store: Store): Promise<void> {
  const { dataDir, sources, size } = store;
  const paths = Array.from({ length: 2 * longRounds(scale) }, (_, n) => `doomed-${n}/`);
  for (const [n, path] of paths.entries()) {
    const isIndexed = store.indexedTo === null;
    await fill(dataDir, { sources, folder: path, first: size + n * DOOMED, count: DOOMED, isIndexed });
  }
  const whole: number[] = [];
  const waits: number[] = [];
  await withServer(store, async ({ client, drive, key }, server) => {
    const headers = { authorization: `Bearer ${key}` };
    const download = { method: "GET", target: `/v0/files/${sources[0]}/download`, headers };
    await latencies(server.url, download, overAfter(1));
    for (const [n, path] of paths.entries()) {
      const remove = () => client.delete("/v0/folders", { drive_id: drive, path, confirm: true });
      if (n % 2 === 0) {
        whole.push(await processorTime(server.pid, remove));
        continue;
      }
      // The garbage of this process is collected now and not while it waits.
      Bun.gc(true);
      let isOver = false;
      const removed = remove().finally(() => (isOver = true));
      const [downloads] = await Promise.all([latencies(server.url, download, () => isOver), removed]);
      waits.push(Math.max(...downloads));
    }
  });
  folder.add(size, whole);
  wait.add(size, waits);
}
