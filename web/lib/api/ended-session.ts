import { promised } from "./connection.ts";

/** Requests of a session that has ended wait until its user has signed in again; then they are sent once more. */
export class EndedSession {
  /** Null where nobody is known who could sign in again. */
  #waiting: Set<(isSame: boolean) => void> | null = null;

  /** Somebody is known: from now on requests wait for them. */
  begin(): void {
    this.#waiting ??= new Set();
  }

  /** Whoever was known is signed in again, or it is known that the session never ended. */
  resume(): void {
    for (const go of this.#waiting ?? []) go(true);
  }

  /** Nobody is known any more, or somebody else: what waits is given up. */
  leave(): void {
    for (const go of this.#waiting ?? []) go(false);
    this.#waiting = null;
  }

  /** Resolves with whether the same user is signed in again. Throws the reason of `signal`, when it aborts. */
  async over(signal?: AbortSignal): Promise<boolean> {
    const waiting = this.#waiting;
    if (waiting === null) return false;
    let isSame = false;
    await promised((go) => {
      const end = (same: boolean) => {
        isSame = same;
        go();
      };
      waiting.add(end);
      return () => waiting.delete(end);
    }, signal);
    return isSame;
  }
}

/** The session of this page. */
export const endedSession = new EndedSession();
