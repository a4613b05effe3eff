import { useState } from "preact/hooks";
import { useStyle } from "../../lib/browser/style.ts";
import { keyNames } from "../../lib/browser/key-names.ts";
import { keepSingleKeys, SINGLE_KEYS, usesSingleKeys } from "../../lib/browser/single-keys.ts";
import { SHORTCUTS } from "../../lib/shortcuts.ts";
import { formatList } from "../../lib/words/format.ts";
import { type PlainMessage, shownLanguage, t } from "../../lib/words/text.ts";
import { Dialog } from "../dialog.tsx";
import style from "./shortcuts.css" with { type: "text" };

/** The list of the keys that do something. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  useStyle(style);
  const [isOn, setOn] = useState(usesSingleKeys);
  return (
    <Dialog title={t("Keyboard shortcuts")} isWide onClose={onClose}>
      <div class="shortcuts">
        {SHORTCUTS.map(({ where, shortcuts }) => (
          <section key={where} aria-label={t(where)}>
            <h3>{t(where)}</h3>
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
        {t("Use the keys {keys} in this browser", { keys: formatList(SINGLE_KEYS) })}
      </label>
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}

function Line({ press, does }: { readonly press: readonly string[]; readonly does: PlainMessage }) {
  const any = new Intl.ListFormat(shownLanguage(), { type: "disjunction" });
  return (
    <>
      <dt>
        {any
          .formatToParts(press.map(keyNames))
          .map(({ type, value }) => (type === "element" ? <kbd key={value}>{value}</kbd> : value))}
      </dt>
      <dd>{t(does)}</dd>
    </>
  );
}
