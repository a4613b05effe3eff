import { LANGUAGES } from "../../../src/domain/accounts/language.ts";
import { say } from "../../components/toast.tsx";
import { asApiError, call } from "../../lib/api/api.ts";
import { useSession } from "../../lib/api/session.tsx";
import { chooseLanguage, LANGUAGE_NAMES } from "../../lib/words/language.ts";
import { t } from "../../lib/words/text.ts";

/** The language of the dashboard, for all browsers of the user. It changes at once. */
export function LanguageChoice() {
  const { account, refresh } = useSession();
  const choose = async (select: HTMLSelectElement) => {
    const language = LANGUAGES.find((each) => each === select.value) ?? null;
    try {
      await call("PATCH", "/v0/account", { body: { language }, untilAnswered: true });
      await chooseLanguage(language);
      refresh();
    } catch (error) {
      select.value = account.language ?? "";
      say(asApiError(error).message);
    }
  };
  return (
    <section class="card" aria-labelledby="language">
      <h2 id="language">{t("Language")}</h2>
      <select
        class="input"
        aria-labelledby="language"
        value={account.language ?? ""}
        onChange={(event) => void choose(event.currentTarget)}
      >
        <option value="">{t("As the browser asks")}</option>
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
      <p class="soft">{t("Your account keeps it, for all your browsers.")}</p>
    </section>
  );
}
