import { useState } from "preact/hooks";
import {
  type Appearance,
  APPEARANCES,
  chooseAppearance,
  chosenAppearance,
} from "../../lib/browser/appearance.ts";
import { mark, type PlainMessage, t } from "../../lib/words/text.ts";

const WORDS: Readonly<Record<Appearance, PlainMessage>> = {
  system: mark("System"),
  light: mark("Light"),
  dark: mark("Dark"),
};

/** Light or dark, for this browser. */
export function AppearanceChoice() {
  const [chosen, setChosen] = useState(chosenAppearance);
  return (
    <section class="card" aria-labelledby="appearance">
      <h2 id="appearance">{t("Appearance")}</h2>
      <div role="radiogroup" aria-labelledby="appearance" class="appearances">
        {APPEARANCES.map((appearance) => (
          <label key={appearance} class="appearance">
            <input
              type="radio"
              name="appearance"
              checked={appearance === chosen}
              onChange={() => {
                chooseAppearance(appearance);
                setChosen(appearance);
              }}
            />
            {t(WORDS[appearance])}
          </label>
        ))}
      </div>
      <p class="soft">{t("Each browser has its own setting.")}</p>
    </section>
  );
}
