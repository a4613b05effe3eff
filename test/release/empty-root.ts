import { cp, mkdir, mkdtemp, realpath, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client } from "../support/server/client.ts";
import { Output } from "../support/server/executable.ts";
import { whyCannot } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

/** A namespace of its own for mounts and processes: all of them are gone with the command. */
const APART = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"];

const DOWNLOAD = 'place=$(mktemp -d) && cd "$place" && apt-get -qq download hostname && rm -r "$place"';

/** Why there can be no empty root here; empty if there can. */
export const NO_EMPTY_ROOT =
  process.platform === "linux" && process.arch === "x64"
    ? whyCannot([...APART, "true"], "mounts are not allowed", ["unshare", "apt-get", "dpkg-deb"]) ||
      whyCannot(["sh", "-c", DOWNLOAD], "apt cannot download packages")
    : "it is made of packages for Linux on x64";

/** Who runs a command in a root. */
export type User = "root" | "ada";

const HOMES: Readonly<Record<User, string>> = { root: "/root", ada: "/home/ada" };

/** What a machine has that nobody has used yet. */
export interface EmptyRoot extends AsyncDisposable {
  /** The path here of what all its machines have. */
  at(path: string): string;
  /** A machine of its own on top of it. */
  machine(): Promise<Machine>;
}

/** Makes the root of a machine with only what the base of this one's system has: no Node, no Bun, no curl. */
export async function openEmptyRoot(): Promise<EmptyRoot> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const lower = join(place.path, "base");
  await Bun.$`sh ${join(import.meta.dir, "unpack-root.sh")} ${lower}`.quiet();
  return {
    at: (path) => join(lower, path),
    machine: async () => {
      const own = await mkdtemp(join(place.path, "machine-"));
      for (const name of ["upper", "work", "root"]) await mkdir(join(own, name));
      return new Machine(lower, own);
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** A machine without a running system: commands are run in its root, one after another, and what they change stays. */
export class Machine {
  readonly #lower: string;
  readonly #place: string;

  constructor(lower: string, place: string) {
    this.#lower = lower;
    this.#place = place;
  }

  /** The path here of what commands have changed there. It is to be used only while none runs. */
  at(path: string): string {
    return join(this.#place, "upper", path);
  }

  /** Runs a script there to its end. Returns what it prints. Throws Error, with all of that, if it fails. */
  run(script: string, user: User = "root"): Promise<string> {
    return this.#output(this.#inside(script, user));
  }

  /** Runs the `rpm` of this machine on that root, whose scripts it runs there. */
  rpm(...args: readonly string[]): Promise<string> {
    const root = join(this.#place, "root");
    return this.#output(["rpm", "--root", root, "--dbpath", "/var/lib/rpm", ...args]);
  }

  /** Runs a script there that starts a server, and waits until that is ready. Throws Error if it ends before. */
  async serve(script: string, user: User = "root"): Promise<Serving> {
    // In a group of its own, so that it can be ended as by Ctrl-C.
    const child = Bun.spawn(this.#apart(this.#inside(script, user)), {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
    const ready = await stdout.until(/"coffer is ready".*?"url":"(http:[^"]+)"/);
    if (ready === null) {
      await stderr.ended;
      throw new Error(`it ended before it was ready:\n${stdout.text}${stderr.text}`);
    }
    return {
      client: (key) => new Client(ready[1] ?? "", key),
      stop: async () => {
        process.kill(-child.pid, "SIGINT");
        await Promise.all([stdout.ended, stderr.ended]);
        // `unshare` ends by the signal, whatever the server does.
        if (!stdout.text.includes('"message":"stopped"')) throw new Error(`it did not stop:\n${stderr.text}`);
      },
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await Promise.all([stdout.ended, stderr.ended]);
      },
    };
  }

  /** Starts the service as its unit says, without systemd. */
  serveUnit(): Promise<Serving> {
    return this.serve(`
      unit=/usr/lib/systemd/system/coffer.service
      of() { sed -n "s/^$1=-\\{0,1\\}//p" "$unit"; }
      set -a
      eval "$(of Environment)"
      . "$(of EnvironmentFile)"
      exec setpriv --reuid "$(of User)" --regid "$(of Group)" --clear-groups $(of ExecStart)`);
  }

  /** Gives it this machine's Node and npm, which installs programs for `ada` alone, and asks no registry. */
  async addNpm(): Promise<void> {
    const [node, npm] = [Bun.which("node"), Bun.which("npm")];
    if (node === null || npm === null) throw new Error("There is no npm here.");
    const bin = this.at("usr/local/bin");
    await mkdir(bin, { recursive: true });
    await cp(node, join(bin, "node"), { dereference: true });
    const modules = resolve(await realpath(npm), "../..");
    await cp(modules, this.at("usr/local/lib/npm"), { recursive: true });
    await symlink("../lib/npm/bin/npm-cli.js", join(bin, "npm"));
    await this.run('printf "prefix=~/.local\\noffline=true\\n" >~/.npmrc', "ada");
  }

  #inside(script: string, user: User): string[] {
    const home = HOMES[user];
    const path = `${home}/.local/bin:/usr/local/bin:/usr/sbin:/usr/bin`;
    const variables = [
      `HOME=${home}`,
      `PATH=${path}`,
      "DEBIAN_FRONTEND=noninteractive",
      "COFFER_HOST=127.0.0.1",
      "COFFER_PORT=0",
    ];
    const root = ["/usr/sbin/chroot", `--userspec=${user}`, "--groups=", join(this.#place, "root")];
    return ["/usr/bin/env", "-i", ...variables, ...root, "sh", "-euc", `cd\n${script}`];
  }

  #apart(command: readonly string[]): string[] {
    const mounted = ["sh", join(import.meta.dir, "mount-root.sh"), this.#lower, this.#place];
    return [...APART, ...mounted, ...command];
  }

  async #output(command: readonly string[]): Promise<string> {
    const child = Bun.spawn(this.#apart(command), { stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`it ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }
}

/** A server in a root. It listens on this machine's loopback. */
export interface Serving extends AsyncDisposable {
  client(key?: string): Client;
  /** Stops it as by Ctrl-C. Throws Error if it ends in another way. */
  stop(): Promise<void>;
}
