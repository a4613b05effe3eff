import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../lib/words/text.ts";

/** Entries shown at first and added with each press: rendering thousands takes a browser seconds. */
const STEP = 200;

interface Props<T> {
  readonly of: readonly T[];
  /** Renders the entries that are shown, as a list of `<li>`. */
  readonly children: (shown: readonly T[]) => ComponentChildren;
}

/** The first entries of a fully loaded list, and a button for more, which moves the focus to the new ones. */
export function First<T>({ of, children }: Props<T>) {
  const [most, setMost] = useState(STEP);
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(STEP);
  useLayoutEffect(() => {
    if (before.current === most) return;
    const next = place.current?.querySelectorAll<HTMLElement>(":scope > * > li")[before.current];
    before.current = most;
    if (next === undefined) return;
    next.tabIndex = -1;
    next.focus();
  }, [most]);
  const left = of.length - most;
  return (
    <>
      <div ref={place}>{children(of.slice(0, most))}</div>
      {left > 0 && (
        <div>
          <button type="button" class="button" onClick={() => setMost(most + STEP)}>
            {t("Show more ({count} left)", { count: left })}
          </button>
        </div>
      )}
    </>
  );
}
