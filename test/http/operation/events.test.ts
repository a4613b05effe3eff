import { expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { RequestContext } from "../../../src/http/gate/request-context.ts";
import { type EventSource, eventStream, type ServerEvent } from "../../../src/http/operation/events.ts";
import { createLog } from "../../../src/process/log.ts";
import type { StreamListener } from "../../../src/services/changes/feed.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";

/** A source whose events are put into it, and what became of its stream. */
class Source implements EventSource {
  readonly waiting: ServerEvent[] = [];
  reads = 0;
  isClosed = false;
  error: Error | null = null;

  read() {
    this.reads += 1;
    if (this.error !== null) throw this.error;
    return { events: this.waiting.splice(0), hasMore: false };
  }

  close(): void {
    this.isClosed = true;
  }
}

function open() {
  const source = new Source();
  const broken: number[] = [];
  const request = new Request("http://localhost/v0/changes");
  const connections = {
    requestIP: () => null,
    timeout: (_: Request, seconds: number) => void broken.push(seconds),
  };
  const parts = {
    clientOf: () => "",
    isTrustedPeer: () => false,
    cutSocket: () => false,
    beginAttempt: () => {
      throw new Error("nothing is written");
    },
  };
  const context = new RequestContext(request, connections, parts);
  const log = createLog({ format: "json", clock: new FakeClock(), write: () => {} });
  const listeners: StreamListener[] = [];
  const response = eventStream({ context, log }, (listener) => {
    listeners.push(listener);
    return source;
  });
  const [listener] = listeners;
  if (listener === undefined || response.body === null) throw new Error("nothing was opened");
  return { source, listener, broken, response };
}

const event = (id: string) => ({ id, name: null, data: { path: id } });

test("a client that reads nothing is read nothing for, and is cut off after a while", () => {
  const { source, listener, broken } = open();
  for (let n = 0; n < 100; n += 1) {
    source.waiting.push(event(`${n}`));
    listener.wake();
  }
  // At most what the client has asked for once.
  expect(source.reads).toBeLessThan(3);
  expect(source.waiting.length).toBeGreaterThan(90);
  for (let n = 0; n < 5; n += 1) listener.tick();
  expect([source.isClosed, broken.length]).toEqual([true, 1]);
});

test("what a source refuses ends the stream, and only that something is gone is said", async () => {
  for (const [error, said] of [
    [new CofferError("GONE", "too late"), 'event: gone\ndata: "too late"\n\n'],
    [new CofferError("UNAUTHORIZED", "revoked"), ""],
    [new Error("broken"), ""],
  ] as const) {
    const { source, response } = open();
    source.error = error;
    expect([await response.text(), source.isClosed]).toEqual([`retry: 2000\n\n${said}`, true]);
  }
});
