import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "../support/server/client.ts";
import { Output } from "../support/server/executable.ts";
import { whyCannot } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { NO_EMPTY_ROOT } from "./empty-root.ts";

/** A test that is killed leaves none. */
const ENDS_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"];
const EMULATOR = "qemu-system-x86_64";

/** Why no machine can be emulated here; empty if one can. */
export const NO_EMULATED_MACHINE =
  NO_EMPTY_ROOT ||
  whyCannot([EMULATOR, "--version"], "the emulator does not run", [EMULATOR, "mke2fs"]) ||
  whyCannot(["apt-cache", "show", "linux-image-cloud-amd64"], "there is no such kernel of Debian");

/** The ports that it has: that of Coffer, and the one for scripts. */
const PORTS = { server: 2633, scripts: 1000 } as const;

/** A machine of its own, emulated, with Debian and systemd. */
export interface EmulatedMachine extends AsyncDisposable {
  /** A client of the server there. */
  client(key?: string): Client;
  /** Runs a script there as root, to its end. Returns what it prints. Throws Error, with all of that, if it fails. */
  run(script: string): Promise<string>;
  /** Starts it again, as its administrator would, and waits until it is up. */
  reboot(): Promise<void>;
}

/** Makes a machine that has `files` of this one in its `/root`, and waits until it is up. */
export async function openEmulatedMachine(files: readonly string[]): Promise<EmulatedMachine> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const [root, disk] = [join(place.path, "root"), join(place.path, "disk")];
  await Bun.$`sh ${join(import.meta.dir, "emulated-root.sh")} ${root}`.quiet();
  await mkdir(join(root, "root"), { recursive: true });
  await Promise.all(
    files.map((path) => cp(path, join(root, "root", path.slice(path.lastIndexOf("/"))), { recursive: true })),
  );
  await Bun.$`mke2fs -q -t ext4 -d ${root} ${disk} 3G`.quiet();
  await Bun.$`rm -r ${root}`;
  const [kernel = ""] = new Bun.Glob("vmlinuz-*").scanSync({ cwd: `${root}.kernel/boot`, absolute: true });
  const child = Bun.spawn([...ENDS_WITH_PARENT, EMULATOR, ...hardware(kernel, disk)], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const [console, errors] = [new Output(child.stdout), new Output(child.stderr)];
  const close = async () => {
    child.kill("SIGKILL");
    await child.exited;
    await place[Symbol.asyncDispose]();
  };

  /** Waits for what the console shows. */
  const shown = async (pattern: RegExp): Promise<string> => {
    const found = await console.until(pattern);
    if (found !== null) return found[1] ?? "";
    await errors.ended;
    await close();
    throw new Error(`the machine has ended:\n${console.text}${errors.text}`);
  };

  // Leaves the machine's console for that of the emulator, which knows the ports; both are shown from then on.
  void child.stdin.write("\u0001cinfo usernet\n");
  await child.stdin.flush();
  const portOf = async (port: number) =>
    Number(
      await shown(new RegExp(String.raw`HOST_FORWARD\S+ +\d+ +127\.0\.0\.1 +(\d+) +10\.0\.2\.15 +${port}\b`)),
    );
  const [server, scripts] = [await portOf(PORTS.server), await portOf(PORTS.scripts)];
  let starts = 0;
  const isUp = () => shown(new RegExp(`(?:^up: [^]*){${++starts}}`, "m"));
  await isUp();
  const run = (script: string) => runScript(scripts, script);
  return {
    client: (key) => new Client(`http://127.0.0.1:${server}`, key),
    run,
    reboot: async () => {
      // It may end before it can say so.
      await Promise.allSettled([run("systemctl --no-block reboot")]);
      await isUp();
    },
    [Symbol.asyncDispose]: close,
  };
}

const KERNEL_FLAGS =
  // No terminal waits for somebody to sign in.
  "root=/dev/nvme0n1 rw console=ttyS0 quiet mitigations=off systemd.show_status=no systemd.getty_auto=no";

/** The flags of the emulator. */
function hardware(kernel: string, disk: string): string[] {
  const forwarded = Object.values(PORTS).map((port) => `hostfwd=tcp:127.0.0.1:0-:${port}`);
  const flags = {
    accel: "tcg,thread=multi",
    cpu: "max",
    smp: "2",
    m: "1024",
    display: "none",
    serial: "mon:stdio",
    kernel,
    append: KERNEL_FLAGS,
    // All is lost with the test: so nothing is synced here.
    drive: `file=${disk},format=raw,if=none,id=disk,cache=unsafe`,
    netdev: ["user", "id=wire", ...forwarded].join(","),
  };
  return [
    "-nodefaults",
    ...Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value]),
    ...["nvme,drive=disk,serial=disk", "virtio-net-pci,netdev=wire,romfile="].flatMap((each) => [
      "-device",
      each,
    ]),
  ];
}

/** Has the machine run a script, as `script@.service` of its root takes one. */
async function runScript(port: number, script: string): Promise<string> {
  const pieces: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(`${script}\0`),
      data: (_, bytes) => void pieces.push(Buffer.from(bytes)),
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  });
  await promise;
  const [printed = "", code = "none"] = Buffer.concat(pieces).toString().split("\0");
  if (code !== "0") throw new Error(`it ended with ${code}:\n${printed}`);
  return printed;
}
