/** A `rem` in pixels. It is the size of text that the person set in their browser, 16 unless they did. */
export function remInPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
