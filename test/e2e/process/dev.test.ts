import { expect, test } from "bun:test";
import { cp, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Output } from "../../support/server/executable.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const ROOT = resolve(import.meta.dir, "../../..");

async function replaceIn(path: string, old: string, by: string): Promise<void> {
  const text = await Bun.file(path).text();
  expect(text).toContain(old);
  await Bun.write(path, text.replace(old, by));
}

/** Waits for a start of the server after which a browser is answered with this text. Returns its address. */
async function answers(stdout: Output, path: string, text: string): Promise<string> {
  for (let starts = 1; ; starts += 1) {
    const ready = new RegExp(`(?:"coffer is ready"[^]*?"url":"(http:[^"]*)"[^]*?){${starts}}`);
    const address = (await stdout.until(ready))?.[1];
    if (address === undefined) throw new Error(`no start of the server answers with ${text}`);
    try {
      const answer = await fetch(address + path, { headers: { accept: "text/html" } });
      if ((await answer.text()).includes(text)) return address;
    } catch {
      // It was ended for the next start.
    }
  }
}

test("the dev script shows changes of the dashboard and of the server, also after one that was broken", async () => {
  await using place = await temporaryDirectory();
  for (const name of ["src", "web", ".github", "package.json", "tsconfig.json"]) {
    await cp(join(ROOT, name), join(place.path, name), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(place.path, "node_modules"));
  const child = Bun.spawn([process.execPath, "src/dev.ts", "--data-dir", place.dataDir], {
    cwd: place.path,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], COFFER_HOST: "127.0.0.1", COFFER_PORT: "0", COFFER_DISK_RESERVE: "0" },
  });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  try {
    await answers(stdout, "/", "<title>Coffer<");
    await replaceIn(join(place.path, "web/index.html"), "<title>Coffer<", "<title>Changed<");
    const address = await answers(stdout, "/", "<title>Changed<");
    const page = await (await fetch(address, { headers: { accept: "text/html" } })).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? "";
    // Once another page is served.
    expect(await (await fetch(address + script)).text()).toContain("location.reload()");
    const version = join(place.path, "src/process/version.ts");
    await replaceIn(version, "= version", "= = version");
    await stderr.until(/version\.ts/);
    await replaceIn(version, "= = version", '= "9.8.7" || version');
    await answers(stdout, "/docs/openapi.json", '"version":"9.8.7"');
  } finally {
    child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
  expect(stdout.text).toContain('"stopped"');
});
