import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "../support/server/client.ts";
import { freePort, Output } from "../support/server/executable.ts";
import { whyCannot } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { NO_EMPTY_ROOT } from "./empty-root.ts";

/** The client that came with the engine; another one on the PATH may lack what builds. */
const DOCKER = existsSync("/usr/bin/docker") ? "/usr/bin/docker" : "docker";

/** A namespace of its own for mounts and processes: all of them are gone when the test's process is. */
const APART = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private"].concat(
  "--pid",
  "--fork",
  "--kill-child",
);

/** Why there can be no engine here; empty if there can. */
export const NO_ENGINE =
  NO_EMPTY_ROOT ||
  whyCannot(
    ["sh", "-c", `DOCKER_BUILDKIT=1 ${DOCKER} build --help | grep -q -e --platform`],
    "docker has no BuildKit",
    ["setpriv", "unshare", "dockerd", "containerd", "runc", DOCKER],
  );

/** A Docker engine of its own, with nothing in it. */
export interface Engine extends AsyncDisposable {
  /** Runs a command of `docker` to its end. Returns what it prints. Throws Error, with all of that, if it fails. */
  readonly docker: (...args: readonly string[]) => Promise<string>;
  /** Starts a server, and waits until it is ready. Throws Error if it ends before. @param options of `docker run` */
  serve(image: string, ...options: readonly string[]): Promise<Served>;
}

/** A server in a container. It listens on this machine's loopback. */
export interface Served extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  client(key?: string): Client;
  /** Stops it as `docker stop` does. Returns its exit code, and all it has logged. */
  stop(): Promise<{ readonly code: number; readonly log: string }>;
}

/** Starts an engine. */
export async function openEngine(): Promise<Engine> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory(FAST_DIRECTORY));
  await mkdir(join(path, "config"));
  const child = Bun.spawn([...APART, "sh", join(import.meta.dir, "engine.sh"), path], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = new Output(child.stderr);
  stack.defer(async () => {
    child.kill("SIGKILL");
    await stderr.ended;
  });
  if ((await stderr.until(/API listen on/)) === null) throw new Error(`it did not start:\n${stderr.text}`);
  const env = {
    PATH: process.env["PATH"],
    DOCKER_HOST: `unix://${path}/socket`,
    DOCKER_CONFIG: join(path, "config"),
    DOCKER_BUILDKIT: "1",
  };
  const started = (args: readonly string[]) =>
    Bun.spawn([DOCKER, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const docker = (...args: readonly string[]) => outputOf(started(args));
  const all = stack.move();
  return {
    docker,
    serve: async (image, ...options) => {
      const port = freePort();
      const address = ["--network", "host", "--env", "COFFER_HOST=127.0.0.1", "--env", `COFFER_PORT=${port}`];
      const name = (await docker("run", "--detach", ...address, ...options, image)).trim();
      const logs = started(["logs", "--follow", name]);
      const [log, said] = [new Output(logs.stdout), new Output(logs.stderr)];
      if ((await log.until(/"coffer is ready"/)) === null) {
        await said.ended;
        throw new Error(`it ended before it was ready:\n${log.text}${said.text}`);
      }
      return {
        name,
        port,
        client: (key) => new Client(`http://127.0.0.1:${port}`, key),
        stop: async () => {
          await docker("stop", name);
          await Promise.all([log.ended, said.ended]);
          const code = Number(await docker("inspect", "--format", "{{.State.ExitCode}}", name));
          return { code, log: log.text };
        },
        [Symbol.asyncDispose]: async () => {
          await docker("rm", "--force", name);
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function outputOf(child: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<string> {
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`it ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
