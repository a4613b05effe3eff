import type { Socket } from "bun";

// Asks one server for the same thing again and again over many connections, in a process of its own:
//   bun load-client.ts PORT TARGET CONNECTIONS SECONDS [KEY]
// Prints the answers a second. Ends with an error at the first answer that is not 200.

const [port = "", target = "", connections = "", seconds = "", key = ""] = process.argv.slice(2);
const authorization = key === "" ? "" : `Authorization: Bearer ${key}\r\n`;
const request = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`);

/** What has come of the answer that a connection waits for. */
interface Waiting {
  head: string;
  /** Bytes of the body still to come; null while the head is incomplete. */
  left: number | null;
}

let answers = 0;

/** Takes what came; true when the answer is complete. */
function take(waiting: Waiting, piece: Buffer): boolean {
  if (waiting.left === null) {
    waiting.head += piece.toString("latin1");
    const end = waiting.head.indexOf("\r\n\r\n");
    if (end === -1) return false;
    if (!waiting.head.startsWith("HTTP/1.1 200 ")) throw new Error(waiting.head);
    const length = /\r\ncontent-length: (\d+)/i.exec(waiting.head.slice(0, end))?.[1];
    if (length === undefined) throw new Error(`an answer without a length: ${waiting.head}`);
    waiting.left = Number(length) - (waiting.head.length - end - 4);
  } else {
    waiting.left -= piece.length;
  }
  if (waiting.left > 0) return false;
  waiting.head = "";
  waiting.left = null;
  answers += 1;
  return true;
}

const sockets = await Promise.all(
  Array.from({ length: Number(connections) }, () =>
    Bun.connect<Waiting>({
      hostname: "127.0.0.1",
      port: Number(port),
      data: { head: "", left: null },
      socket: {
        data: (socket: Socket<Waiting>, piece: Buffer) => {
          if (take(socket.data, piece)) socket.write(request);
        },
        error: (_, error) => {
          throw error;
        },
      },
    }),
  ),
);
for (const socket of sockets) socket.write(request);

// The first second warms the server up and does not count.
await Bun.sleep(1000);
const before = answers;
const since = performance.now();
await Bun.sleep(Number(seconds) * 1000);
const rate = (answers - before) / ((performance.now() - since) / 1000);
await Bun.stdout.write(`${Math.round(rate)}\n`);
process.exit(0);
