import { useState } from "preact/hooks";
import { useStyle } from "../../lib/browser/style.ts";
import { keyNames } from "../../lib/browser/key-names.ts";
import { keepSingleKeys, SINGLE_KEYS, usesSingleKeys } from "../../lib/browser/single-keys.ts";
import { SHORTCUTS } from "../../lib/shortcuts.ts";
import { Dialog } from "../dialog.tsx";
import style from "./shortcuts.css" with { type: "text" };

/** The list of the keys that do something. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  useStyle(style);
  const [isOn, setOn] = useState(usesSingleKeys);
  return (
    <Dialog title="Keyboard shortcuts" isWide onClose={onClose}>
      <div class="shortcuts">
        {SHORTCUTS.map(({ where, shortcuts }) => (
          <section key={where} aria-label={where}>
            <h3>{where}</h3>
            <dl class="facts">
              {shortcuts.map(({ press, does }) => (
                <Line key={does} press={press} does={does} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            keepSingleKeys(checked);
            setOn(checked);
          }}
        />
        Use the keys {SINGLE_KEYS.join(" and ")} in this browser
      </label>
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Line({ press, does }: { readonly press: readonly string[]; readonly does: string }) {
  return (
    <>
      <dt>
        {press.map((keys, at) => (
          <span key={keys}>
            {at > 0 && " or "}
            <kbd>{keyNames(keys)}</kbd>
          </span>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}
