import { test } from "bun:test";

/** `test`, with something that is opened for each test, handed to it, and closed after it. */
export function testWith<Opened extends AsyncDisposable | Disposable>(open: () => Opened | Promise<Opened>) {
  return (name: string, run: (opened: Opened) => unknown): void =>
    test(name, async () => {
      await using closing = new AsyncDisposableStack();
      await run(closing.use(await open()));
    });
}
