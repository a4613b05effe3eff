import type { ChangeType } from "../../src/domain/changes/change-types.ts";
import { mark, type PlainMessage } from "./words/text.ts";

/** What a person decides of a webhook. */
export interface WebhookChoice {
  readonly url: string;
  readonly events: readonly string[];
}

/** Whether anybody on the way to an address can read what is sent there. */
export function isPlain(url: string): boolean {
  return /^\s*http:/i.test(url);
}

type GroupOf<Type> = Type extends `${infer Group}.${string}` ? Group : never;

/** What changes are about, as the first part of their types says. */
export type EventGroup = GroupOf<ChangeType>;

/** What a webhook is told of: everything, or groups, and events that a program named one by one. */
export interface EventChoice {
  readonly isAll: boolean;
  readonly groups: readonly EventGroup[];
  readonly others: readonly string[];
}

/** Each group in words, and what happens in it. */
export const EVENT_GROUPS: Readonly<
  Record<EventGroup, { readonly name: PlainMessage; readonly what: PlainMessage }>
> = {
  file: { name: mark("Files"), what: mark("Added, changed, moved, deleted, put back") },
  files: { name: mark("Many files at once"), what: mark("One message for all that was done in one go") },
  folder: { name: mark("Folders"), what: mark("Made, copied, moved, deleted, put back") },
  comment: { name: mark("Comments"), what: mark("Written, changed, resolved, deleted") },
  version: { name: mark("Versions"), what: mark("Given a label") },
  link: { name: mark("Links"), what: mark("Made, revoked") },
  member: { name: mark("Members"), what: mark("Added, removed, given another role") },
  snapshot: { name: mark("Snapshots"), what: mark("Taken, deleted") },
  drive: { name: mark("The drive itself"), what: mark("Renamed, described, restored") },
};

const ALL = "*";

/** The groups, in the order in which they are shown. */
export const GROUPS = Object.keys(EVENT_GROUPS).filter(isGroup);

function isGroup(name: string): name is EventGroup {
  return Object.hasOwn(EVENT_GROUPS, name);
}

/** What the events of a webhook come to. */
export function choiceOf(events: readonly string[]): EventChoice {
  const groups = GROUPS.filter((group) => events.includes(eventOf(group)));
  const known = [ALL, ...groups.map(eventOf)];
  return { isAll: events.includes(ALL), groups, others: events.filter((event) => !known.includes(event)) };
}

/** The events of a choice, as the server takes them. */
export function eventsOf({ isAll, groups, others }: EventChoice): readonly string[] {
  return isAll ? [ALL] : [...groups.map(eventOf), ...others];
}

function eventOf(group: EventGroup): string {
  return `${group}.*`;
}
