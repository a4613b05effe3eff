import { expect, test } from "bun:test";
import { Client } from "../support/server/client.ts";
import { run, serve, type Server } from "../support/server/executable.ts";
import { settledIndex } from "../support/server/settled-index.ts";
import { withReason } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const missing = ["sh", "curl", "sed"].filter((tool) => Bun.which(tool) === null);
const noTour = missing.length > 0 ? `${missing.join(" and ")} not installed` : "";

/** The block for the shell in one of the server's texts. */
async function tourIn(server: Server, path: string): Promise<string> {
  const text = await (await fetch(server.url + path)).text();
  const tour = /^```sh\n([^]*?)^```$/m.exec(text)?.[1];
  if (tour === undefined) throw new Error(`${path} has no tour`);
  return tour;
}

/**
 * Pastes a text into a shell, which has nothing but the common tools; returns what it prints. The search comes once all
 * is in the index: it waits for that itself, though not for as long as some machines may take.
 */
async function paste(text: string, home: string, server: Server): Promise<string> {
  const shell = Bun.spawn(["sh", "-eu"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" },
  });
  const ended = Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited]);
  const [before = "", after = ""] = text.split(/^(?=curl .*\/v0\/search)/m);
  void shell.stdin.write(before);
  await Promise.race([server.stdout.until(/"method":"GET",[^\n]*"route":"\/v0\/files"/), ended]);
  await settledIndex(server.dataDir);
  void shell.stdin.write(after);
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

test.skipIf(noTour !== "").each(["/llms.txt", "/skill.md"])(
  withReason("the tour in %s works when it is pasted into a shell", noTour),
  async (path) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    await using server = await serve(place);
    const rest = expectTour(await paste(await tourIn(server, path), place.path, server));
    expect(rest).toEqual([expect.stringContaining("Open this link to keep the drive: "), ""]);
    const claim = /: (http\S+)$/.exec(rest[0] ?? "")?.[1] ?? "";
    const token = claim.slice(claim.lastIndexOf("/") + 1);
    const preview = await fetch(`${server.url}/v0/drives/claim/${token}`);
    expect(await preview.json()).toMatchObject({ data: { name: "My drive", file_count: 1 } });
  },
);

test.skipIf(noTour !== "").each(["a drive", "no drive", "a drive of somebody else's to read"])(
  withReason("the tour of a server without provisioning works with a key of an account with %s", noTour),
  async (has) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const env = { COFFER_PROVISIONING: "off", COFFER_DATA_DIR: place.dataDir };
    await using server = await serve({ dataDir: env.COFFER_DATA_DIR, env });
    const keyOf = async (user: string) => {
      const password = { input: "a long password\n", env };
      await run(["user", "create", user, "--password-stdin"], password);
      return (await run(["key", "create", user], { env })).stdout.trim();
    };
    const key = await keyOf("ada");
    if (has !== "no drive") {
      const owner = new Client(server.url, has === "a drive" ? key : await keyOf("bob"));
      const body = { name: "Notes" };
      const { data } = await owner.post<{ data: { id: string } }>("/v0/drives", body);
      const member = { username: "ada", role: "reader" };
      if (has !== "a drive") await owner.post(`/v0/drives/${data.id}/members`, member);
    }
    const tour = (await tourIn(server, "/llms.txt")).replace("KEY='your key'", `KEY='${key}'`);
    expect(expectTour(await paste(tour, place.path, server))).toEqual([""]);
  },
);
