import type { Caller } from "../accounts/caller.ts";
import { type KeyId, parseId, type UserId } from "../id.ts";

/** Who changed something: a key, a user with a session, or whoever had a link. */
export type Actor =
  | { readonly kind: "key"; readonly id: KeyId }
  | { readonly kind: "user"; readonly id: UserId }
  | { readonly kind: "link"; readonly id: string };

export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Null for the server. */
  readonly by: Actor | null;
}

/** Who a caller is as the one who changes something. */
export function actorOf(caller: Caller): Actor {
  return caller.keyId === null ? { kind: "user", id: caller.userId } : { kind: "key", id: caller.keyId };
}

/** An actor as the database has it, such as `key:<id>`; null for the server. */
export function actorText(actor: Actor | null): string | null {
  return actor === null ? null : `${actor.kind}:${actor.id}`;
}

/** Reads what `actorText` wrote. Throws for anything else. */
export function parseActor(text: string | null): Actor | null {
  if (text === null) return null;
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const id = text.slice(colon + 1);
  switch (kind) {
    case "key":
      return { kind, id: known(parseId<KeyId>(id)) };
    case "user":
      return { kind, id: known(parseId<UserId>(id)) };
    case "link":
      return { kind, id };
    default:
      throw new Error("the database names an actor of an unknown kind");
  }
}

function known<T>(id: T | null): T {
  if (id === null) throw new Error("the database names an actor with a malformed id");
  return id;
}

/** An actor, with the name of the key or user; null once that is gone, and for links. */
export type NamedActor = Actor & { readonly name: string | null };

/** An actor of the database with its name; null for the server. */
export function namedActor(text: string | null, name: string | null): NamedActor | null {
  const actor = parseActor(text);
  return actor === null ? null : { ...actor, name };
}
