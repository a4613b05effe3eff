import { rename, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "../../../src/build.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { addAccount, addKey } from "./accounts.ts";
import { SHOWS_LOG } from "./appliance.ts";
import { Client } from "./client.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const EXECUTABLE = join(ROOT, "dist/coffer");
/** The sources of the executable: files, and directories with everything in them. */
const SOURCES = ["src/**/*", "web/**/*", ".github/{docs,monitoring}/*", "package.json", "bun.lock"];

let present: Promise<string> | null = null;

/** The path of the executable. Builds it if it is missing or older than its sources. */
export function executable(): Promise<string> {
  present ??= make();
  return present;
}

async function make(): Promise<string> {
  if (!(await isStale())) return EXECUTABLE;
  // Tests of other files may build it at the same time: each under its own name until it is complete.
  const own = `${EXECUTABLE}-${crypto.randomUUID()}`;
  await build(join(ROOT, "src/main.ts"), own);
  await rename(own, EXECUTABLE);
  return EXECUTABLE;
}

async function isStale(): Promise<boolean> {
  if (!(await Bun.file(EXECUTABLE).exists())) return true;
  const { mtimeMs: built } = await stat(EXECUTABLE);
  for (const pattern of SOURCES) {
    for await (const path of new Bun.Glob(pattern).scan({ cwd: ROOT, dot: true })) {
      if ((await stat(join(ROOT, path))).mtimeMs > built) return true;
    }
  }
  return false;
}

/** A command that has ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run a command: its standard input, environment and working directory. */
export interface RunOptions {
  readonly input?: string;
  readonly dataDir?: string;
  /** In addition to PATH and TMPDIR, the only variables from this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The start of the command line. */
  readonly wrapper?: readonly string[];
  /** The path of another executable than that of these sources. */
  readonly program?: string;
  /** What it has from descriptor 3 on. */
  readonly passed?: readonly number[];
}

/** Runs a command of the executable to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { input, dataDir, env, cwd = process.cwd(), wrapper = [], program, passed = [] } = options;
  const child = Bun.spawn([...wrapper, program ?? (await executable()), ...args], {
    stdio: [input === undefined ? "ignore" : new Blob([input]), "pipe", "pipe", ...passed],
    env: { ...inherited(), COFFER_DATA_DIR: dataDir, ...env },
    cwd,
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

/** Starts a server that must be refused, with one line that says why; that line. */
export async function refusedStart({ env, ...options }: RunOptions): Promise<string> {
  const ended = await run(["serve"], { ...options, env: { COFFER_PORT: "0", ...env } });
  const [line = "", ...more] = ended.stderr.trim().split("\n");
  if (ended.code !== 1 || more.length > 0) throw new Error(`it ended with ${ended.code}: ${ended.stderr}`);
  return line;
}

/**
 * How to start a server. Without a data directory it has a new one, in memory, which is removed at the end of its scope.
 * Limits are high by default.
 */
export interface ServeOptions extends Omit<RunOptions, "input"> {
  /** Flags of `serve`. */
  readonly flags?: readonly string[];
}

/** High limits, for tests that are not about limits. */
const ROOMY = {
  COFFER_HOST: "127.0.0.1",
  COFFER_PORT: "0",
  COFFER_RATE_LIMITS: "free=1000000,pro=1000000,team=1000000",
  COFFER_PROVISIONS_PER_HOUR: "1000000",
  COFFER_DISK_RESERVE: "0",
};

/** A `wrapper` that runs these shell commands first. */
export function inShell(commands: string): string[] {
  return ["sh", "-c", `${commands}; exec "$0" "$@"`];
}

/** Starts the executable as a server and waits until it is ready. Throws its output if it ends before. */
export async function serve(options: ServeOptions = {}): Promise<Server> {
  const { dataDir, env, cwd = process.cwd(), flags = [], wrapper = [], program, passed = [] } = options;
  const directory = dataDir === undefined ? await temporaryDirectory(FAST_DIRECTORY) : { path: dataDir };
  const child = Bun.spawn([...wrapper, program ?? (await executable()), "serve", ...flags], {
    stdio: ["ignore", "pipe", "pipe", ...passed],
    env: { ...inherited(), ...ROOMY, COFFER_DATA_DIR: directory.path, ...env },
    cwd,
  });
  const server = new Server(child, directory);
  const { stdout, stderr } = server;
  const ready = await stdout.until(/"coffer is ready".*?"url":"https?:\/\/[^"/]*?(?::(\d+))?(?:\/[^"]*)?"/);
  // What is printed is the address of others, where one is set.
  server.port = Number(env?.["COFFER_PORT"] ?? 0) || Number(ready?.[1]);
  if (ready !== null) return server;
  await server[Symbol.asyncDispose]();
  throw new Error(`the server ended before it was ready:\n${stdout.text}${stderr.text}`);
}

/** Where the output of a silent server goes: to descriptors (by default nowhere) or to a terminal. */
interface SilentOptions extends Pick<ServeOptions, "env" | "wrapper"> {
  readonly dataDir: string;
  readonly stdout?: number;
  readonly stderr?: number;
  readonly terminal?: Bun.Terminal;
}

/** Like `serve`, for measurements: the log is not read, which would take time. */
export async function serveSilently({
  dataDir,
  env,
  wrapper = [],
  ...printed
}: SilentOptions): Promise<Server> {
  const port = freePort();
  const { stdout = "ignore", stderr = "pipe", terminal } = printed;
  const child = Bun.spawn([...wrapper, await executable(), "serve"], {
    env: { ...inherited(), ...ROOMY, COFFER_DATA_DIR: dataDir, COFFER_PORT: String(port), ...env },
    ...(terminal === undefined ? { stdin: "ignore", stdout, stderr } : { terminal }),
  });
  const server = new Server(child, { path: dataDir }, port);
  if (!(await untilItAnswers(child, `${server.url}/readyz`)))
    throw new Error(`the server ended before it was ready:\n${server.stderr.text}`);
  return server;
}

/** Asks every so many milliseconds until the answer is a success. False if the process ends before. */
export async function untilItAnswers(child: Bun.Subprocess, url: string, ms = 1): Promise<boolean> {
  const answers = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await Bun.sleep(ms);
  }
  return true;
}

/**
 * A port that was free a moment ago. It is none of those that systems give out by themselves: another test could be
 * given it before it is used.
 */
export function freePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
      return port;
    } catch {
      // Somebody has it.
    }
  }
}

/** The data directory of a server, with what removes that, if it is the server's own. */
type Directory = { readonly path: string } & Partial<AsyncDisposable>;

/** A running executable; killed at the end of its scope. */
export class Server implements AsyncDisposable {
  /** Where it listens, once it is ready. */
  port: number;
  readonly dataDir: string;
  readonly pid: number;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly #child: Bun.Subprocess;
  readonly #directory: Directory;

  constructor(child: Bun.Subprocess, directory: Directory, port = 0) {
    this.#child = child;
    this.#directory = directory;
    this.stdout = new Output(child.stdout);
    this.stderr = new Output(child.stderr);
    this.dataDir = directory.path;
    this.port = port;
    this.pid = child.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * Resolves with the exit code when all output was read: 128 plus the signal's number if a signal ended it.
   */
  get exited(): Promise<number> {
    return Promise.all([this.#child.exited, this.stdout.ended, this.stderr.ended]).then(([code]) => code);
  }

  /** A client with this key; without one, anonymous. */
  client(key?: string): Client {
    return new Client(this.url, key);
  }

  /** Sends a signal to stop, and does not wait. */
  terminate(signal: NodeJS.Signals = "SIGTERM"): void {
    this.#child.kill(signal);
  }

  /** Stops it. Resolves with the exit code. */
  stop(): Promise<number> {
    this.terminate();
    return this.exited;
  }

  /** Kills it at once, as `kill -9` does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }

  /** The peak of its resident memory so far, in bytes. Linux only. */
  async peakMemory(): Promise<number> {
    const status = await Bun.file(`/proc/${this.pid}/status`).text();
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kib === undefined) throw new Error(`process ${this.pid} has no VmHWM`);
    return Number(kib) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#directory[Symbol.asyncDispose]?.();
  }
}

/** The output of a process, while it arrives. */
export class Output {
  #text = "";
  #next = Promise.withResolvers<void>();
  #isEnded = false;
  /** Resolves at the end of the output. */
  readonly ended: Promise<void>;

  /** @param output of which nothing is read if it goes elsewhere */
  constructor(output: Bun.Subprocess["stdout"]) {
    this.ended = this.#collect(output instanceof ReadableStream ? output : new Blob([]).stream());
  }

  /** All output so far. */
  get text(): string {
    return this.#text;
  }

  /** Waits until `pattern` is in the text. Resolves with null if the process ends without it. */
  async until(pattern: RegExp): Promise<RegExpExecArray | null> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found !== null || this.#isEnded) return found;
      await this.#next.promise;
    }
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      if (SHOWS_LOG) process.stderr.write(bytes);
      this.#text += decoder.decode(bytes, { stream: true });
      this.#wake();
    }
    this.#isEnded = true;
    this.#wake();
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

/** The few variables that the process inherits, so that this machine's configuration has no effect. */
function inherited(): Record<string, string> {
  const { PATH = "", TMPDIR } = process.env;
  return TMPDIR === undefined ? { PATH } : { PATH, TMPDIR };
}

/** A drive, and a client with a key for it. */
export interface Agent {
  readonly client: Client;
  readonly key: string;
  readonly drive: string;
}

/** An agent, with the token that claims its drive. */
export async function provision(server: Server, name = "An agent's") {
  type Provisioned = { data: Record<"api_key" | "drive_id" | "claim_url", string> };
  const { data } = await server.client().post<Provisioned>("/v0/drives/provision", { name });
  const claim = data.claim_url.split("/").at(-1) ?? "";
  return { client: server.client(data.api_key), key: data.api_key, drive: data.drive_id, claim };
}

/** Creates an account without a storage limit, with a key and a drive. */
export async function signUp(server: Server, username: string): Promise<Agent> {
  addAccount({ dataDir: server.dataDir, clock: systemClock }, username);
  const key = addKey(server, username);
  const client = server.client(key);
  const { id } = await client.makeDrive("Files");
  return { client, key, drive: id };
}
