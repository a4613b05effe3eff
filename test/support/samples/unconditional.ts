import type { Precondition } from "../../../src/domain/files/precondition.ts";

/** A write without demands. */
export const UNCONDITIONAL: Precondition = { ifMatch: null, ifUnmodifiedSince: null, ifNoneMatch: null };
