/** What the last click was on that began anew, rather than being the second of a double click. */
let pressed: EventTarget | null = null;
let isElsewhere = false;

/**
 * To be called when a click leads to another page. Whoever is used to double clicks presses once more, and by
 * then something else lies below the pointer, for which the press is not meant: it is kept from that.
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
