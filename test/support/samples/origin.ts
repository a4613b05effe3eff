import type { Origin } from "../../../src/domain/audit/origin.ts";

/** For what a test does itself, without a request. */
export const NOWHERE: Origin = { address: null, userAgent: null, requestId: "a test" };
