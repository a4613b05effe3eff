import { Link } from "../../lib/browser/router.tsx";
import { t } from "../../lib/words/text.ts";

export function NotFound() {
  return (
    <div class="empty">
      <h1>{t("Page not found")}</h1>
      <p class="soft">{t("The address may be wrong, or the page no longer exists.")}</p>
      <Link to="/drives" class="button">
        {t("Go to your drives")}
      </Link>
    </div>
  );
}
