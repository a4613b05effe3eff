import type { ShownFile } from "../../lib/contents/content-source.ts";
import { t } from "../../lib/words/text.ts";
import { FileIcon } from "../file-icon.tsx";

/** Shown instead of a preview, with the reason. */
export function NoView({ file, why }: { readonly file: ShownFile; readonly why: string }) {
  return (
    <div class="preview-body preview-none">
      <FileIcon type={file.mime_type} />
      <p>{why}</p>
      <p class="soft">{t("Download it to open it in another app.")}</p>
    </div>
  );
}
