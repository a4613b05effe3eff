import { expect, test } from "bun:test";
import { rowsIn } from "../../support/faults/change-database.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { provision, type Server, serve, signUp } from "../../support/server/executable.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const KILLS = 6;
const CLIENTS = 12;
/** The server is killed after this many answers, so always amid other requests. */
const ANSWERS = 25;

/** What an agent wants done once, and goes on asking for with the same key until it has an answer. */
interface Wish {
  readonly key: string;
  readonly number: number;
  /** Null as long as it has not reached the client. */
  answer: Answer | null;
  /** Whether an answer was on its way when the connection broke. */
  isLost: boolean;
}

interface Callers {
  readonly account: Client;
  readonly agent: Client;
  readonly drive: string;
}

/** Each kind takes effect in its own list, where it would stand twice if it were done twice. */
function ask({ account, agent, drive }: Callers, anonymous: Client, { key, number }: Wish): Promise<Answer> {
  const headers = { "idempotency-key": key };
  switch (number % 5) {
    case 0:
      return account.send("POST", "/v0/drives", { body: { name: `wish ${number}` }, headers });
    case 1:
      return agent.send("POST", "/v0/keys", { body: { name: `wish ${number}` }, headers });
    case 2:
      return anonymous.send("POST", "/v0/drives/provision", { body: { name: `wish ${number}` }, headers });
    case 3: {
      const path = `/v0/files?drive_id=${drive}&path=wish-${number}`;
      const body = new Uint8Array(1000 + (number % 4) * 40_000).fill(number);
      // A second effect would find the file of the first, and be refused.
      return agent.send("PUT", path, { body, headers: { ...headers, "if-none-match": "*" } });
    }
    default: {
      const body = { drive_id: drive, filename: `wish-${number}`, content: btoa(`content ${number}`) };
      return agent.send("POST", "/v0/files", { body, headers: { ...headers, "if-none-match": "*" } });
    }
  }
}

test("whatever is asked again with the same key is done once, however often the server is killed", async () => {
  await using place = await temporaryDirectory();
  let server = await serve(place);
  const wishes: Wish[] = [];
  try {
    const account = await signUp(server, "ada");
    const agent = await provision(server);
    const callersOf = (now: Server): Callers => ({
      account: now.client(account.key),
      agent: now.client(agent.key),
      drive: agent.drive,
    });
    let cutOff = 0;
    for (let round = 0; round < KILLS; round++) {
      cutOff += await wishUntilKilled(server, callersOf(server), wishes);
      server = await serve(place);
    }
    expect(cutOff).toBeGreaterThan(0);
    const pending = wishes.filter(({ answer }) => answer === null);
    for (const wish of pending) await grant(wish, ask(callersOf(server), server.client(), wish));

    for (const wish of wishes) {
      const again = await ask(callersOf(server), server.client(), wish);
      expect([wish.number, again.headers.get("idempotency-replayed")]).toEqual([wish.number, "true"]);
      wish.answer ??= again;
      expect([again.status, again.text]).toEqual([wish.answer.status, wish.answer.text]);
    }
    await requireOnce(callersOf(server), server, wishes);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.kill();
  }
});

/**
 * Many clients side by side, each with wishes of its own and old ones, until the server is killed amid them;
 * how many requests were cut off. On a machine with much else to do all may just have their answers.
 */
async function wishUntilKilled(server: Server, callers: Callers, wishes: Wish[]): Promise<number> {
  let answers = 0;
  const kills: Promise<void>[] = [];
  const open = wishes.filter(({ answer }) => answer === null);
  const client = async () => {
    while (kills.length === 0) {
      const wish = open.shift() ?? newWish(wishes);
      await grant(wish, ask(callers, server.client(), wish));
      answers += 1;
      if (answers === ANSWERS) kills.push(server.kill());
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: CLIENTS }, client));
  await Promise.all(kills);
  expect(answers).toBeGreaterThanOrEqual(ANSWERS);
  // A request that was cut off rejects with the connection's error; what it was answered must be right.
  const cutOff = outcomes.filter((outcome) => outcome.status === "rejected");
  for (const { reason } of cutOff) expect(reason).toMatchObject({ code: expect.any(String) });
  return cutOff.length;
}

function newWish(wishes: Wish[]): Wish {
  const wish = { key: crypto.randomUUID(), number: wishes.length, answer: null, isLost: false };
  wishes.push(wish);
  return wish;
}

async function grant(wish: Wish, asked: Promise<Answer>): Promise<void> {
  const answer = await asked;
  expect([wish.number, answer.status, answer.text]).toEqual([wish.number, 201, expect.any(String)]);
  const replayed = answer.headers.get("idempotency-replayed");
  if (wish.isLost) expect([wish.number, replayed]).toEqual([wish.number, "true"]);
  // Every third has to ask twice at least: its answer gets lost on the way, as in a broken connection.
  if (wish.number % 3 === 0 && !wish.isLost) wish.isLost = true;
  else wish.answer = answer;
}

/** Every wish stands exactly once where its effect shows, under the id of its answer. */
async function requireOnce({ account, agent, drive }: Callers, server: Server, wishes: readonly Wish[]) {
  const drives = await account.get<{ data: { id: string; name: string }[] }>("/v0/drives");
  const keys = await agent.get<{ id: string; name: string }[]>("/v0/keys");
  const files = await agent.get<{ data: { id: string; path: string }[]; total: number }>(
    `/v0/files?drive_id=${drive}&limit=1000`,
  );
  expect(files.data.length).toBe(files.total);
  const expected = (kinds: readonly number[]) =>
    wishes
      .filter(({ number }) => kinds.includes(number % 5))
      .map(({ answer }) => idIn(answer))
      .toSorted();
  expect(idsOfWishes(drives.data)).toEqual(expected([0]));
  expect(idsOfWishes(keys)).toEqual(expected([1]));
  expect(files.data.map(({ id }) => id).toSorted()).toEqual(expected([3, 4]));
  // Nobody may list unclaimed drives: each answer's key must open its own, and there are no others.
  const provisioned = wishes.filter(({ number }) => number % 5 === 2).map(({ answer }) => answer);
  for (const answer of provisioned) {
    const { data }: { data: { api_key: string; drive_id: string } } = JSON.parse(answer?.text ?? "");
    await server.client(data.api_key).get(`/v0/drives/${data.drive_id}`);
  }
  const unclaimed = rowsIn(server.dataDir, "SELECT 1 FROM drive WHERE user IS NULL");
  // And the agent's own.
  expect(unclaimed).toHaveLength(provisioned.length + 1);
}

function idsOfWishes(found: readonly { id: string; name: string }[]): string[] {
  const wished = found.filter(({ name }) => name.startsWith("wish "));
  return wished.map(({ id }) => id).toSorted();
}

function idIn(answer: Answer | null): string {
  const json: { id?: string; data?: { id: string } } = JSON.parse(answer?.text ?? "");
  return json.id ?? json.data?.id ?? "";
}
