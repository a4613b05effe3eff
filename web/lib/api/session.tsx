import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Visits } from "../news.ts";
import type { Account } from "./types.ts";

/** Who is signed in, for every page below the shell. */
export interface Session {
  readonly account: Account;
  /** Where they were, and what is new to them. */
  readonly visits: Visits;
  /** Reads the account again, after something about it changed. */
  readonly refresh: () => void;
  readonly signOut: () => Promise<void>;
}

/** The session that `useSession` gives; null outside the shell. */
export const SessionContext = createContext<Session | null>(null);

/** The session of the signed-in user; only within the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("this page needs somebody signed in");
  return session;
}
