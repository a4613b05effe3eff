import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useRem } from "./rem.ts";

/** What follows from how wide an element is, in rem; kept up to date, also where `key` changes what follows. */
export function useByWidth<T extends number | boolean>(
  ref: RefObject<HTMLElement | null>,
  key: string,
  follows: (width: number) => T,
): T {
  const rem = useRem();
  const [known, setKnown] = useState(() => follows(0));
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setKnown(() => follows(element.clientWidth / rem));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
    // `follows` is made anew at every rendering.
  }, [ref, key, rem]);
  return known;
}
