import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/process/clock.ts";
import { addAccount, addKey } from "../support/server/accounts.ts";
import { serve, type Server } from "../support/server/executable.ts";
import { settledIndex } from "../support/server/settled-index.ts";
import { eventually } from "../support/server/scenario.ts";
import { withReason } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const missing = ["bash", "curl", "sed", "sh"].filter((tool) => Bun.which(tool) === null);
const noTour = missing.length > 0 ? `${missing.join(" and ")} not installed` : "";

/** The block for the shell in a text. */
function tourIn(text: string): string {
  const tour = /^```(?:sh|bash)\n([^]*?)^```$/m.exec(text)?.[1];
  if (tour === undefined) throw new Error("there is no tour");
  return tour;
}

async function tourAt(server: Server, path: string): Promise<string> {
  return tourIn(await (await fetch(server.url + path)).text());
}

/**
 * Pastes a text into a shell, which has nothing but the common tools: neither a proxy, nor a configuration of curl, nor
 * a language that it complains of. Returns what it prints. The search comes once all is in the index: it waits for that
 * itself, though not for as long as some machines may take.
 */
async function paste(text: string, server: Server, program = "sh"): Promise<string> {
  await using home = await temporaryDirectory(FAST_DIRECTORY);
  const before = server.stdout.text.length;
  const shell = Bun.spawn([program, "-eu"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    cwd: home.path,
    env: { PATH: process.env["PATH"], HOME: home.path, LC_ALL: "C" },
  });
  const ended = Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited]);
  const [first = "", search = ""] = text.split(/^(?=curl .*\/v0\/search)/m);
  void shell.stdin.write(first);
  if (search !== "") {
    const listed = /"method":"GET",[^\n]*"route":"\/v0\/files"/;
    await eventually(() => shell.exitCode !== null || listed.test(server.stdout.text.slice(before)));
    await settledIndex(server.dataDir);
    void shell.stdin.write(search);
  }
  await shell.stdin.end();
  const [stdout, stderr, code] = await ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toContain('"error"');
  return stdout;
}

/** What every tour prints: the new file, the list, what was found, the edit, the content. */
function expectTour(printed: string): string[] {
  const [stored = "", listed = "", found = "", edited = "", content, ...rest] = printed.split("\n");
  expect(JSON.parse(stored)).toMatchObject({ path: "notes/hello.txt", size: 13 });
  expect(JSON.parse(listed)).toMatchObject({ data: [{ path: "notes/hello.txt" }], total: 1 });
  expect(JSON.parse(found)).toMatchObject({ data: [{ path: "notes/hello.txt" }], total: 1 });
  expect(JSON.parse(edited)).toMatchObject({ diff: expect.stringContaining("+Hello again!") });
  expect(content).toBe("Hello again!");
  return rest;
}

describe.skipIf(noTour !== "")(withReason("pasted into a shell", noTour), () => {
  let server: Server;
  /** It lets nobody make a drive without an account. */
  let closed: Server;
  beforeAll(async () => {
    [server, closed] = await Promise.all([serve(), serve({ env: { COFFER_PROVISIONING: "off" } })]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await closed[Symbol.asyncDispose]();
  });

  test("the tour of the README works, as one block", async () => {
    const readme = await Bun.file(join(resolve(import.meta.dir, "../.."), "README.md")).text();
    const tour = tourIn(readme.slice(readme.indexOf("\n## A tour in five calls\n")));
    expect(tour.match(/\bcurl\b/g)).toHaveLength(5);
    const before = server.stdout.text.length;
    const stdout = await paste(tour.replace("http://localhost:2633", server.url), server, "bash");
    expect(stdout).toMatch(/"total":2,"page":1/);
    expect(stdout).toEndWith("Hello World!\n");
    const requests = () =>
      Array.from(
        server.stdout.text.slice(before).matchAll(/"route":"([^"]+)","status":(\d+)/g),
        ([, route, status]) => `${route} ${status}`,
      );
    await eventually(() => requests().length >= 5);
    expect(requests()).toEqual([
      "/v0/drives/provision 201",
      "/v0/files 201",
      "/v0/files 201",
      "/v0/files 200",
      "/v0/files/:id/download 200",
    ]);
  });

  test.each(["/llms.txt", "/skill.md"])("the tour in %s works", async (path) => {
    const rest = expectTour(await paste(await tourAt(server, path), server));
    expect(rest).toEqual([expect.stringContaining("Open this link to keep the drive: "), ""]);
    const claim = /: (http\S+)$/.exec(rest[0] ?? "")?.[1] ?? "";
    const token = claim.slice(claim.lastIndexOf("/") + 1);
    const preview = await fetch(`${server.url}/v0/drives/claim/${token}`);
    expect(await preview.json()).toMatchObject({ data: { name: "My drive", file_count: 1 } });
  });

  test.each([
    ["ada", "a drive"],
    ["bob", "no drive"],
    ["carol", "a drive of somebody else's to read"],
  ])("the tour of a server without provisioning works with the key of %s, who has %s", async (name, has) => {
    addAccount({ dataDir: closed.dataDir, clock: systemClock }, name);
    const client = closed.client(addKey(closed, name));
    if (has === "a drive") await client.makeDrive("Notes");
    if (has === "a drive of somebody else's to read") {
      const owner = closed.client(addKey(closed, "ada"));
      const { id } = await owner.makeDrive("Shared");
      await owner.post(`/v0/drives/${id}/members`, { username: name, role: "reader" });
    }
    const tour = (await tourAt(closed, "/llms.txt")).replace("KEY='your key'", `KEY='${client.key}'`);
    expect(expectTour(await paste(tour, closed))).toEqual([""]);
  });
});
