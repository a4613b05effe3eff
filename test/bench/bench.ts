import { mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { launchBrowser } from "../support/browser.ts";
import {
  type Agent,
  executable,
  provision,
  type Server,
  serve,
  serveSilently,
  signUp,
} from "../support/executable.ts";
import { addManyFiles } from "../support/many-files.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { firstRows, jumpAndSort, weight } from "./dashboard.ts";
import { type Figure, median, report, time } from "./figure.ts";

// What Coffer promises about speed and memory, measured against the executable. Times and rates mean
// nothing on another machine, so each is set against a yardstick measured in the same run.

const MIB = 1024 * 1024;
const CONNECTIONS = 32;
const LOAD_SECONDS = 3;

interface FileRecord {
  id: string;
}

function sampleBase64(bytes: number): string {
  const piece = crypto.getRandomValues(new Uint8Array(48 * 1024)).toBase64();
  return piece.repeat(Math.ceil(((bytes / 3) * 4) / piece.length));
}

function uploadBody(drive: string, path: string, content: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ drive_id: drive, filename: "bench.bin", path, content }));
}

async function peakMemory(server: Server, { client, drive }: Agent): Promise<Figure> {
  const content = sampleBase64(100 * MIB);
  const bodies = Array.from({ length: 8 }, (_, n) => uploadBody(drive, `peak/${n}.bin`, content));
  const ms = await time(() =>
    Promise.all(bodies.map((body) => client.json(201, "POST", "/v0/files", { body }))),
  );
  const peak = await server.peakMemory();
  return {
    name: "peak memory, eight base64 uploads of 100 MiB at once",
    value: peak / 1e6,
    unit: "MB",
    limit: { atMost: 150 },
    note: `${(ms / 1000).toFixed(1)} s`,
  };
}

async function uploadTime({ client, drive }: Agent): Promise<Figure> {
  const content = sampleBase64(100 * MIB);
  const plain: number[] = [];
  const uploads: number[] = [];
  for (let n = 0; n < 5; n++) {
    plain.push(
      await time(() => new Bun.CryptoHasher("sha256").update(Buffer.from(content, "base64")).digest("hex")),
    );
    // Other bytes each time, so that each has to be written.
    const body = uploadBody(drive, `time/${n}.bin`, sampleBase64(100 * MIB));
    uploads.push(await time(() => client.json(201, "POST", "/v0/files", { body })));
  }
  return {
    name: "a base64 upload of 100 MiB / decoding and hashing it",
    value: median(uploads) / median(plain),
    unit: "x",
    limit: { atMost: 4 },
    note: `${median(uploads).toFixed(0)} ms / ${median(plain).toFixed(0)} ms`,
  };
}

async function downloadRate(server: Server, { client, key, drive }: Agent): Promise<Figure> {
  const file = await client.json<FileRecord>(201, "PUT", `/v0/files?drive_id=${drive}&path=1k.bin`, {
    body: new Uint8Array(1024),
  });
  await using bare = new AsyncDisposableStack();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare-server.ts")], { stdout: "pipe" });
  bare.defer(() => child.kill());
  const { value } = await child.stdout.getReader().read();
  const barePort = Number(new TextDecoder().decode(value));
  const rates: { bare: number; ours: number }[] = [];
  for (let n = 0; n < 3; n++) {
    rates.push({
      bare: await load(barePort, "/", key),
      ours: await load(server.port, `/v0/files/${file.id}/download`, key),
    });
  }
  const [ours, yardstick] = [median(rates.map((rate) => rate.ours)), median(rates.map((rate) => rate.bare))];
  return {
    name: "downloads of 1 KiB a second / a bare Bun.serve",
    value: ours / yardstick,
    unit: "x",
    limit: { atLeast: 1 / 3 },
    note: `${ours} / ${yardstick}`,
  };
}

async function load(port: number, target: string, key: string): Promise<number> {
  const script = join(import.meta.dir, "load-client.ts");
  const args = [String(port), target, String(CONNECTIONS), String(LOAD_SECONDS), key];
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "pipe", stderr: "inherit" });
  const rate = Number(await child.stdout.text());
  if ((await child.exited) !== 0) throw new Error("the load client failed");
  return rate;
}

/** Runs `work` in 16 loops side by side for two seconds; how often a second. */
async function rateOf(work: (n: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + 2000;
  let done = 0;
  const loop = async () => {
    while (performance.now() < until) await work(done++);
  };
  const ms = await time(() => Promise.all(Array.from({ length: 16 }, loop)));
  return (done / ms) * 1000;
}

async function smallUploads({ client, drive }: Agent, scratch: string): Promise<Figure> {
  await mkdir(scratch);
  const yardstick = await rateOf((n) => durableFile(scratch, String(n), smallContent(n)));
  const uploads = await rateOf((n) =>
    client.json(201, "PUT", `/v0/files?drive_id=${drive}&path=small/${n}.txt`, {
      body: smallContent(n),
    }),
  );
  return {
    name: "small uploads a second, 16 at once / files written durably",
    value: uploads / yardstick,
    unit: "x",
    note: `${uploads.toFixed(0)} / ${yardstick.toFixed(0)}`,
  };
}

function smallContent(n: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${n} `.repeat(200));
}

/** The least that a durable file takes: sync its bytes, name it, sync the name. */
async function durableFile(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const draft = join(directory, `${name}.new`);
  const file = await open(draft, "wx");
  await file.write(bytes);
  await file.sync();
  await file.close();
  await rename(draft, join(directory, name));
  const names = await open(directory, "r");
  await names.sync();
  await names.close();
  await unlink(join(directory, name));
}

async function listing(server: Server, few: Agent, many: Agent): Promise<Figure> {
  const times: number[] = [];
  for (const [{ client, drive }, count] of [
    [few, 1000],
    [many, 100_000],
  ] as const) {
    const { id } = await client.json<FileRecord>(201, "PUT", `/v0/files?drive_id=${drive}&path=first.txt`, {
      body: "first",
    });
    await addManyFiles(server.dataDir, id, count);
    const lists: number[] = [];
    for (let n = 0; n < 200; n++) {
      lists.push(await time(() => client.json(200, "GET", `/v0/files?drive_id=${drive}&limit=50`)));
    }
    times.push(median(lists));
  }
  const [small = 0, large = 0] = times;
  return {
    name: "page 1 of 50, in a drive of 100,000 files / of 1,000",
    value: large / small,
    unit: "x",
    limit: { atMost: 2 },
    note: `${large.toFixed(2)} ms / ${small.toFixed(2)} ms`,
  };
}

async function startTime(dataDir: string): Promise<Figure> {
  const times: number[] = [];
  for (let n = 0; n < 4; n++) {
    times.push(
      await time(async () => {
        await (await serve({ dataDir })).kill();
      }),
    );
  }
  const [first = 0, ...later] = times;
  return {
    name: "start to ready",
    value: median(later),
    unit: "ms",
    note: `${first.toFixed(0)} ms with a new data directory`,
  };
}

async function size(): Promise<Figure> {
  return {
    name: "size of the executable",
    value: (await stat(await executable())).size / 1e6,
    unit: "MB",
    note: "",
  };
}

await using place = await temporaryDirectory();
report(await size());
report(await startTime(join(place.path, "start")));
{
  await using server = await serveSilently({ dataDir: join(place.path, "large") });
  const agent = await signUp(server, "ada");
  report(await peakMemory(server, agent));
  report(await uploadTime(agent));
}
{
  await using server = await serveSilently({ dataDir: join(place.path, "small") });
  const agent = await provision(server);
  report(await downloadRate(server, agent));
  report(await smallUploads(agent, join(place.path, "scratch")));
  report(await listing(server, await provision(server), await provision(server)));
}
{
  await using server = await serveSilently({ dataDir: join(place.path, "dashboard") });
  await using browser = await launchBrowser();
  const look = { server, browser, owner: await signUp(server, "ada") };
  report(await firstRows(look));
  for (const figure of await jumpAndSort(look)) report(figure);
  report(await weight(look));
}
