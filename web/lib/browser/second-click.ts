/** The target of the last single click, or of the first click of a double click. */
let pressed: EventTarget | null = null;
let isElsewhere = false;

/**
 * To be called when a click leads to another page. People who double-click press once more, when the pointer is over
 * something else already; that second click is ignored.
 */
export function leadElsewhere(): void {
  isElsewhere = true;
}

function judge(event: MouseEvent): void {
  if (event.detail < 2) {
    pressed = event.target;
    isElsewhere = false;
  } else if (isElsewhere && event.target !== pressed) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

addEventListener("click", judge, { capture: true });
addEventListener("dblclick", judge, { capture: true });
