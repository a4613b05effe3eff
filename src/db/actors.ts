import { type NamedActor, parseActor } from "../domain/actor.ts";

/** What `actorName` adds to a row, beside the actor's own column. */
export interface ActorColumns {
  /** See `actorText`. */
  readonly actor: string | null;
  readonly actorName: string | null;
}

/**
 * The SQL of the columns of an actor: as it is stored, and its name now, which is null if there is none any more.
 *
 * @param column holds what `actorText` wrote
 */
export function actorColumns(column: string): string {
  return `${column} AS actor, CASE substr(${column}, 1, instr(${column}, ':') - 1)
    WHEN 'key' THEN (SELECT a.name FROM api_key a WHERE a.id = substr(${column}, 5))
    WHEN 'user' THEN (SELECT a.username FROM user a WHERE a.id = substr(${column}, 6)) END AS actorName`;
}

/** The actor of a row with `actorColumns`; null for the server. */
export function actorFromRow({ actor, actorName: name }: ActorColumns): NamedActor | null {
  const known = parseActor(actor);
  return known === null ? null : { ...known, name };
}
