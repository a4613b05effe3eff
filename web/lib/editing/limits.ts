/** The largest text that can be edited, in bytes. */
export const EDITABLE_BYTES = 2 * 1024 * 1024;
