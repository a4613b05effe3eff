import { existsSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** What a thread may be asked for, by name: functions, or the methods of one object. */
export type Calls<C> = { readonly [Name in keyof C]: (...args: never[]) => unknown };

/** A message to a thread. It answers each, in the same order. */
export interface Call<Name, Argument> {
  readonly name: Name;
  readonly args: readonly Argument[];
}

/** Its answer: what the call returned, or the error that it threw, whose code may be empty. */
export type CallAnswer<Value> =
  | { readonly value: Value }
  | { readonly failure: { readonly message: string; readonly stack: string; readonly code: string } };

export class CallFailure extends Error {
  /** What was thrown there. Its code is such as that of SQLite, or empty. */
  readonly thrown: { readonly message: string; readonly code: string };

  constructor(text: string, thrown: { message: string; code: string }) {
    super(text);
    this.thrown = thrown;
  }
}

declare const self: Worker;

/** Has this thread answer what an `AskedThread` asks it: one call after the other. */
export function answerCalls<C extends Calls<C>>(calls: C): void {
  let last = Promise.resolve();
  self.addEventListener("message", ({ data }: MessageEvent<Call<keyof C, never>>) => {
    last = last.then(async () => self.postMessage(await answer(calls, data), []));
  });
}

async function answer<C extends Calls<C>>(
  calls: C,
  { name, args }: Call<keyof C, never>,
): Promise<CallAnswer<unknown>> {
  try {
    return { value: await calls[name](...args) };
  } catch (error) {
    if (!(error instanceof Error))
      return { failure: { message: String(error), stack: String(error), code: "" } };
    const { message, stack } = error;
    return { failure: { message, stack: String(stack), code: "code" in error ? String(error.code) : "" } };
  }
}

/** The running thread, as a link to `<process>/task/<thread>`. Only Linux has it, and a priority for each thread. */
const THREAD = "/proc/thread-self";

/** On a scale from -20 to 19. At 5 a thread has a quarter of the time where others want as much as they can get. */
const BACKGROUND = 5;

/** Lets all other threads go first where the processor is busy. For a thread whose work nobody waits for. */
export function giveWay(): void {
  if (!existsSync(THREAD)) return;
  const thread = Number(readlinkSync(THREAD).split("/").at(-1));
  try {
    // If the whole process gives way more, only the administrator may set it back.
    if (getPriority(thread) < BACKGROUND) setPriority(thread, BACKGROUND);
  } catch {
    // A sandbox may forbid it. All threads are equal then.
  }
}
