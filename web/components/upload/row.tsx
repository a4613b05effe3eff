import cancelIcon from "lucide-static/icons/x.svg" with { type: "text" };
import checkIcon from "lucide-static/icons/check.svg" with { type: "text" };
import retryIcon from "lucide-static/icons/rotate-cw.svg" with { type: "text" };
import { formatBytes } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import { nameIn } from "../../lib/uploads/names.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { isPending, isRetryable, type Upload } from "../../lib/uploads/upload.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";

/** One upload: its name, its progress, and its buttons. */
export function UploadRow({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }) {
  const { state, path, size, sent, error } = upload;
  return (
    <li class={`upload-row ${state}`}>
      <div class="upload-what">
        <span class="upload-name" title={plain(path)}>
          <Name text={nameIn(path)} />
        </span>
        {state === "sending" && (
          <progress
            aria-label={t("Upload of {path}", { path: plain(path) })}
            max={Math.max(size, 1)}
            value={sent}
          />
        )}
        {state !== "sending" && error === null && <span class="soft">{stateInWords(upload)}</span>}
        {error !== null && (
          <span class="upload-error">
            {error.message}
            {error.requestId !== undefined && <small> {t("Request {id}", { id: error.requestId })}</small>}
          </span>
        )}
      </div>
      <UploadAction upload={upload} queue={queue} />
    </li>
  );
}

function UploadAction({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }) {
  const { id, state, path } = upload;
  if (state === "done") return <Icon svg={checkIcon} />;
  const cancels = isPending(upload);
  if (!cancels && !isRetryable(upload)) return null;
  // One button for both actions, so that it keeps the focus.
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={
        cancels ? t("Cancel {path}", { path: plain(path) }) : t("Retry {path}", { path: plain(path) })
      }
      onClick={() => (cancels ? queue.cancel(id) : queue.retry(id))}
    >
      <Icon svg={cancels ? cancelIcon : retryIcon} />
    </button>
  );
}

function stateInWords({ state, file, size }: Upload): string {
  const what = file === null ? t("Empty folder") : formatBytes(size);
  switch (state) {
    case "waiting":
      return t("Waiting, {what}", { what });
    case "sending":
      return t("Uploading");
    case "asking":
      return t("Already exists: waiting for your choice");
    case "done":
      return what;
    case "skipped":
      return t("Skipped: already exists");
    case "cancelled":
      return t("Cancelled");
    case "failed":
      return t("Failed");
  }
}
