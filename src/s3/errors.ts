/** The store is away, slow or overloaded, also after what was tried again. It may answer later. */
export class S3Unavailable extends Error {
  override readonly name = "S3Unavailable";
  /** When to ask again at the earliest, in milliseconds from now. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options: ErrorOptions = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The store will answer the same until somebody changes something. The message tells the operator what. */
export class S3Refused extends Error {
  override readonly name = "S3Refused";
}

/** A request failed in a way that may pass: it is tried again, and leaves this folder as S3Unavailable. */
export class PassingFailure extends Error {
  override readonly name = "PassingFailure";
  /** How long the store asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0, options: ErrorOptions = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
