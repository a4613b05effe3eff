import nextIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import previousIcon from "lucide-static/icons/chevron-left.svg" with { type: "text" };
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasArrowKeys } from "../../lib/browser/arrow-keys.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";

/** The place of a file among those beside it, from 1, and the way to them. */
export interface Steps {
  readonly at: number;
  readonly of: number;
  /** Shows the file so many places on. */
  readonly go: (by: number) => void;
}

/** How soon a key that is held goes on, in milliseconds: each file is asked for. */
const HELD_MS = 250;

/** Leads to the file before and after the one of a name, also by the arrow keys. Has to be in the preview's dialog. */
export function StepButtons({ steps, name }: { readonly steps: Steps; readonly name: string }) {
  const { at, of } = steps;
  const element = useRef<HTMLDivElement>(null);
  const [hasStepped, setStepped] = useState(false);
  const go = (by: number) => {
    if (at + by < 1 || at + by > of) return;
    setStepped(true);
    steps.go(by);
  };
  useArrowKeys(element, go);
  const button = (label: string, key: string, svg: string, by: number) => (
    <button
      type="button"
      class="button quiet"
      aria-label={label}
      aria-keyshortcuts={key}
      aria-disabled={at + by < 1 || at + by > of}
      title={label}
      onClick={() => go(by)}
    >
      <Icon svg={svg} />
    </button>
  );
  const place = t("{at} of {total}", { at, total: of });
  return (
    <div ref={element} class="preview-steps" role="group" aria-label={t("Files of this folder")}>
      {button(t("Previous file"), "ArrowLeft", previousIcon, -1)}
      <span class="soft">{place}</span>
      {button(t("Next file"), "ArrowRight", nextIcon, 1)}
      <span class="hidden-visually" aria-live="polite">
        {hasStepped && `${plain(name)}, ${place}`}
      </span>
    </div>
  );
}

/** Calls `go` with -1 or 1 on Left and Right in the dialog around an element, or nowhere, unless they mean something there. */
function useArrowKeys(inside: RefObject<HTMLElement | null>, go: (by: number) => void): void {
  const latest = useRef(go);
  latest.current = go;
  useLayoutEffect(() => {
    const dialog = inside.current?.closest("dialog") ?? null;
    let wentAt = 0;
    const press = (event: KeyboardEvent) => {
      const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
      const { target, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (by === 0 || altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
      if (!(target instanceof HTMLElement)) return;
      if (target.closest("dialog") !== dialog && !target.matches("body, main")) return;
      if (hasArrowKeys(target)) return;
      event.preventDefault();
      if (event.repeat && event.timeStamp - wentAt < HELD_MS) return;
      wentAt = event.timeStamp;
      latest.current(by);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
