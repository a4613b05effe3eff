import { type TObject, Type } from "@sinclair/typebox";
import type { RequestContext } from "../gate/request-context.ts";
import type { Message } from "./message.ts";

/**
 * The argument by which a tool call of a client that sends no key with its requests brings one, such as that of the
 * drive which it has just made. It counts as if it had come in the `Authorization` header, for this call alone, and goes
 * no further than here: neither the tool nor the log learns of it.
 */
export const KEY_ARGUMENT = "api_key";

const keyArgument = Type.String({
  description: "The key that provision_drive answered with, or one of your human's.",
});

/** Makes the holder of the key in a message the caller, if it is valid. Returns the message without it. */
export function takeKey(message: Message, context: RequestContext): Message {
  const { [KEY_ARGUMENT]: key, ...rest } = message.params?.arguments ?? {};
  if (key === undefined) return message;
  if (typeof key === "string") context.bringKey?.(key);
  return { ...message, params: { ...message.params, arguments: rest } };
}

export function withKeyArgument<Schema extends TObject>(input: Schema): Schema {
  const { properties, required = [] } = input;
  return {
    ...input,
    properties: { [KEY_ARGUMENT]: keyArgument, ...properties },
    required: [KEY_ARGUMENT, ...required],
  };
}
