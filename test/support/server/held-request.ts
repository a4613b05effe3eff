import type { Answer, Client } from "./client.ts";
import { eventually } from "./scenario.ts";

type Sender = Pick<Client, "send">;

/** A request that was let in, and whose body is not complete. */
export interface HeldRequest {
  /** Sends the rest of the body; the answer. */
  readonly complete: () => Promise<Answer>;
}

/** Begins a request, with a key of its own if none is given. Resolves once it was let in, and waits for the rest of its body. */
export async function holdRequest(
  sender: Sender,
  [method, path]: readonly [method: string, path: string],
  [start, rest]: readonly [Uint8Array | string, Uint8Array | string] = ["Hello ", "World!"],
  headers: Record<string, string> = idempotencyKey(),
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
  const answer = sender.send(method, path, { body, headers });
  await isLetIn(sender, headers);
  return {
    complete: () => {
      isToEnd.resolve();
      return answer;
    },
  };
}

/** The same for an upload of "Hello World!", or of these two parts. */
export function holdUpload(
  sender: Sender,
  path: string,
  parts?: readonly [Uint8Array | string, Uint8Array | string],
): Promise<HeldRequest> {
  return holdRequest(sender, ["PUT", path], parts);
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
