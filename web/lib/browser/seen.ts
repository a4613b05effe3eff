import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Whether an element has come in sight by now, for what is loaded no earlier. */
export function useSeen<T extends Element>(): {
  readonly ref: RefObject<T | null>;
  readonly isSeen: boolean;
} {
  const ref = useRef<T>(null);
  const [isSeen, setSeen] = useState(false);
  useLayoutEffect(() => {
    if (ref.current === null) return;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      watch.disconnect();
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return { ref, isSeen };
}
