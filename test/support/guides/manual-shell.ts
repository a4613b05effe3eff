import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "../samples/certificates.ts";
import { executable, freePort, type Server } from "../server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";

/**
 * `coffer serve` stays in the foreground, and the commands after it are for another terminal. Here it serves on in the
 * background, once it is ready, until there is another or the block ends.
 */
const COFFER = `#!/bin/sh
if [ "$1" != serve ]; then exec coffer-itself "$@"; fi
end-server
coffer-itself "$@" >"$MANUAL_ROOT/log" 2>&1 &
echo $! >"$MANUAL_ROOT/pid"
until grep -qs "coffer is ready" "$MANUAL_ROOT/log"; do
  if ! kill -0 $! 2>/dev/null; then cat "$MANUAL_ROOT/log" >&2; exit 1; fi
  sleep 0.02
done
`;

const END_SERVER = `#!/bin/sh
if [ -f "$MANUAL_ROOT/pid" ]; then
  kill "$(cat "$MANUAL_ROOT/pid")"
  while kill -0 "$(cat "$MANUAL_ROOT/pid")" 2>/dev/null; do sleep 0.02; done
  # What it said that it was ready would stand for the next one.
  rm "$MANUAL_ROOT/pid" "$MANUAL_ROOT/log"
fi
`;

/** The other machine is this one. */
const SSH = `#!/bin/sh
shift
exec sh -c "$*"
`;

/** The host and the directories that the manual's examples name. */
const HOST = "drive.example.com";
const DIRECTORIES = ["bin", "data", "home", "mnt/a", "mnt/b", "srv", `etc/letsencrypt/live/${HOST}`];

/** Where the blocks of a page are run, one after another, as somebody would who has Coffer and follows the page. */
export interface ManualShell extends AsyncDisposable {
  /** The directory of all of it. */
  readonly root: string;
  /** The data directory that commands have which name none; empty at first. */
  readonly dataDir: string;
  /** The text with the paths and ports of here in place of the manual's, so that nothing else is touched. */
  localised(text: string): string;
  /** Runs a block; what it printed. Throws that if it fails. Variables stay for the blocks after it. */
  run(block: string): Promise<string>;
}

/** @param server who is at the address of the examples, if not one that a block starts */
export async function openManualShell(server?: Server): Promise<ManualShell> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const root = place.path;
  for (const name of DIRECTORIES) await mkdir(join(root, name), { recursive: true });
  const bin = join(root, "bin");
  for (const [name, script] of Object.entries({ coffer: COFFER, "end-server": END_SERVER, ssh: SSH })) {
    await Bun.write(join(bin, name), script);
    await chmod(join(bin, name), 0o755);
  }
  await symlink(await executable(), join(bin, "coffer-itself"));
  const live = join(root, `etc/letsencrypt/live/${HOST}`);
  const { pair } = await makeCertificate(root, "localhost");
  await Bun.write(join(live, "fullchain.pem"), pair.cert);
  await Bun.write(join(live, "privkey.pem"), pair.key);
  const [port, plainPort] = [server?.port ?? freePort(), freePort()];
  const localised = (text: string) =>
    text
      .replaceAll(/(?<![\w.~])\/(?:srv|mnt|etc\/letsencrypt)\//g, (path) => root + path)
      .replaceAll("localhost:2633", `localhost:${port}`)
      .replaceAll("COFFER_PORT=443", `COFFER_PORT=${port}`)
      .replaceAll("REDIRECT_PORT=80", `REDIRECT_PORT=${plainPort}`);
  const dataDir = join(root, "data");
  const state = join(root, "variables");
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: join(root, "home"),
    TMPDIR: root,
    LC_ALL: "C",
    MANUAL_ROOT: root,
    COFFER_DATA_DIR: dataDir,
    COFFER_HOST: "127.0.0.1",
    COFFER_PORT: String(port),
    COFFER_LOG: "json",
    COFFER_DISK_RESERVE: "0",
  };
  const run = async (block: string): Promise<string> => {
    // What a block sets in its own shell, the next one has, as in one terminal. What it exports is its own.
    const script = `[ ! -f ${state} ] || . ${state}\n${localised(block)}\ndeclare -p COFFER KEY ID >${state} 2>/dev/null || true\n`;
    const shell = Bun.spawn(["bash", "-eu", "-o", "pipefail"], {
      stdin: new Blob([script]),
      stdout: "pipe",
      stderr: "pipe",
      cwd: join(root, "home"),
      env,
    });
    const [stdout, stderr, code] = await Promise.all([
      shell.stdout.text(),
      shell.stderr.text(),
      shell.exited,
    ]);
    await Bun.spawn([join(bin, "end-server")], { env, stdio: ["ignore", "ignore", "ignore"] }).exited;
    if (code !== 0) throw new Error(`it ended with ${code}:\n${block}\n${stdout}${stderr}`);
    return stdout;
  };
  return {
    root,
    dataDir,
    localised,
    run,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
