/** The target of the last single click, or of the first click of a double click. */
let clicked: EventTarget | null = null;
let isElsewhere = false;

/**
 * To be called when a click leads to another page. People who double-click press once more, when the pointer is over
 * something else already; that second click is ignored.
 */
export function ignoreSecondClick(): void {
  isElsewhere = true;
}

function onClick(event: MouseEvent): void {
  if (event.detail < 2) {
    clicked = event.target;
    isElsewhere = false;
  } else if (isElsewhere && event.target !== clicked) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

addEventListener("click", onClick, { capture: true });
addEventListener("dblclick", onClick, { capture: true });
