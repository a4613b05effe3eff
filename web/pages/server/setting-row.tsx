import { Visible } from "../../components/name.tsx";
import type { Setting } from "../../lib/api/types.ts";
import { hintOf, shownValue, sourceOf, wordsOfSetting } from "../../lib/words/setting-words.ts";
import { t } from "../../lib/words/text.ts";

export type SettingAction = "change" | "back";

interface Props {
  readonly setting: Setting;
  readonly onAsk: (action: SettingAction) => void;
}

/** A setting: what it is for, its value, where that is from, and what can be done. */
export function SettingRow({ setting, onAsk }: Props) {
  const words = wordsOfSetting(setting);
  return (
    <li class="server-setting">
      <div>
        <h4>{words?.title ?? <code>{setting.variable}</code>}</h4>
        <p class="soft">{hintOf(setting)}</p>
      </div>
      <div>
        <p>
          <bdi>
            <Visible text={shownValue(setting)} />
          </bdi>
        </p>
        <p class="soft">{sourceOf(setting)}</p>
      </div>
      {setting.changeable && (
        <div class="row">
          <button
            type="button"
            class="button"
            aria-label={t("Change: {setting}", { setting: words?.title ?? setting.variable })}
            onClick={() => onAsk("change")}
          >
            {t("Change")}
          </button>
          {setting.source === "stored" && (
            <button
              type="button"
              class="button quiet"
              aria-label={t("Set back to default: {setting}", { setting: words?.title ?? setting.variable })}
              onClick={() => onAsk("back")}
            >
              {t("Set back to default")}
            </button>
          )}
        </div>
      )}
    </li>
  );
}
