import { setDefaultTimeout } from "bun:test";

/**
 * Sets how long a test of the calling file may take, and whatever it does before and after. This only ends what
 * hangs: how fast a machine is, and what else it does, must not decide over a test, as the runtime's five seconds
 * would.
 */
export function bePatient(): void {
  setDefaultTimeout(300_000);
}

// Before each file where each has a process, or globals, of its own; else before the first one alone, so that
// files with tests that take long call it themselves.
bePatient();
