import { useLayoutEffect, useState } from "preact/hooks";

/**
 * A `rem` in pixels: it grows with the text that people set in their browser, and, by styles/tokens.css, with
 * the width of the window.
 */
export function remInPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** A `rem` in pixels, kept up to date. */
export function useRem(): number {
  const [rem, setRem] = useState(remInPixels);
  useLayoutEffect(() => {
    const measure = () => setRem(remInPixels());
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  return rem;
}
