import { describe, expect, test } from "bun:test";
import { ARCHIVE_LIMITS } from "../../../src/domain/limits.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { address, archived, filled } from "../../support/samples/archives.ts";
import { connections } from "../../support/faults/open-files.ts";
import { eventually, openStage, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { LARGE, SlowReader, rawGet } from "../../support/peers/slow-reader.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";

const stage = openStage({ "trusted-proxies": "127.0.0.1" });

/** Where a request says that it comes from. */
const from = (client: string) => ({ "x-forwarded-for": client });

/** One more archive is refused, since so many are under way. */
async function expectTooMany(own: OwnDrive, underWay: string, client = "192.0.2.1"): Promise<void> {
  const { headers, text } = await own.client.send("GET", address(own.id), { headers: from(client) });
  expect(headers.get("retry-after")).toBe("1");
  const message = `${underWay} already; wait until one is done.`;
  expect(JSON.parse(text).error).toMatchObject({ code: "RATE_LIMITED", message });
}

/** A drive of a new account, and a key of the account. */
async function account(): Promise<OwnDrive> {
  const name = `user-${crypto.randomUUID().slice(0, 8)}`;
  addAccount(stage.coffer, name);
  const client = await accountClient(stage.coffer, name);
  const { id } = await client.makeDrive("D");
  await client.put(id, "a", LARGE);
  return { id, key: client.key ?? "", client };
}

const unclaimed = () => filled(stage, { a: LARGE });

/** Asks for archives as many as one may have, and reads none. */
async function takeAll(readers: AsyncDisposableStack, own: OwnDrive, client: string): Promise<void> {
  for (let n = 0; n < ARCHIVE_LIMITS.each; n += 1) readers.use(await SlowReader.of(own, from(client)));
}

/** The same drive with a key of its own. */
async function another(own: OwnDrive): Promise<OwnDrive> {
  const { key } = await own.client.makeKey();
  return { ...own, key, client: stage.coffer.client(key) };
}

describe("how many archives may be under way", () => {
  test("of one caller, until one has come or was left", async () => {
    const own = await unclaimed();
    await using readers = new AsyncDisposableStack();
    const slow = async () => readers.use(await SlowReader.of(own));
    const [first, second] = [await slow(), await slow()];
    for (let n = 2; n < ARCHIVE_LIMITS.each; n += 1) await slow();
    const ofYours = `${ARCHIVE_LIMITS.each} archives of yours are under way`;
    await expectTooMany(own, ofYours);
    // Somebody else, and whoever asks for its head alone, does not wait for them.
    const other = await filled(stage, { b: "c" });
    expect(await archived(other.client, other.id)).toEqual({ b: "c" });
    expect((await own.client.send("HEAD", address(own.id))).status).toBe(200);
    expect(await first.rest()).not.toBeNull();
    await slow();
    await expectTooMany(own, ofYours);
    second.leave();
    await eventually(async () => (await own.client.send("GET", address(own.id))).status === 200);
  });

  test.each([
    ["a drive", unclaimed],
    ["an account", account],
  ])("of %s, whatever keys it makes and wherever they are used", async (_, make) => {
    const own = await make();
    await using readers = new AsyncDisposableStack();
    for (let n = 0; n < ARCHIVE_LIMITS.each; n += 1) {
      readers.use(await SlowReader.of(await another(own), from(`192.0.2.${n}`)));
    }
    await expectTooMany(await another(own), "4 archives of yours are under way", "192.0.2.99");
  });

  longTest(
    "nine drives at one address do not take all; nor do the drives or the accounts of any one address",
    async () => {
      await using readers = new AsyncDisposableStack();
      const [first, second, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
      await takeAll(readers, await unclaimed(), first);
      await takeAll(readers, await unclaimed(), first);
      const drive = await filled(stage, { b: "c" });
      const ofUnclaimed = "archives of unclaimed drives and links are under way";
      await expectTooMany(drive, `8 ${ofUnclaimed} to your address`, first);
      // People at the same address, such as behind one proxy, go on working.
      for (let n = 0; n < 2; n += 1) await takeAll(readers, await account(), first);
      const user = await account();
      await expectTooMany(user, "16 archives are under way to your address", first);
      // Whoever is elsewhere has what is left.
      for (let n = 0; n < 2; n += 1) await takeAll(readers, await unclaimed(), second);
      await expectTooMany(drive, `16 ${ofUnclaimed}`, third);
      await takeAll(readers, user, third);
      await takeAll(readers, await account(), third);
      await expectTooMany(await account(), "32 archives are under way", "192.0.2.4");
      await readers.disposeAsync();
      const again = () => drive.client.send("GET", address(drive.id), { headers: from(first) });
      await eventually(async () => (await again()).status === 200);
    },
  );
});

/** What the log's lines since it had `count` say of archives, and with which level. */
function logged(coffer: TestAppliance, count: number): string[] {
  return coffer.lines.slice(count).flatMap((line): string[] => {
    const { level, message }: { level: string; message: string } = JSON.parse(line);
    return message.includes("archive") ? [`${level}: ${message}`] : [];
  });
}

describe("a reader of an archive", () => {
  const GIVEN_UP = "info: an archive was aborted: its client stopped reading";

  test("that stops reading loses its place and its connection, even if it never reads again, and the log says so", async () => {
    await using coffer = await startAppliance({}, { archiveStallMs: 500 });
    const own = await provision(coffer);
    await own.client.store(own.id, "large", LARGE);
    await own.client.store(own.id, "small", "x");
    // Its thread has a connection, and ends after a while.
    await coffer.appliance.services.indexer.stop();
    const [before, lines] = [connections(), coffer.lines.length];
    await using readers = new AsyncDisposableStack();
    const stopped: SlowReader[] = [];
    for (let n = 0; n < ARCHIVE_LIMITS.each; n += 1) stopped.push(readers.use(await SlowReader.of(own)));
    // Null where the system does not tell.
    expect([true, null]).toContain(stopped.at(-1)?.isHeld ?? null);
    await eventually(() => logged(coffer, lines).length === stopped.length);
    await eventually(() => stopped.every(({ isHeld }) => isHeld !== true));
    expect(new Set(logged(coffer, lines))).toEqual(new Set([GIVEN_UP]));
    expect(connections()).toBe(before);
    expect(await archived(own.client, own.id, "small")).toEqual({ small: "x" });
    for (const reader of stopped) expect(await reader.rest()).toBeNull();
    expect(logged(coffer, lines)).toHaveLength(stopped.length);
  });

  test("that leaves is no error", async () => {
    const own = await stage.ownDrive();
    for (let n = 0; n < 30; n += 1)
      await own.client.store(own.id, `${n}`, Buffer.alloc(700_000, crypto.randomUUID()));
    const lines = stage.coffer.lines.length;
    for (let n = 0; n < 60; n += isThorough() ? 1 : 6) {
      const socket = rawGet(own.client, address(own.id));
      let received = 0;
      socket.on("data", ({ length }) => {
        received += length;
        if (received > n * 200_000) socket.destroy();
      });
      await new Promise((resolve) => socket.on("close", resolve));
    }
    // Whoever has left at the very end is told of a moment later.
    await eventually(async () => (await own.client.send("GET", address(own.id))).status === 200);
    const told = new Set(logged(stage.coffer, lines));
    expect(told).toEqual(new Set(["info: the client of an archive disconnected"]));
  });
});
