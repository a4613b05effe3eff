import { expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { eventStream, type ServerEvent } from "../../../src/http/operation/events.ts";
import type { StreamListener } from "../../../src/services/changes/feed.ts";
import { contextOf, RecordedLog } from "../stub-app.ts";

/** A stream of events that are put into its source, and what becomes of it; with an error, that is all there is to read. */
function open(error?: Error) {
  const waiting: ServerEvent[] = [];
  const seen = { reads: 0, closed: 0, broken: 0 };
  const context = contextOf(new Request("http://localhost/v0/changes"), {
    requestIP: () => null,
    timeout: () => void (seen.broken += 1),
  });
  const source = {
    read: () => {
      seen.reads += 1;
      if (error !== undefined) throw error;
      return { events: waiting.splice(0), hasMore: false };
    },
    close: () => void (seen.closed += 1),
  };
  const opened = Promise.withResolvers<StreamListener>();
  const response = eventStream({ context, log: new RecordedLog() }, (listener) => {
    opened.resolve(listener);
    return source;
  });
  return { waiting, seen, response, listener: opened.promise };
}

test("a client that reads nothing is read nothing for, and is cut off after a while", async () => {
  const { waiting, seen, listener: opened } = open();
  const listener = await opened;
  for (let n = 0; n < 100; n += 1) {
    waiting.push({ id: `${n}`, name: null, data: { path: `${n}` } });
    listener.wake();
  }
  // At most what the client has asked for once.
  expect(seen.reads).toBeLessThan(3);
  expect(waiting.length).toBeGreaterThan(90);
  for (let n = 0; n < 5; n += 1) listener.tick();
  expect(seen).toMatchObject({ closed: 1, broken: 1 });
});

test.each<[name: string, error: Error, said: string]>([
  ["it is gone", new CofferError("GONE", "too late"), 'event: gone\ndata: "too late"\n\n'],
  ["a key was revoked", new CofferError("UNAUTHORIZED", "revoked"), ""],
  ["it is broken", new Error("broken"), ""],
])(
  "what a source refuses ends the stream, and only that something is gone is said: %s",
  async (_, error, said) => {
    const { seen, response } = open(error);
    expect([await response.text(), seen.closed]).toEqual([`retry: 2000\n\n${said}`, 1]);
  },
);
