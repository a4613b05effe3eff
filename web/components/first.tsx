import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** How many entries are shown at first, and with each press more: thousands take a browser seconds. */
const STEP = 200;

interface Props<T> {
  readonly of: readonly T[];
  /** The list of those that are shown, its entries as `<li>`. */
  readonly children: (shown: readonly T[]) => ComponentChildren;
}

/** The first entries of a list that is all there, and a button for more; the focus goes on to those. */
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
            Show more ({left.toLocaleString()} left)
          </button>
        </div>
      )}
    </>
  );
}
