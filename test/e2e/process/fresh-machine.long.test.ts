import { describe, expect, test } from "bun:test";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Output } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const NPM = { oldest: "10.9.9", usual: "11.21.2", newest: "12.2.0" };
/** Nobody listens there. */
const NO_PROXY_HERE = "http://127.0.0.1:9";

type Environment = Readonly<Record<string, string>>;
type Command = readonly [name: string, ...args: readonly string[]];

/** What a command prints on standard output; it has to end well. */
async function output(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: ROOT, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${stderr}`);
  return stdout;
}

/** How this machine reaches its registry, for an npm that sees nothing else of it. */
async function registrySettings(): Promise<Environment> {
  const settings: Record<string, string> = {};
  for (const name of ["registry", "cafile", "proxy", "https-proxy", "noproxy", "strict-ssl"]) {
    const value = (await output("npm", "config", "get", name)).trim();
    if (!["", "null", "undefined"].includes(value)) settings[`npm_config_${name.replace("-", "_")}`] = value;
  }
  for (const name of ["NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    const value = process.env[name];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

/** Why there can be no fresh machine here; empty where there can. */
async function hindrance(): Promise<string> {
  for (const name of ["node", "npm", "git", "sh"]) if (Bun.which(name) === null) return `there is no ${name}`;
  try {
    await output("npm", "view", `npm@${NPM.oldest}`, "version");
    return "";
  } catch {
    return "npm reaches no registry";
  }
}

/** A machine on which nobody has worked yet: an empty home, a clean clone, and only the tools it is given. */
async function freshMachine() {
  const [place, settings] = [await temporaryDirectory(), await registrySettings()];
  const at = (name: string) => join(place.path, name);
  for (const name of ["home", "tools", "clone"]) await mkdir(at(name));
  const addTool = (name: string, path: string | null = Bun.which(name)) => {
    if (path === null) throw new Error(`there is no ${name}`);
    return symlink(path, join(at("tools"), name));
  };
  await addTool("sh");
  // As it stands, with what is not committed yet.
  const listed = await output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  for (const path of listed.split("\0")) {
    if (path === "" || !(await Bun.file(join(ROOT, path)).exists())) continue;
    const copy = join(at("clone"), path);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(ROOT, path), copy);
  }
  return {
    addTool,
    /** Adds node, and npm and npx of a version. */
    addNpm: async (version: string): Promise<void> => {
      await addTool("node");
      await output("npm", "install", "--silent", "--prefix", at("npm"), `npm@${version}`);
      for (const name of ["npm", "npx"]) await addTool(name, join(at("npm/node_modules/.bin"), name));
    },
    /** Adds a tool that always fails. */
    addBroken: (name: string) => writeFile(join(at("tools"), name), "#!/bin/sh\nexit 1\n", { mode: 0o755 }),
    /**
     * Runs a command that starts the server, waits until it is ready, asks it whether it is well, asks the command
     * to end and waits until nothing of it is left. Returns what was printed.
     */
    serveAndStop: async ([name, ...args]: Command, env: Environment = {}): Promise<string> => {
      const command = [join(at("tools"), name), ...args, "--host", "127.0.0.1", "--port", "0"];
      const child = Bun.spawn(command, {
        cwd: at("clone"),
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...settings, HOME: at("home"), PATH: at("tools"), ...env },
      });
      const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
      try {
        const ready = await stdout.until(/"coffer is ready".*?"url":"http:\/\/[^"]*:(\d+)"/);
        if (ready === null) {
          await stderr.ended;
          throw new Error(`it ended before it was ready:\n${stdout.text}${stderr.text}`);
        }
        const answer = await fetch(`http://127.0.0.1:${ready[1]}/healthz`);
        expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
      } finally {
        child.kill("SIGTERM");
      }
      // The ends of the pipes are held by every process that the command has started.
      const [code] = await Promise.all([child.exited, stdout.ended, stderr.ended]);
      expect(code).toBe(0);
      expect(stdout.text).toContain('"message":"stopped"');
      return stdout.text + stderr.text;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const NPM_START: Command = ["npm", "start", "--"];
const hindered = await hindrance();

describe.skipIf(hindered !== "")(withReason("a fresh machine", hindered), () => {
  test(`\`npm start\` serves with npm ${NPM.oldest} and nothing else, then without a network`, async () => {
    await using machine = await freshMachine();
    await machine.addNpm(NPM.oldest);
    expect(await machine.serveAndStop(NPM_START)).toContain("Downloading Bun");
    const offline = { npm_config_https_proxy: NO_PROXY_HERE, HTTPS_PROXY: NO_PROXY_HERE };
    expect(await machine.serveAndStop(NPM_START, offline)).not.toContain("Downloading Bun");
  });

  test(`\`npm start\` serves where npm ${NPM.usual} is told to run no install scripts`, async () => {
    await using machine = await freshMachine();
    await machine.addNpm(NPM.usual);
    await machine.serveAndStop(NPM_START, { npm_config_ignore_scripts: "true" });
  });

  test(`\`npm start\` serves with npm ${NPM.newest} where another bun is on the PATH`, async () => {
    await using machine = await freshMachine();
    await machine.addNpm(NPM.newest);
    await machine.addBroken("bun");
    await machine.serveAndStop(NPM_START);
  });

  test("`bun start` serves where there is Bun and neither node nor npm", async () => {
    await using machine = await freshMachine();
    await machine.addTool("bun", process.execPath);
    await machine.serveAndStop(["bun", "start"]);
  });
});
