import type { Pressure, RepeatedCall } from "./load.ts";

// Does what wrk does, where there is none, but takes more of the processor:
//   bun load-client.ts JSON
// Prints what came, as JSON.

interface Task {
  readonly url: string;
  readonly call: RepeatedCall;
  readonly pressure: Pressure;
  readonly first: number;
}

const { url, call, pressure, first }: Task = JSON.parse(process.argv[2] ?? "");
let [n, answers, bytes, failures] = [first, 0, 0, 0];

const since = performance.now();
const until = since + pressure.seconds * 1000;
await Promise.all(
  Array.from({ length: pressure.connections }, async () => {
    while (performance.now() < until) {
      const number = String((n += 1));
      const answer = await fetch(url + call.target.replaceAll("{n}", number), {
        method: call.method,
        headers: { ...call.headers },
        ...(call.body === undefined ? {} : { body: call.body.replaceAll("{n}", number) }),
      });
      bytes += (await answer.bytes()).length;
      answers += 1;
      if (!answer.ok) failures += 1;
    }
  }),
);
const seconds = (performance.now() - since) / 1000;
await Bun.stdout.write(`${JSON.stringify({ answers, bytes, seconds, failures })}\n`);
