import { setDefaultTimeout } from "bun:test";

/**
 * Sets the timeout for tests and hooks of the calling file. It only ends tests that hang: the speed and load of the
 * machine must not matter, as they would with the runtime's five seconds.
 */
export function bePatient(): void {
  setDefaultTimeout(300_000);
}

// Runs before each file if each has its own process or globals; otherwise only before the first one, so files with slow
// tests call it themselves.
bePatient();
