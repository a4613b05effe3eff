import { PassingFailure } from "./errors.ts";
import { S3ErrorReply } from "./replies.ts";

/** What is asked; `list` is all that is asked of the bucket itself by GET. */
export type S3Operation = "delete" | "get" | "head" | "list" | "post" | "put";

/** `refused`: an answer that would be the same again, also 404. `failed`: no answer, or one that says to try again. */
export type S3Outcome = "failed" | "ok" | "refused";

/** What came of all requests since the start. */
export interface S3Figures {
  /** Each time that one was sent. */
  readonly sent: Readonly<Record<S3Operation, Readonly<Record<S3Outcome, number>>>>;
  /** How often one was sent again. */
  readonly retries: number;
  /** Whether the store fails, so that nothing is sent for a while. */
  readonly isCircuitOpen: boolean;
}

const OPERATIONS = { DELETE: "delete", GET: "get", HEAD: "head", POST: "post", PUT: "put" } as const;

interface Sent {
  readonly method: keyof typeof OPERATIONS;
  /** Empty for the bucket itself. */
  readonly name: string;
}

/** Counts what is sent. */
export class S3Meter {
  readonly #sent: Record<S3Operation, Record<S3Outcome, number>> = {
    delete: none(),
    get: none(),
    head: none(),
    list: none(),
    post: none(),
    put: none(),
  };
  #retries = 0;

  figures(isCircuitOpen: boolean): S3Figures {
    return { sent: this.#sent, retries: this.#retries, isCircuitOpen };
  }

  /** Counts a request that is sent, and hands on its answer. */
  async count<T>({ method, name }: Sent, asked: Promise<T>): Promise<T> {
    const outcomes = this.#sent[method === "GET" && name === "" ? "list" : OPERATIONS[method]];
    try {
      const answer = await asked;
      outcomes[answer instanceof S3ErrorReply ? "refused" : "ok"] += 1;
      return answer;
    } catch (error) {
      // Else it is the caller that ended it.
      if (error instanceof PassingFailure) outcomes.failed += 1;
      throw error;
    }
  }

  countRetry(): void {
    this.#retries += 1;
  }
}

function none(): Record<S3Outcome, number> {
  return { failed: 0, ok: 0, refused: 0 };
}
