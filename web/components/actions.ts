import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import type { MenuItem } from "./menu.tsx";

/** Something that can be done on the page that is shown. `title` says it in full where the name is short. */
export interface PageAction extends MenuItem {
  readonly title?: string;
}

type Offer = () => readonly PageAction[];

/** What the parts of the page that are shown offer to be done. */
export class OfferedActions {
  readonly #offers = new Set<Offer>();

  /** Adds what a part of the page offers; returns a function that takes it away. */
  add(offer: Offer): () => void {
    this.#offers.add(offer);
    return () => this.#offers.delete(offer);
  }

  /** All that is offered now. */
  all(): readonly PageAction[] {
    return [...this.#offers].flatMap((offer) => offer());
  }
}

/** Where `useActions` offers; null outside the shell. */
export const ActionsContext = createContext<OfferedActions | null>(null);

/** Offers actions, which have a button of their own as well, in "Search or jump to" while the component is shown. */
export function useActions(actions: readonly PageAction[]): void {
  const offered = useContext(ActionsContext);
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => offered?.add(() => latest.current), [offered]);
}
