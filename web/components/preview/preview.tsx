import { useContext } from "preact/hooks";
import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { useKeptFocus } from "../../lib/browser/focus.ts";
import { useModal } from "../../lib/browser/modal.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { PreviewContent } from "./content.tsx";
import { StepButtons, type Steps } from "./step-buttons.tsx";
import { useEscape } from "./use-escape.ts";

interface PreviewProps {
  readonly file: ShownFile;
  /** The way to the files beside it, if there is one. */
  readonly steps?: Steps | null;
  /** What else can be done with the file, before closing it. */
  readonly children?: ComponentChildren;
  /** What is to be known of the file before its content. */
  readonly notice?: ComponentChildren;
  /** What stands in place of the content. */
  readonly instead?: ComponentChildren;
  /** What stands beside the content. */
  readonly beside?: ComponentChildren;
  /** Whether it is a part of the page, beside a list, rather than over all of it. */
  readonly isBeside?: boolean;
  readonly onClose: () => void;
}

/**
 * Shows what is in a file. Contents are hostile: they become texts, images, media or drawn pages, and
 * nothing in them runs in our origin.
 */
export function Preview(props: PreviewProps) {
  const { file, steps = null, children, notice, instead, beside, isBeside = false, onClose } = props;
  const element = useModal(onClose, !isBeside);
  useKeptFocus(element);
  useEscape(element, onClose);
  const { download } = useContext(ContentSourceContext);
  return (
    <dialog
      ref={element}
      class={isBeside ? "preview beside" : "preview"}
      tabIndex={-1}
      autofocus={!isBeside}
      aria-labelledby="preview-title"
    >
      <header class="preview-head">
        <div class="preview-what">
          <h2 id="preview-title">
            <Name text={file.filename} />
          </h2>
          <p class="soft">
            {file.mime_type} · {formatBytes(file.size)} ·{" "}
            <time dateTime={file.updated_at} title={formatTime(file.updated_at)}>
              {formatRelative(file.updated_at)}
            </time>
          </p>
        </div>
        {steps !== null && <StepButtons steps={steps} name={file.filename} />}
        <a class="button" title={t("Download")} href={download(file)} download={file.filename}>
          <Icon svg={downloadIcon} /> <span class="preview-label">{t("Download")}</span>
        </a>
        {children}
        <button
          type="button"
          class="button quiet"
          aria-label={t("Close preview")}
          onClick={() => element.current?.close()}
        >
          <Icon svg={closeIcon} />
        </button>
      </header>
      {notice}
      <div class="preview-parts">
        <div class="preview-shown">{instead || <PreviewContent file={file} />}</div>
        {beside}
      </div>
    </dialog>
  );
}
