import { PassedSocket } from "./passed-socket.ts";

/** What a manager of services says of the sockets that it has passed. */
export interface Passing {
  /** How many, as it says it. */
  readonly count: string;
  /** The name of each; null if it gives none. */
  readonly names: readonly string[] | null;
}

/** The sockets that a server is to listen on. */
export interface PassedSockets {
  readonly main: PassedSocket;
  /** For plain HTTP, which is redirected; null if none was passed. */
  readonly redirect: PassedSocket | null;
}

/** The first of those that are passed: those before are the three of every process. */
const FIRST_DESCRIPTOR = 3;
const REDIRECT = "redirect";

/**
 * Takes the sockets that were passed to this process, as `sd_listen_fds` does; null if none were. Throws an Error for
 * the operator if they are others than can be served.
 *
 * @param redirects whether plain HTTP is redirected
 */
export function passedSockets(passing: Passing | null, redirects: boolean): PassedSockets | null {
  if (passing === null || process.platform !== "linux") return null;
  const count = passing.count === "1" ? 1 : passing.count === "2" ? 2 : null;
  if (count === null || (passing.names !== null && passing.names.length !== count)) {
    throw new Error(
      "One socket may be passed, and a second one for COFFER_TLS_REDIRECT_PORT: LISTEN_FDS or LISTEN_FDNAMES does not fit.",
    );
  }
  const names = Array.from({ length: count }, (_, at) => passing.names?.[at] ?? null);
  const redirectAt = names.indexOf(REDIRECT);
  const mainAt = names.findIndex((name) => name !== REDIRECT);
  if (mainAt === -1 || (count === 2 && redirectAt === -1)) {
    throw new Error(
      "Of the sockets that are passed, one must have another name than redirect, and a second one that name: see FileDescriptorName= of its socket unit.",
    );
  }
  if (redirectAt !== -1 && !redirects) {
    throw new Error("A socket with the name redirect was passed, which needs COFFER_TLS_REDIRECT_PORT.");
  }
  return {
    main: new PassedSocket(FIRST_DESCRIPTOR + mainAt),
    redirect: redirectAt === -1 ? null : new PassedSocket(FIRST_DESCRIPTOR + redirectAt),
  };
}
