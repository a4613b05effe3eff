import type { Answer, Client } from "./client.ts";
import { eventually } from "./scenario.ts";

type Sender = Pick<Client, "send">;

/** A request that was let in, and whose body is not complete. */
export interface HeldRequest {
  /** Sends the rest of the body; the answer. */
  readonly complete: () => Promise<Answer>;
}

/** Begins an upload. Resolves once it was let in, and waits for the rest of its content. */
export async function holdUpload(
  sender: Sender,
  path: string,
  [start, rest]: readonly [Uint8Array | string, Uint8Array | string] = ["Hello ", "World!"],
): Promise<HeldRequest> {
  const isToEnd = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(start));
      await isToEnd.promise;
      controller.enqueue(Buffer.from(rest));
      controller.close();
    },
  });
  const headers = idempotencyKey();
  const answer = sender.send("PUT", path, { body, headers });
  await isLetIn(sender, headers);
  return {
    complete: () => {
      isToEnd.resolve();
      return answer;
    },
  };
}

/** The header with a new Idempotency-Key. */
export function idempotencyKey() {
  return { "idempotency-key": crypto.randomUUID() };
}

/** Resolves once a request with this key was let in: another one with it is told to wait. */
export function isLetIn(sender: Sender, headers: Record<string, string>): Promise<void> {
  return eventually(async () => {
    const other = await sender.send("POST", "/v0/drives/provision", { body: "{", headers });
    return other.status === 409;
  });
}
