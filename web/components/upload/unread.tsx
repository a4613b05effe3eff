import { Name } from "../name.tsx";
import { plural, t } from "../../lib/words/text.ts";

/** Paths listed; the rest are counted. */
const NAMED = 5;

interface UnreadProps {
  /** Paths, at least one. */
  readonly paths: readonly string[];
  readonly onClose: () => void;
}

/** Lists the dropped files that the browser could not read and that were not uploaded. */
export function Unread({ paths, onClose }: UnreadProps) {
  return (
    <div class="notice careful" role="alert">
      <p>
        {plural(
          paths.length,
          "Not uploaded: {count} item couldn't be read on this computer:",
          "Not uploaded: {count} items couldn't be read on this computer:",
        )}
      </p>
      <ul class="paths">
        {paths.slice(0, NAMED).map((path) => (
          <li key={path}>
            <Name text={path} />
          </li>
        ))}
        {paths.length > NAMED && <li>{t("and {count} more", { count: paths.length - NAMED })}</li>}
      </ul>
      <div>
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </div>
  );
}
