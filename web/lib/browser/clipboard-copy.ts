import { t } from "../words/text.ts";

/**
 * Copies a text to the clipboard. On plain http, as on a home network, there is no `navigator.clipboard`, so the
 * deprecated `execCommand` does it.
 *
 * @throws Error with words for people when the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const copy = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", copy, { once: true });
  const done = document.execCommand("copy");
  document.removeEventListener("copy", copy);
  if (!done) throw new Error(t("The browser blocked copying. Select the text and copy it yourself."));
}
