import { expect, test } from "bun:test";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import { Receiver } from "../../support/peers/receiver.ts";
import { eventually } from "../../support/server/scenario.ts";

const CHANGES = 10_000;
/** How many are made at once. */
const AT_ONCE = 100;

test("10,000 changes while a webhook's server is down all come once it is back, over a restart", async () => {
  await using receiver = new Receiver();
  await using coffer = await startWithAda({ "webhook-addresses": "127.0.0.1" });
  const client = await accountClient(coffer, "ada");
  const drive = await client.makeDrive("Busy");
  receiver.answer = () => new Response(null, { status: 503 });
  const body = { url: receiver.url(), events: ["file.created"] };
  const { id } = await client.post<{ id: string }>("/v0/webhooks", body);
  for (let at = 0; at < CHANGES; at += AT_ONCE) {
    const put = (n: number) => client.put(drive.id, String(at + n), "x");
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => put(n)));
  }
  const { total } = await client.get<{ total: number }>(`/v0/webhooks/${id}/deliveries`);
  // The others wait in the feed.
  expect(total).toBe(1000);
  await coffer.restart();
  receiver.received.length = 0;
  receiver.answer = () => new Response();
  const came = new Set<unknown>();
  for (let some = 1000; some <= CHANGES; some += 1000) {
    await eventually(() => {
      for (const { message } of receiver.received.splice(0)) came.add(message.data["path"]);
      coffer.clock.advance(1000);
      coffer.appliance.services.webhookSender.pump();
      return came.size >= some;
    });
  }
});
