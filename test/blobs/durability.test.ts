import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskAt } from "../../src/blobs/disk-paths.ts";
import { digestOf, listAll, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { NO_STRACE } from "../support/faults/faults.ts";
import { Output } from "../support/server/executable.ts";
import { openBlobStore } from "../support/server/open-blob-store.ts";
import { whyCannot, withReason } from "../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../support/faults/small-disk.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { isThorough, longTest, someOf } from "../support/server/thorough.ts";

// The store runs in a process of its own here, which is killed, given a tiny disk, or has its system
// calls watched and failed by strace. Each runs only where the machine allows that.

const KIB = 1024;
const MIB = 1024 * KIB;
const SMALL = sampleBytes(100);
const SMALL_DIGEST = digestOf(SMALL);

/**
 * Starts a process that opens a store below `root` with `reserve` (an expression; `free` is what the
 * disk has) and then runs `body`. `wrapper` is the command to run it under.
 */
function start(root: string, body: string, options: { wrapper?: readonly string[]; reserve?: string } = {}) {
  const script = `
    import { readdirSync } from "node:fs";
    import { statfs } from "node:fs/promises";
    import { diskAt } from ${JSON.stringify(join(import.meta.dir, "../../src/blobs/disk-paths.ts"))};
    import { openBlobStore } from ${JSON.stringify(join(import.meta.dir, "../support/server/open-blob-store.ts"))};
    import { listAll, put, sampleBytes } from ${JSON.stringify(join(import.meta.dir, "../support/samples/blob-store-contract.ts"))};
    const root = ${JSON.stringify(root)};
    const { bavail, bsize } = await statfs(root);
    const free = bavail * bsize;
    const disk = diskAt(root);
    const open = () => openBlobStore([disk], { diskReserve: ${options.reserve ?? "0"} });
    const store = await open();
    const outcome = (work) => work.then(() => "done", (error) => error.code ?? error.message);
    const stdin = console[Symbol.asyncIterator]();
    ${body}`;
  return Bun.spawn([...(options.wrapper ?? []), process.execPath, "-e", script], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** What it prints on a disk of 48 MiB. */
async function printedOnSmallDisk(body: string, reserve = "0"): Promise<string> {
  await using disk = await SmallDisk.mount(48);
  return await start(disk.path, body, { reserve, wrapper: disk.wrapper }).stdout.text();
}

test("a process killed in the middle of an upload leaves only what the next start sweeps", async () => {
  await using place = await temporaryDirectory();
  const child = start(
    place.path,
    `const writer = await store.create();
     await writer.write(sampleBytes(${MIB}));
     console.log("written");
     await stdin.next();`,
  );
  expect(await new Output(child.stdout).until(/written/)).not.toBeNull();
  child.kill("SIGKILL");
  await child.exited;
  expect(await readdir(join(place.path, "tmp"))).toHaveLength(1);

  const disk = diskAt(place.path);
  const store = await openBlobStore([disk]);
  expect(await readdir(disk.tmpDir)).toEqual([]);
  expect(await listAll(store)).toEqual([]);
});

describe.skipIf(NO_SMALL_DISK !== "")(withReason("a disk of 48 MiB", NO_SMALL_DISK), () => {
  const [tooLong, printLeft] = [
    49 * MIB + 1,
    "readdirSync(disk.tmpDir).length, (await listAll(store)).length",
  ];
  const USES = [
    ["that runs full in an upload", "0", `sampleBytes(${tooLong}), 999_999`, "STORAGE_FULL\n0 0\n"],
    ["that runs full in one piece", "0", `sampleBytes(${tooLong}), ${tooLong}`, "STORAGE_FULL\n0 0\n"],
    [
      "that comes to its reserve in an upload",
      `free - ${8 * MIB}`,
      `sampleBytes(${40 * MIB})`,
      "STORAGE_FULL\n0 0\n",
    ],
    [
      "with room for the upload and its reserve",
      `free - ${40 * MIB}`,
      `sampleBytes(${30 * MIB})`,
      "done\n0 1\n",
    ],
  ] as const;
  test.each(someOf(USES, 2))("%s", async (_, reserve, content, printed) => {
    const body = `console.log(await outcome(put(store, ${content}))); console.log(${printLeft});`;
    expect(await printedOnSmallDisk(body, reserve)).toBe(printed);
  });

  longTest("that ran full is remembered until it is asked for", async () => {
    const printed = await printedOnSmallDisk(
      `console.log(store.space.takeNoSpace(), await outcome(put(store, sampleBytes(${49 * MIB}), ${MIB})));
       console.log(store.space.takeNoSpace(), store.space.takeNoSpace());`,
    );
    expect(printed).toBe("false STORAGE_FULL\ntrue false\n");
  });
});

/** Runs a process under strace. What it prints, and the lines of the trace. */
async function straced(flags: string, body: string) {
  await using place = await temporaryDirectory();
  const log = join(place.path, "strace.log");
  const child = start(place.path, body, { wrapper: `strace -f -qq ${flags} -o ${log}`.split(" ") });
  const printed = await child.stdout.text();
  expect(await child.exited).toBe(0);
  return { printed, root: place.path, lines: (await Bun.file(log).text()).split("\n") };
}

/** Which files a process synced and renamed after `open`, in order, by shortened names. */
async function traced(body: string): Promise<string[]> {
  const { root, lines } = await straced("-y -e trace=fsync,fdatasync,rename,renameat,renameat2", body);
  const calls: string[] = [];
  for (const line of lines) {
    const call = /^\d+ +(\w+)\((.*)/.exec(line);
    if (call?.[1] === undefined || call[2] === undefined) continue;
    const paths = Array.from(call[2].matchAll(/["<](\/[^">]*)[">]/g), ([, path = ""]) =>
      path.replace(root, "").replace(/\/tmp\/coffer-[0-9a-f-]{36}\.tmp/, "/tmp/X"),
    );
    calls.push([call[1].replace(/^rename.*/, "rename"), ...paths].join(" "));
  }
  // The last thing that opening does is to sync the root itself.
  const opened = calls.lastIndexOf("fsync ");
  expect(calls.slice(0, opened + 1)).toContain("fsync /blobs");
  return calls.slice(opened + 1);
}

/**
 * The lines that a process prints which opens a store and then runs `body`, while strace does `injection` to its system
 * calls, or only to those on a path below the store's root.
 */
async function tampered(injection: string, body: string, path = ""): Promise<string[]> {
  await using place = await temporaryDirectory();
  const child = start(
    place.path,
    `console.log("open");
     await stdin.next();
     ${body}`,
  );
  const said = new Output(child.stdout);
  expect(await said.until(/open/)).not.toBeNull();
  const only = path === "" ? [] : ["-P", place.path + path];
  const flags = ["-f", "-p", String(child.pid), "-o", "/dev/null", "-e", `inject=${injection}`, ...only];
  const strace = Bun.spawn(["strace", ...flags], { stdout: "ignore", stderr: "pipe" });
  expect(await new Output(strace.stderr).until(/attached/)).not.toBeNull();
  await child.stdin.write("go\n");
  await child.stdin.end();
  await said.ended;
  expect(await child.exited).toBe(0);
  await strace.exited;
  return said.text.trimEnd().split("\n").slice(1);
}

const shardOf = (seed: number) => digestOf(sampleBytes(100, seed)).slice(0, 2);

const putOf = (length: number) => `console.log(await outcome(put(store, sampleBytes(${length}))));`;

const NO_TRACE = whyCannot(["strace", "-f", "-o", "/dev/null", "true"], "strace cannot run");

describe.skipIf(NO_TRACE !== "")(withReason("system calls", NO_TRACE), () => {
  const [shard, blob] = [
    `/blobs/${SMALL_DIGEST.slice(0, 2)}`,
    `/blobs/${SMALL_DIGEST.slice(0, 2)}/${SMALL_DIGEST}`,
  ];

  test("a new content is synced, then named, then its directory is synced, and only then is it committed", async () => {
    const mark = `(await import("node:fs")).renameSync(disk.tmpDir, root + "/committed");`;
    expect(await traced(`await put(store, sampleBytes(${SMALL.length})); ${mark}`)).toEqual([
      // Its directory is new.
      "fsync /blobs",
      "fsync /tmp/X",
      `rename /tmp/X ${blob}`,
      `fsync ${shard}`,
      "rename /tmp /committed",
    ]);
  });

  test("a directory of contents is made and synced once, also for two uploads that need it at once", async () => {
    let other = 2;
    while (shardOf(other) !== shardOf(1)) other++;
    const puts = [1, other].map((seed) => `put(store, sampleBytes(100, ${seed}))`);
    const calls = await traced(`await Promise.all([${puts.join()}]); await ${puts[0]};`);
    expect(calls.filter((call) => call === "fsync /blobs")).toHaveLength(1);
    expect(calls.indexOf("fsync /blobs")).toBeLessThan(calls.findIndex((call) => call.startsWith("rename")));
    expect(calls.filter((call) => call.startsWith("rename"))).toHaveLength(2);
  });

  test("a store that is opened again knows its directories, and has synced their names", async () => {
    const again = `const again = await open();`;
    const calls = await traced(
      `await put(store, sampleBytes(${SMALL.length})); ${again} await put(again, sampleBytes(${SMALL.length}));`,
    );
    expect(calls).toEqual([`fsync ${shard}`]);
  });

  test("a matched content is not written again, but its directory is synced again", async () => {
    const commit = `await put(store, sampleBytes(${SMALL.length}));`;
    expect((await traced(commit + commit)).slice(4)).toEqual([`fsync ${shard}`]);
  });

  test("a damaged content is healed as durably as a new one is written", async () => {
    const commit = `(await put(store, sampleBytes(${SMALL.length}))).unpin();`;
    const damage = `(await import("node:fs")).writeFileSync(root + "${blob}", "damaged");`;
    expect((await traced(commit + damage + commit)).slice(4)).toEqual([
      "fsync /tmp/X",
      `rename /tmp/X ${blob}`,
      `fsync ${shard}`,
    ]);
  });

  longTest(
    "of four long contents at once one has two buffers, and gives them back however it ends",
    async () => {
      const { printed, lines } = await straced(
        "-y -e trace=pwrite64",
        `const long = (seed) => sampleBytes(${2 * MIB}, seed);
         const writers = [];
         for (let seed = 1; seed <= 4; seed++) {
           const writer = await store.create();
           await writer.write(long(seed));
           writers.push(writer);
         }
         await Promise.all([writers[0].abort(), ...writers.slice(1).map((writer) => writer.commit())]);
         for (let round = 0; round < 3; round++) {
           const aborted = await store.create();
           await aborted.write(long(5));
           await aborted.abort();
           // This one is matched.
           await put(store, long(2));
         }
         console.log(await outcome(put(store, long(6))));`,
      );
      expect(printed).toBe("done\n");
      const largest = new Map<string, number>();
      for (const line of lines) {
        const [, name = "", bytes = ""] =
          /pwrite64\(\d+<.*\/coffer-(.*?)\.tmp>.*?, (\d+), \d+[ )]/.exec(line) ?? [];
        if (name !== "") largest.set(name, Math.max(largest.get(name) ?? 0, Number(bytes)));
      }
      const [pair, one] = [512 * KIB, 256 * KIB];
      expect([...largest.values()]).toEqual([pair, one, one, one, ...Array.from({ length: 7 }, () => pair)]);
    },
  );

  longTest(
    "a long content is synced in parts while it is written, and as a whole before it is named",
    async () => {
      const digest = digestOf(sampleBytes(20 * MIB));
      expect(await traced(`await put(store, sampleBytes(${20 * MIB}));`)).toEqual([
        "fdatasync /tmp/X",
        "fsync /blobs",
        "fsync /tmp/X",
        `rename /tmp/X /blobs/${digest.slice(0, 2)}/${digest}`,
        `fsync /blobs/${digest.slice(0, 2)}`,
      ]);
    },
  );

  longTest("of eight long contents at once one is synced at a time, and all arrive", async () => {
    const { printed, lines } = await straced(
      // So slow that the next would begin meanwhile.
      "-e trace=fdatasync -e inject=fdatasync:delay_exit=100000",
      `const puts = Array.from({ length: 8 }, (_, seed) => put(store, sampleBytes(${34 * MIB}, seed + 1)));
       console.log((await Promise.all(puts)).length, (await listAll(store)).length);`,
    );
    expect(printed).toBe("8 8\n");
    let running = 0;
    for (const line of lines) {
      if (line.includes(" fdatasync(")) expect(++running).toBe(1);
      if (/\) += 0/.test(line)) running--;
    }
    expect(running).toBe(0);
  });

  const printLeft = `console.log(readdirSync(disk.tmpDir).length, (await listAll(store)).length);`;

  test("an abort lets a write behind end before it removes the file", async () => {
    const { printed, lines } = await straced(
      "-e trace=pwrite64,unlink,unlinkat -e inject=pwrite64:delay_enter=100000",
      `const writer = await store.create();
       await writer.write(sampleBytes(${64 * KIB + 1}));
       await Promise.all([writer.abort(), writer.abort()]);
       ${printLeft}`,
    );
    expect(printed).toBe("0 0\n");
    const trace = lines.join("\n");
    const [written, removed] = [trace.search(/= 65536\b/), trace.search(/unlink.*\.tmp"/)];
    expect(written).toBeGreaterThan(0);
    expect(removed).toBeGreaterThan(written);
  });

  const putSmall = `${putOf(SMALL.length)} ${printLeft} console.log(await store.remove("${SMALL_DIGEST}"));`;
  const onStrace = test.skipIf(NO_STRACE !== "");

  const SYNCS = [
    ["content", "", "0 0"],
    // The name may be in place already and another upload may have matched it: the sweep decides.
    ["directory", shard, "0 1"],
    ["name of the directory", "/blobs", "0 0"],
  ] as const;
  onStrace.each(someOf(SYNCS, 3))(
    withReason("a commit whose sync of the %s fails is no commit", NO_STRACE),
    async (_, path, left) => {
      // The last word is that nothing is pinned any more.
      expect(await tampered("fsync:error=EIO", putSmall, path)).toEqual(["EIO", left, "true"]);
    },
  );

  const WRITES = [
    ["the only one before the commit", 64 * KIB + 1, 1],
    ["the first", 20 * MIB, 1],
    ["a later one", 20 * MIB, 5],
  ] as const;
  onStrace.each(someOf(WRITES, 3))(
    withReason("a write behind that fails, %s, fails the upload", NO_STRACE),
    async (_, length, when) => {
      const printed = await tampered(`pwrite64:error=EIO:when=${when}`, putOf(length) + printLeft);
      expect(printed).toEqual(["EIO", "0 0"]);
    },
  );

  const READS = [
    ["is damage, if the disk takes writes", "pread64", "cannot be read from the disk"],
    ["means that it is away, if it takes no writes either", "pread64,fsync", "cannot reach it now"],
  ] as const;
  onStrace.each(READS)(withReason("a disk that cannot read %s", NO_STRACE), async (_, calls, said) => {
    const printed = await tampered(
      `${calls}:error=EIO`,
      `const { mkdirSync, writeFileSync } = await import("node:fs");
       mkdirSync(root + "${shard}");
       writeFileSync(root + "${blob}", sampleBytes(${SMALL.length}));
       const content = { digest: "${SMALL_DIGEST}", size: ${SMALL.length} };
       await Array.fromAsync(store.pieces(content)).catch(({ message }) => console.log(message));
       console.log(readdirSync(disk.tmpDir).length);`,
    );
    expect(printed).toEqual([expect.stringContaining(said), "0"]);
  });

  const ERRORS = [
    ["EIO", "EIO"],
    ["ENOSPC", "STORAGE_FULL"],
  ] as const;
  onStrace.each(someOf(ERRORS, 2))(
    withReason("a sync of a part that fails with %s fails the upload, and so does the next one", NO_STRACE),
    async (error, code) => {
      const twice = (putOf(20 * MIB) + printLeft).repeat(2);
      expect(await tampered(`fdatasync:error=${error}`, twice)).toEqual([code, "0 0", code, "0 0"]);
    },
  );

  if (isThorough()) {
    onStrace(withReason("what waits for a slow disk to write it is not overwritten", NO_STRACE), async () => {
      const printed = await tampered(
        "pwrite64:delay_enter=20000",
        `const contents = [1, 2, 3].map((seed) => sampleBytes(${3 * MIB}, seed));
         const blobs = await Promise.all(contents.map((content) => put(store, content)));
         for (const [n, blob] of blobs.entries()) {
           const stored = await (await store.read(blob)).bytes();
           console.log(Buffer.compare(stored, contents[n]));
         }`,
      );
      expect(printed).toEqual(["0", "0", "0"]);
    });

    onStrace(
      withReason(
        "an abort while a part is synced in vain leaves nothing, and the process goes on",
        NO_STRACE,
      ),
      async () => {
        const body = `const writer = await store.create();
          await writer.write(sampleBytes(${17 * MIB}));
          await Promise.all([writer.abort(), writer.abort()]);
          ${printLeft} ${putOf(MIB)}`;
        const printed = await tampered("fdatasync:error=EIO:delay_exit=300000", body);
        expect(printed).toEqual(["0 0", "done"]);
      },
    );
  }
});
