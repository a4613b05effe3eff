import { describe, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../support/server/client.ts";
import { provision, run, serve, type Server } from "../../support/server/executable.ts";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { eventually } from "../../support/server/scenario.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { sessionIn } from "../../support/server/sign-in.ts";
import { withReason } from "../../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { longTest } from "../../support/server/thorough.ts";

const MIB = 1024 * 1024;
const SMALL = contentOf("small", 1000);

function start(disk: SmallDisk): Promise<Server> {
  return serve({ dataDir: join(disk.path, "data"), wrapper: disk.wrapper });
}

const verify = ({ path, wrapper }: SmallDisk) => run(["verify"], { dataDir: join(path, "data"), wrapper });

/** The size of the reserve in the data directory, in bytes. */
function reserveOn(disk: SmallDisk): number {
  return statSync(join(disk.outside, "data/reserve")).size;
}

async function readiness(client: Client): Promise<unknown> {
  const { status, text } = await client.send("GET", "/readyz");
  return [status, JSON.parse(text)];
}

/** A start must be refused, with what to do. */
async function expectRefusal(disk: SmallDisk): Promise<void> {
  const refused = String(await failureOf(start(disk)));
  expect(refused).toContain("is on a full disk. Free some space on it");
  expect(refused).not.toContain("delete");
}

const FULL = [503, { status: "unavailable", problems: ["storage_full"] }];

describe.skipIf(NO_SMALL_DISK !== "")(withReason("a disk of 48 MiB", NO_SMALL_DISK), () => {
  longTest("that is full: the search index waits, and is made once there is room", async () => {
    await using disk = await SmallDisk.mount(48);
    const dataDir = join(disk.outside, "data");
    const first = await start(disk);
    const { key, drive } = await provision(first);
    const find = (server: Server, query: string) =>
      server.client(key).paths(`/v0/search?drive_id=${drive}&${query}`);
    for (const path of ["a.txt", "b.txt"]) await first.client(key).put(drive, path, "needle");
    await eventually(async () => (await find(first, "q=needle")).length === 2);
    expect(await first.stop()).toBe(0);
    rmSync(join(dataDir, "search.db"));
    disk.fill();
    await using server = await start(disk);
    expect(await find(server, "q=needle")).toEqual([]);
    expect(await find(server, "mime_type=text/*")).toHaveLength(2);
    expect(await readiness(server.client(key))).toMatchObject(FULL);
    disk.clear();
    await eventually(async () => (await find(server, "q=needle")).length === 2);
    expect(await readiness(server.client(key))).toMatchObject([200, { status: "ok" }]);
    expect(server.stdout.text).not.toContain('"level":"error"');
  });

  longTest("that is full, with a reserve of 0: deletion and sign-in go on, the rest is 507", async () => {
    await using disk = await SmallDisk.mount(48);
    await using server = await start(disk);
    const ofAda = { dataDir: join(disk.path, "data"), wrapper: disk.wrapper, input: "ada's password" };
    expect((await run(["user", "create", "ada", "--password-stdin"], ofAda)).code).toBe(0);
    const { client, drive } = await provision(server);
    const ids: string[] = [];
    for (const path of ["a.bin", "b.bin", "c.bin", "kept.bin", "folder/a.bin", "folder/b.bin"]) {
      ids.push(await client.store(drive, path, SMALL.slice()));
    }
    const [a, b, c, kept] = ids;
    const { id: keyId } = await client.makeKey();
    expect(await readiness(client)).toMatchObject([200, { status: "ok" }]);
    expect(reserveOn(disk)).toBe(8 * MIB);

    disk.fill();
    expect(await readiness(client)).toMatchObject(FULL);
    await server.stdout.until(/"level":"warn","message":"the disk is full/);
    const taking = async () => [
      await put(client, drive, "new.bin", SMALL),
      await client.status("POST", `/v0/files/${kept}/copy`, { body: { destination_path: "copy.bin" } }),
      await server.client().status("POST", "/v0/drives/provision", { body: { name: "New" } }),
    ];
    // Until the log needs room, a small write may still find some in it.
    while (reserveOn(disk) === 8 * MIB) await taking();
    expect(await taking()).toEqual([507, 507, 507]);

    await client.delete(`/v0/files/${a}`);
    await client.post("/v0/files/bulk-delete", { file_ids: [b ?? "", c ?? ""] }, 200);
    const folder = { drive_id: drive, path: "folder/" };
    await client.delete("/v0/folders", folder);
    await client.delete("/v0/folders", { ...folder, confirm: true });
    await client.delete(`/v0/keys/${keyId}`);
    await client.get("/v0/account/usage");
    const body = { username: "ada", password: "ada's password" };
    const session = sessionIn(await server.client().send("POST", "/auth/login", { body }));
    const headers = { cookie: `coffer_session=${session}`, origin: server.url };
    expect(await server.client().status("POST", "/auth/logout", { headers })).toBe(200);
    expect(await taking()).toEqual([507, 507, 507]);
    expect(await readiness(client)).toMatchObject(FULL);
    const health = { COFFER_HOST: "127.0.0.1", COFFER_PORT: String(server.port) };
    expect((await run(["healthcheck"], { env: health })).code).toBe(1);
    expect(Object.keys(await heldBy(client, drive))).toEqual(["kept.bin"]);

    disk.clear();
    expect(await taking()).toEqual([201, 201, 201]);
    expect(reserveOn(disk)).toBe(8 * MIB);
    expect(await readiness(client)).toMatchObject([200, { status: "ok" }]);
    await server.stdout.until(/"level":"warn","message":"the disk has room again/);
    expect(server.stdout.text).not.toContain('"level":"error"');
    expect(await server.stop()).toBe(0);
  });

  longTest(
    "that is full: a large folder goes into the trash at once, and small ones though another program takes all that is freed",
    async () => {
      await using disk = await SmallDisk.mount(48);
      await using server = await start(disk);
      const { client, drive } = await provision(server);
      const fill = async (folder: string, files: number) => {
        for (let n = 0; n < files; n += 50)
          await Promise.all(
            Array.from({ length: 50 }, (_, at) => client.put(drive, `${folder}${n + at}.bin`)),
          );
      };
      const remove = (path: string) =>
        client.delete<object>("/v0/folders", { drive_id: drive, path, confirm: true });
      await fill("f/", 2500);
      await client.post(`/v0/drives/${drive}/snapshots`, {});
      disk.fill();
      expect(await remove("f/")).toMatchObject({ deleted_count: 2500 });
      expect(await client.paths(`/v0/files?drive_id=${drive}`)).toEqual([]);
      disk.clear();
      expect((await verify(disk)).code).toBe(0);
      const folders = ["0/", "1/", "2/", "3/"];
      for (const folder of folders) await fill(folder, 100);
      for (const folder of folders) {
        disk.fill();
        expect(await remove(folder)).toMatchObject({ deleted_count: 100 });
      }
      expect(await server.stop()).toBe(0);
    },
  );

  test("that is full when a server starts: it starts from its reserve; without one, as the first one is, it says to make room, and not to delete the lock", async () => {
    await using disk = await SmallDisk.mount(48);
    disk.fill();
    await expectRefusal(disk);
    disk.clear();
    await using first = await start(disk);
    const { client: before, key, drive } = await provision(first);
    expect(await put(before, drive, "a.bin", SMALL)).toBe(201);
    disk.fill();
    await first.kill();
    await using second = await start(disk);
    const client = second.client(key);
    expect(await readiness(client)).toMatchObject(FULL);
    expect(await put(client, drive, "b.bin", SMALL)).toBe(507);
    await client.delete(`/v0/files/by-path?drive_id=${drive}&path=a.bin`);
    await second.kill();
    rmSync(join(disk.outside, "data/reserve"));
    disk.fill();
    await expectRefusal(disk);
    disk.clear();
    await using server = await start(disk);
    expect(await put(server.client(key), drive, "b.bin", SMALL)).toBe(201);
    expect(await server.stop()).toBe(0);
  });

  longTest(
    "that is full, where no program can open the index: it waits without an error, and verify does not call it damaged",
    async () => {
      await using disk = await SmallDisk.mount(48);
      await using first = await start(disk);
      const { client: before, key, drive } = await provision(first);
      for (const path of ["a.txt", "b.txt"]) await before.put(drive, path, "needle");
      await first.stdout.until(/the search index is filled/);
      expect(await first.stop()).toBe(0);
      disk.fill();
      const refused = await verify(disk);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("Free some space on its disk.");
      await using server = await start(disk);
      disk.fill();
      const client = server.client(key);
      await client.delete(`/v0/files/by-path?drive_id=${drive}&path=a.txt`);
      disk.fill();
      const find = () => client.paths(`/v0/search?drive_id=${drive}&q=needle`);
      // A search has the index opened.
      await find();
      const { code, stdout } = await verify(disk);
      expect(stdout).toMatch(/^note .*search\.db was not checked: its disk is full$/m);
      expect([code, stdout]).toEqual([0, expect.stringContaining("findings: 0")]);
      expect(server.stdout.text).not.toContain('"level":"error"');
      disk.clear();
      await eventually(async () => (await find()).length === 1);
      expect(await server.stop()).toBe(0);
    },
  );
});
