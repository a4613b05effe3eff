import { setDefaultTimeout } from "bun:test";

/**
 * How long a test may take, in milliseconds, and whatever it does before and after. This only ends what hangs:
 * how fast a machine is, and what else it does, must not decide over a test, as the runtime's five seconds would.
 */
setDefaultTimeout(300_000);
