import { useState } from "preact/hooks";
import type { Setting } from "../../lib/api/types.ts";
import { useHeadingAfterLoss } from "../../lib/browser/focus.ts";
import { groupsOf } from "../../lib/setting-groups.ts";
import { wordsOfSetting } from "../../lib/words/setting-words.ts";
import { plural, t } from "../../lib/words/text.ts";
import { ChangeSetting, SetBack } from "./setting-dialogs.tsx";
import { type SettingAction, SettingRow } from "./setting-row.tsx";

interface Props {
  readonly settings: readonly Setting[];
  readonly onChanged: () => void;
}

interface Asked {
  readonly action: SettingAction;
  readonly setting: Setting;
}

/** All settings, with where each is from. Some can be changed here. */
export function Settings({ settings, onChanged }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const own = settings.filter((setting) => wordsOfSetting(setting) !== null);
  const others = settings.filter((setting) => wordsOfSetting(setting) === null);
  // With its value, a setting that is set back loses its button.
  const heading = useHeadingAfterLoss(own.filter(({ source }) => source === "stored").length);
  const close = () => setAsked(null);
  const done = () => {
    close();
    onChanged();
  };
  return (
    <section aria-labelledby="settings" class="server-part">
      <h2 id="settings" ref={heading} tabIndex={-1}>
        {t("Settings")}
      </h2>
      <p class="soft">
        {t("A change holds at once. What the environment or a flag sets stands, and is changed there.")}
      </p>
      <div class="card">
        <Groups settings={own} onAsk={setAsked} />
      </div>
      <details class="card">
        <summary>{plural(others.length, "{count} other setting", "{count} other settings")}</summary>
        <p class="soft">
          {t("They come from the environment or the command line, and change with a restart.")}
        </p>
        <Groups settings={others} onAsk={setAsked} />
      </details>
      {asked?.action === "change" && <ChangeSetting setting={asked.setting} onClose={close} onDone={done} />}
      {asked?.action === "back" && <SetBack setting={asked.setting} onClose={close} onDone={done} />}
    </section>
  );
}

interface GroupsProps {
  readonly settings: readonly Setting[];
  readonly onAsk: (asked: Asked) => void;
}

function Groups({ settings, onAsk }: GroupsProps) {
  return (
    <>
      {groupsOf(settings).map(({ title, settings: some }) => (
        <section key={title} class="server-group">
          <h3>{t(title)}</h3>
          <ul class="server-settings">
            {some.map((setting) => (
              <SettingRow
                key={setting.name}
                setting={setting}
                onAsk={(action) => onAsk({ action, setting })}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
