import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { untilItAnswers } from "../server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";

/** What a client needs to reach an S3 server, as Bun reads it from the environment. */
export type S3Environment = Readonly<
  Record<"S3_ENDPOINT" | "S3_REGION" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>
>;

/** An S3 engine that runs on this machine, alone for who started it. Ended at the end of its scope, with all it holds. */
export interface S3Engine extends AsyncDisposable {
  /** The directory with all that it keeps, and its logs. */
  readonly path: string;
  readonly env: S3Environment;
}

/** Starts an engine before the tests of the calling `describe`, and ends it after them. */
export function openEngine(start: () => Promise<S3Engine>): () => S3Engine {
  let open: S3Engine | undefined;
  beforeAll(async () => {
    open = await start();
  });
  afterAll(() => open?.[Symbol.asyncDispose]());
  return () => {
    if (open === undefined) throw new Error("the engine has not been started yet");
    return open;
  };
}

/** Makes an empty bucket in an engine; its name. */
export async function newBucket({ env }: Pick<S3Engine, "env">): Promise<string> {
  const name = `bucket-${crypto.randomUUID()}`;
  // Where the bucket is a part of the host's name, the path is that of an object: here it is the bucket's.
  await new Bun.S3Client({ ...settingsIn(env), virtualHostedStyle: true }).write(name, "");
  return name;
}

/** A client for a bucket. */
export function clientOf(env: S3Environment, bucket: string): Bun.S3Client {
  return new Bun.S3Client({ ...settingsIn(env), bucket });
}

/** The same as settings have it. */
export function settingsIn(env: S3Environment) {
  return {
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
  };
}

/** Between questions whether a server is ready, which takes a second or more. */
const PAUSE_MS = 20;

/** The processes of an engine, and the directory with all that they keep. */
export class Daemons implements AsyncDisposable {
  readonly path: string;
  readonly #opened: AsyncDisposableStack;

  private constructor(path: string, opened: AsyncDisposableStack) {
    this.path = path;
    this.#opened = opened;
  }

  /** Begins in a new directory, in memory if there is enough. */
  static async begin(): Promise<Daemons> {
    const opened = new AsyncDisposableStack();
    const { path } = opened.use(await temporaryDirectory(FAST_DIRECTORY));
    return new Daemons(path, opened);
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Writes a file of settings, without the indentation. */
  async write(name: string, text: string): Promise<void> {
    await Bun.write(this.at(name), text.replaceAll(/^ +/gm, ""));
  }

  /** Runs a command that must succeed; what it prints. Throws what it says. */
  async run(...command: readonly string[]): Promise<string> {
    const child = Bun.spawn([...command], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      cwd: this.path,
    });
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Starts a process that runs until the end, also if this one is killed. What it prints is in `NAME.log`. */
  start(name: string, ...command: readonly string[]): Bun.Subprocess {
    const log = Bun.file(this.at(`${name}.log`));
    const child = Bun.spawn(["setpriv", "--pdeathsig", "KILL", ...command], {
      stdin: "ignore",
      stdout: log,
      stderr: log,
      cwd: this.path,
    });
    this.#opened.defer(async () => {
      child.kill("SIGKILL");
      await child.exited;
    });
    return child;
  }

  /** As `start`, for a server: waits until it answers with a success. Throws what it said if it ends before. */
  async serve(name: string, url: string, ...command: readonly string[]): Promise<void> {
    const child = this.start(name, ...command);
    if (await untilItAnswers(child, url, PAUSE_MS)) return;
    throw new Error(`${name} ended: ${await Bun.file(this.at(`${name}.log`)).text()}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/** Runs an engine until a signal ends it, for a try by hand: prints how to reach it. */
export async function runByHand(start: () => Promise<S3Engine>): Promise<void> {
  const ended = new Promise((resolve) =>
    ["SIGINT", "SIGTERM"].forEach((signal) => process.once(signal, resolve)),
  );
  await using engine = await start();
  const exports = Object.entries({ ENGINE: engine.path, ...engine.env, BUCKET: await newBucket(engine) });
  process.stdout.write(`${exports.map(([name, value]) => `export ${name}=${value}`).join("\n")}\n`);
  await ended;
}
