import { existsSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { codeOf } from "../domain/errors.ts";

/** What a thread may be asked for, by name: functions, or the methods of one object. */
export type Calls<C> = { readonly [Name in keyof C]: (...args: never[]) => unknown };

/** A message to a thread. It answers each, in the same order. */
export interface Call<Name, Argument> {
  readonly name: Name;
  readonly args: readonly Argument[];
}

/** Its answer: what the call returned, or what it threw. */
export type CallAnswer<Value> = { readonly value: Value } | { readonly failure: Thrown };

/** What was thrown in a thread. The code is such as that of SQLite, or empty. */
export interface Thrown {
  readonly message: string;
  readonly stack: string;
  readonly code: string;
}

/** An error for what a thread, called `what`, has thrown. */
export class CallFailure extends Error {
  readonly code: string;
  /** The message of what was thrown. */
  readonly thrown: string;

  constructor(what: string, { message, stack, code }: Thrown) {
    super(`${what} failed: ${stack}`);
    this.code = code;
    this.thrown = message;
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
    return { failure: thrown(error) };
  }
}

/** An error as a message to another thread has it. */
export function thrown(error: unknown): Thrown {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error), code: "" };
  const code = codeOf(error);
  return {
    message: error.message,
    stack: String(error.stack),
    code: typeof code === "string" ? code : "",
  };
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
