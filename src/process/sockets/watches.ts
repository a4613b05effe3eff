import { readFileSync } from "node:fs";
import { openDescriptors } from "../descriptors.ts";

/** That an epoll descriptor of this process watches a descriptor. */
export interface Watch {
  readonly epoll: number;
  /** The `epoll_event` that it was given: which events, and what it says of them to who waits. */
  readonly event: Uint8Array;
}

/** The data of an `epoll_event` stand right after its events on this processor, and are aligned on others. */
const DATA_AT = process.arch === "x64" ? 4 : 8;

/** Who watches a descriptor, as the kernel tells it. Linux only. */
export function watchesOf(descriptor: number): Watch[] {
  const line = new RegExp(`^tfd: *${descriptor} events: *([0-9a-f]+) data: *([0-9a-f]+)`, "m");
  return (openDescriptors() ?? []).flatMap((epoll) => {
    const [, events, data] = line.exec(detailsOf(epoll)) ?? [];
    return events === undefined ? [] : [{ epoll, event: eventOf(`0x${events}`, `0x${data}`) }];
  });
}

function eventOf(events: string, data: string): Uint8Array {
  const event = new Uint8Array(DATA_AT + 8);
  const view = new DataView(event.buffer);
  view.setUint32(0, Number(events), true);
  view.setBigUint64(DATA_AT, BigInt(data), true);
  return event;
}

function detailsOf(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
  } catch {
    // That of the list, which is closed by now.
    return "";
  }
}
