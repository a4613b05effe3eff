import { createContext } from "preact";

/** Lines of the text that is shown which somebody has commented on, counted from 1. */
export const CommentedLinesContext = createContext<
  readonly { readonly start: number; readonly end: number }[]
>([]);
