import { once } from "node:events";
import { connect, type Socket } from "node:net";

// A process that holds many connections to a server, each with a request of its own. The runtime's own client has only
// so many:
//   bun sockets.ts FILE
// Prints `open` once all are, then what came of it, as one line of JSON, and stays connected until it is killed.

/** What the file says. */
export interface Task {
  readonly port: number;
  /** One a connection, as it is sent. */
  readonly requests: readonly string[];
  /** Downloads for so many seconds, or waits on streams for what a request changes; its `{n}` is a number each time. */
  readonly work:
    | { readonly kind: "downloads"; readonly seconds: number }
    | { readonly kind: "streams"; readonly change: string; readonly rounds: number };
}

/** What it says of downloads: milliseconds of each. Of streams: milliseconds until the last was told, each time. */
export type Said = readonly number[];

/** How many connections are opened at once. */
const AT_ONCE = 50;
/** Between two changes, so that they are told apart, in milliseconds. */
const PAUSE_MS = 500;

if (import.meta.main) {
  const task: Task = await Bun.file(process.argv[2] ?? "").json();
  const said =
    task.work.kind === "downloads" ? await download(task, task.work.seconds) : await listen(task, task.work);
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.setNoDelay();
  return socket;
}

/** Each connection downloads again and again. */
async function download({ port, requests }: Task, seconds: number): Promise<Said> {
  const times: number[] = [];
  const sockets: Socket[] = [];
  while (sockets.length < requests.length) sockets.push(await open(port));
  process.stdout.write("open\n");
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    sockets.map(async (socket, n) => {
      while (performance.now() < end) {
        const since = performance.now();
        socket.write(requests[n] ?? "");
        await answer(socket);
        times.push(performance.now() - since);
      }
    }),
  );
  return times;
}

/** Waits for the whole of one answer. Throws if it is no success. */
async function answer(socket: Socket): Promise<void> {
  let text = "";
  for (let missing = 1; missing > 0;) {
    const [piece]: Buffer[] = await once(socket, "data");
    text += piece?.toString("latin1");
    const head = text.indexOf("\r\n\r\n");
    if (head === -1) continue;
    if (!isSuccess(text)) throw new Error(text);
    const length = /^content-length: (\d+)/im.exec(text)?.[1];
    missing = head + 4 + Number(length) - text.length;
  }
}

/** Each connection is a stream. Makes changes, and waits until all were told of each. */
async function listen(
  { port, requests }: Task,
  work: { readonly change: string; readonly rounds: number },
): Promise<Said> {
  const sockets: Socket[] = [];
  while (sockets.length < requests.length) {
    const next = requests.slice(sockets.length, sockets.length + AT_ONCE);
    sockets.push(
      ...(await Promise.all(
        next.map(async (request) => {
          const socket = await open(port);
          const begun = until(socket, "retry: ");
          socket.write(request);
          await begun;
          return socket;
        }),
      )),
    );
  }
  const times: number[] = [];
  const changer = await open(port);
  process.stdout.write("open\n");
  for (let round = 0; round < work.rounds; round += 1) {
    await Bun.sleep(PAUSE_MS);
    const told = Promise.all(sockets.map((socket) => until(socket, "data: ")));
    const since = performance.now();
    changer.write(work.change.replaceAll("{n}", String(round)));
    await answer(changer);
    await told;
    times.push(performance.now() - since);
  }
  return times;
}

/** Waits until this has come. Throws if the answer is no success. */
function until(socket: Socket, sign: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (piece: Buffer) => {
      text += piece.toString("latin1");
      const isRefused = text.startsWith("HTTP/") && !isSuccess(text);
      if (!isRefused && !text.includes(sign)) return;
      socket.off("data", read);
      if (isRefused) reject(new Error(text));
      else resolve();
    };
    socket.on("data", read);
  });
}

function isSuccess(text: string): boolean {
  return /^HTTP\/1\.1 20[01] /.test(text);
}
