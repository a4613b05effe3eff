import { t } from "../../lib/words/text.ts";

/** What a key is called. @param name null if it is gone */
export function keyName(name: string | null): string {
  return name === null ? t("Revoked key") : name || t("Unnamed key");
}
