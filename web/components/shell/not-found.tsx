import lostIcon from "lucide-static/icons/folder-x.svg" with { type: "text" };
import { Empty } from "../empty.tsx";
import { Link } from "../../lib/browser/router.tsx";
import { t } from "../../lib/words/text.ts";

export function NotFound() {
  return (
    <Empty svg={lostIcon} title={t("Page not found")} isPage>
      <p class="soft">{t("The address may be wrong, or the page no longer exists.")}</p>
      <Link to="/drives" class="button">
        {t("Go to your drives")}
      </Link>
    </Empty>
  );
}
