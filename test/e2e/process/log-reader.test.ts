import { afterAll, expect, test } from "bun:test";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { executable, type Server, serve, serveSilently } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const place = await temporaryDirectory(FAST_DIRECTORY);
afterAll(() => place[Symbol.asyncDispose]());
const newPath = () => join(place.path, crypto.randomUUID());

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const MIB = 1024 * 1024;
/** What a pipe holds by itself. */
const PIPE = 64 * 1024;

/** A pipe whose reader reads when the test says so. */
class Pipe implements Disposable {
  readonly writeEnd: number;
  readonly #readEnd: number;
  #hasReader = true;

  constructor() {
    const path = newPath();
    Bun.spawnSync(["mkfifo", path]);
    this.#readEnd = openSync(path, O_RDONLY | O_NONBLOCK);
    this.writeEnd = openSync(path, O_WRONLY);
  }

  /** Everything that is in the pipe now. */
  read(): string {
    const bytes = Buffer.alloc(2 * PIPE);
    try {
      return bytes.toString("utf8", 0, readSync(this.#readEnd, bytes));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EAGAIN") return "";
      throw error;
    }
  }

  /** The reader goes away. */
  leave(): void {
    if (this.#hasReader) closeSync(this.#readEnd);
    this.#hasReader = false;
  }

  [Symbol.dispose](): void {
    this.leave();
    closeSync(this.writeEnd);
  }
}

/** A line this long makes a log soon. */
const LONG_ID = "x".repeat(128);

/** Asks so often that the log has more lines than may wait for their reader. */
async function fillLog(server: Server): Promise<number> {
  const requests = 8000;
  for (let sent = 0; sent < requests; sent += 100) {
    const options = { headers: { "x-request-id": LONG_ID } };
    const answers = Array.from({ length: 100 }, () => server.client().status("GET", "/healthz", options));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  }
  return requests;
}

test("a blocked log reader: at most 1 MiB waits, what is dropped is counted, the lines are whole, and it does not hold up the end", async () => {
  using pipe = new Pipe();
  await using server = await serveSilently({ dataDir: newPath(), stdout: pipe.writeEnd });
  const requests = await fillLog(server);
  let text = "";
  await eventually(() => {
    text += pipe.read();
    return /were dropped[^\n]*\n/.test(text);
  });
  const lines: { message: string; level: string; request_id?: string; lines?: number }[] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const report = lines.at(-1);
  const logged = lines.filter(({ request_id }) => request_id === LONG_ID).length;
  expect(report?.level).toBe("warn");
  expect(logged + (report?.lines ?? 0)).toBe(requests);
  expect(text.length).toBeGreaterThan(MIB / 2);
  expect(text.length).toBeLessThan(MIB + PIPE + 1000);
  // It goes on as before.
  await server.client().fetch("GET", "/healthz");
  await eventually(() => /^\{[^\n]*"message":"request"[^\n]*\}\n$/.test(pipe.read()));
  await fillLog(server);
  expect(await server.stop()).toBe(0);
});

test.each(["stdout", "stderr"])(
  "a closed reader of %s is no failure: the server goes on, and ends with 0",
  async (name) => {
    using pipe = new Pipe();
    await using server = await serveSilently({ dataDir: newPath(), [name]: pipe.writeEnd });
    pipe.leave();
    for (let i = 0; i < 3; i++) expect(await server.client().status("GET", "/healthz")).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.stderr.text).not.toMatch(/EPIPE|^ +at /m);
  },
);

test("a backup whose reader leaves ends with one clear line", async () => {
  const dataDir = newPath();
  await using first = await serve({ dataDir });
  await first.stop();
  using pipe = new Pipe();
  pipe.leave();
  const backup = Bun.spawn([await executable(), "backup", "-", "--data-dir", dataDir], {
    stdout: pipe.writeEnd,
    stderr: "pipe",
  });
  const [stderr, code] = await Promise.all([backup.stderr.text(), backup.exited]);
  expect([stderr, code]).toEqual(["coffer: EPIPE: broken pipe, write\n", 1]);
});

test("a terminal that is held with Ctrl-S holds up neither requests nor the end", async () => {
  await using terminal = new Bun.Terminal({ data: () => {} });
  await using server = await serveSilently({ dataDir: newPath(), terminal });
  terminal.write("\u0013");
  await fillLog(server);
  expect(await server.stop()).toBe(0);
});
