import { expect, test } from "bun:test";
import { RawClient } from "../http/raw-client.ts";
import { provision, serve } from "../support/server/executable.ts";

/** A few bytes at a time, for longer than a connection may be idle. */
const PIECES = 10;
const GAP_MS = 4_000;

test("clients that send their uploads slowly, in JSON and raw, get them done", async () => {
  await using server = await serve();
  const { drive, key } = await provision(server);
  const send = async (target: string, start = "", end = "") => {
    const client = await RawClient.to(server.port);
    const length = start.length + 4 * PIECES + end.length;
    const headers = `Host: test\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}`;
    await client.write(`${target} HTTP/1.1\r\n${headers}\r\n\r\n${start}`);
    for (let piece = 0; piece < PIECES; piece += 1) {
      await Bun.sleep(GAP_MS);
      await client.write("AAAA");
    }
    await client.write(end);
    const { status } = await client.response();
    client.close();
    return [target, status];
  };
  const json = `{"drive_id":"${drive}","filename":"a","content":"`;
  const raw = `PUT /v0/files?drive_id=${drive}&path=b`;
  expect(await Promise.all([send("POST /v0/files", json, '"}'), send(raw)])).toEqual([
    ["POST /v0/files", 201],
    [raw, 201],
  ]);
});
