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

/** The error of a call that threw in its thread. */
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
