import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useKeptFocus } from "../lib/browser/focus.ts";
import { useModal } from "../lib/browser/modal.ts";

/** A modal dialog; the focus stays in it, and the browser closes it on Escape. */
export function Dialog(props: {
  readonly title: string;
  /** For what needs more room than a form. */
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useModal(props.onClose);
  useKeptFocus(element);
  const title = useId();
  return (
    <dialog
      ref={element}
      class={props.isWide === true ? "dialog is-wide" : "dialog"}
      tabIndex={-1}
      aria-labelledby={title}
    >
      <div class="dialog-body">
        <h2 id={title}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
