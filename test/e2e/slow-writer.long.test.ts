import { expect, test } from "bun:test";
import { connect } from "node:net";
import { provision, serve } from "../support/server/executable.ts";

/** A few bytes at a time, for longer than a connection may be idle. */
const PIECES = 10;
const GAP_MS = 4_000;

test.each(["json", "raw"])("a client that sends its %s upload slowly gets it done", async (encoding) => {
  await using server = await serve();
  const agent = await provision(server);
  const [start, end, target] =
    encoding === "json"
      ? [`{"drive_id":"${agent.drive}","filename":"a","content":"`, '"}', "POST /v0/files"]
      : ["", "", `PUT /v0/files?drive_id=${agent.drive}&path=a`];
  const length = start.length + 4 * PIECES + end.length;
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("data", (answer) => resolve(answer.toString()));
  socket.on("close", () => resolve("cut off"));
  const head = [
    `${target} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${agent.key}`,
    `Content-Length: ${length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${start}`);
  for (let piece = 0; piece < PIECES; piece += 1) {
    await Bun.sleep(GAP_MS);
    socket.write("AAAA");
  }
  socket.write(end);
  expect(await promise).toStartWith("HTTP/1.1 201");
  socket.destroy();
});
