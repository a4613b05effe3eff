import { useLayoutEffect, useState } from "preact/hooks";

/**
 * A `rem` in pixels. It depends on the font size set in the browser and, in styles/tokens.css, on the width of the
 * window.
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
