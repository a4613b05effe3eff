import { test } from "bun:test";

/**
 * `test`, with something that is opened for each test, handed to it, and closed after it.
 *
 * @param register `longTest` for those that an ordinary run does without
 */
export function testWith<Opened extends AsyncDisposable | Disposable>(
  open: () => Opened | Promise<Opened>,
  register: (name: string, run: () => Promise<void>) => void = test,
) {
  return (name: string, run: (opened: Opened) => unknown): void =>
    register(name, async () => {
      await using closing = new AsyncDisposableStack();
      await run(closing.use(await open()));
    });
}
