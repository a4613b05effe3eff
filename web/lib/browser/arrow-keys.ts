import { isTyping } from "./typing.ts";

/** What goes by Left and Right by itself. */
const GOES = "audio, video, [role=tree], [role=grid], [role=menu], [role=tablist], [role=slider]";

/** Whether Left and Right, pressed at an element, mean something there: writing, playing, or scrolling sideways. */
export function hasArrowKeys(target: HTMLElement): boolean {
  if (isTyping(target) || target.closest(GOES) !== null) return true;
  for (let each: HTMLElement | null = target; each !== null; each = each.parentElement) {
    const isWide = each.scrollWidth > each.clientWidth;
    if (isWide && /auto|scroll/.test(getComputedStyle(each).overflowX)) return true;
  }
  return false;
}
