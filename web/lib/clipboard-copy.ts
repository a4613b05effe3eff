/** Copies a text. Where the page is not a secure context (plain http on a home network) the old way does it. */
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
  if (!done) throw new Error("The browser blocked copying. Select the text and copy it yourself.");
}
