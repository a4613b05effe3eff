import offIcon from "lucide-static/icons/cloud-off.svg" with { type: "text" };
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { connection, type Trouble } from "../../lib/api/connection.ts";
import { sentenceSpace } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";

const TICK_MS = 1000;

/** Says why nothing comes from the server, as long as that is so, and when it is tried again. Used once in the page. */
export function ServerTrouble() {
  const trouble = connection.trouble.value;
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && connection.tryNow();
    addEventListener("online", again);
    document.addEventListener("visibilitychange", again);
    return () => {
      removeEventListener("online", again);
      document.removeEventListener("visibilitychange", again);
    };
  }, []);
  return (
    <div class="trouble-place" role="status">
      {trouble !== null && <Banner trouble={trouble} />}
    </div>
  );
}

/** It comes only after a moment: most troubles are over by then. */
function Banner({ trouble }: { readonly trouble: Trouble }) {
  const banner = useRef<HTMLDivElement>(null);
  const over = useRef<Element | null>(null);
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useLayoutEffect(() => {
    // The popover shown last is on top. A dialog that opened since would cover it.
    const dialog = [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;
    if (banner.current?.matches(":popover-open") === true && dialog === over.current) return;
    over.current = dialog;
    banner.current?.hidePopover();
    banner.current?.showPopover();
  });
  return (
    <div ref={banner} class="trouble" popover="manual">
      <Icon svg={offIcon} />
      <p>
        {trouble.why === "away" ? t("Can't reach the server.") : t("The server is busy.")}
        {sentenceSpace()}
        {/* Not said again each second. */}
        <span aria-hidden="true">{nextIn(trouble.until - now)}</span>
      </p>
      {trouble.why === "away" && (
        <button type="button" class="button quiet" onClick={() => connection.tryNow()}>
          {t("Try now")}
        </button>
      )}
    </div>
  );
}

function nextIn(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds > 0 ? t("Trying again in {seconds} s.", { seconds }) : t("Trying again…");
}
