import { expect, test } from "bun:test";
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** Why a server does not start; it is an error of the test's if it does. */
async function refusal(dataDir: string): Promise<string> {
  try {
    await using server = await serve({ dataDir });
    return await server.stop().then(() => "it started");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function everythingIn(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).toSorted();
}

const HOMES: readonly (readonly [what: string, furnish: (home: string) => Promise<unknown>])[] = [
  [
    "a home with a tmp",
    async (home) => {
      await mkdir(join(home, "tmp/project"), { recursive: true });
      await writeFile(join(home, "tmp/letter.txt"), "dear friend");
      await writeFile(join(home, "tmp/project/notes.txt"), "notes");
      await writeFile(join(home, ".profile"), "");
    },
  ],
  [
    "a home whose tmp is a symbolic link",
    async (home) => {
      await mkdir(join(home, "scratch"));
      await writeFile(join(home, "scratch/letter.txt"), "dear friend");
      await symlink(join(home, "scratch"), join(home, "tmp"));
    },
  ],
  [
    "a directory with nothing but a tmp",
    async (home) => {
      await mkdir(join(home, "tmp"));
      await writeFile(join(home, "tmp", crypto.randomUUID()), "dear friend");
    },
  ],
];

test.each(HOMES)("a start on %s is refused and changes nothing", async (_, furnish) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await furnish(place.path);
  const before = await everythingIn(place.path);
  expect(await refusal(place.path)).toMatch(
    /coffer: .* holds .*(\.profile|scratch|tmp).*no Coffer.*--data-dir/,
  );
  expect(await everythingIn(place.path)).toEqual(before);
  const { code } = await run(["user", "create", "ada", "--password-stdin"], {
    dataDir: place.path,
    input: "correct horse battery",
  });
  expect([code, await everythingIn(place.path)]).toEqual([1, before]);
});

test("a start on a fresh mount is no start on a foreign directory", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await mkdir(join(place.path, "lost+found"));
  expect(await refusal(place.path)).toBe("it started");
  expect(await refusal(place.path)).toBe("it started");
});

test.each(["tmp", "blobs"])("a %s that became a symbolic link stops the start", async (name) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, elsewhere] = [place.dataDir, join(place.path, "elsewhere")];
  await (await serve({ dataDir })).stop();
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, crypto.randomUUID()), "dear friend");
  const before = await everythingIn(elsewhere);

  await rm(join(dataDir, name), { recursive: true });
  await symlink(elsewhere, join(dataDir, name));
  expect(await refusal(dataDir)).toMatch(/coffer: .*(tmp|blobs) is a symbolic link/);
  expect(await everythingIn(elsewhere)).toEqual(before);
});

test("a start removes only its own temporary files from its tmp", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const tmp = join(place.dataDir, "tmp");
  await (await serve(place)).stop();
  await mkdir(join(tmp, "project"));
  await writeFile(join(tmp, "project/notes.txt"), "notes");
  await writeFile(join(tmp, "letter.txt"), "dear friend");
  await writeFile(join(place.path, "precious"), "dear friend");
  await symlink(join(place.path, "precious"), join(tmp, `coffer-${crypto.randomUUID()}.tmp`));
  const before = await everythingIn(tmp);
  await writeFile(join(tmp, `coffer-${crypto.randomUUID()}.tmp`), "half an upload");
  await writeFile(join(tmp, crypto.randomUUID()), "half an upload to an earlier version");
  expect(await refusal(place.dataDir)).toBe("it started");
  expect(await everythingIn(tmp)).toEqual(before);
  expect(await Bun.file(join(place.path, "precious")).text()).toBe("dear friend");
});
