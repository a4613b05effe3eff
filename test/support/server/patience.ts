import { setDefaultTimeout } from "bun:test";

// Runs before each file that has a process or globals of its own; of others only before the first one: `test/run.ts`
// names the same time. It only ends tests that hang: how fast the machine is must not matter, as it would with the
// runtime's five seconds.
setDefaultTimeout(300_000);
