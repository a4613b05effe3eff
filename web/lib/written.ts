/** Dispatched on the window when the server has done what a request was to change; its detail is a `Written`. */
export const WRITTEN = "coffer:written";

/** A request that changed something, and what the server answered. */
export interface Written {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly answer: unknown;
}
