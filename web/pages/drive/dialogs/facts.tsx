import type { ComponentChildren } from "preact";
import { Name } from "../../../components/name.tsx";
import type { FileRecord } from "../../../lib/api/types.ts";
import { formatBytes, formatTime } from "../../../lib/words/format.ts";
import { plural, t } from "../../../lib/words/text.ts";

interface FactsProps {
  readonly file: FileRecord;
  /** Who made it what it is, after the time; nothing where that is not known. */
  readonly by?: ComponentChildren;
  /** More of them, each a `dt` and its `dd`. */
  readonly children?: ComponentChildren;
}

/** What is known of a file. */
export function Facts({ file, by, children }: FactsProps) {
  return (
    <dl class="facts">
      <dt>{t("Path")}</dt>
      <dd>
        <Name text={file.path} />
      </dd>
      <dt>{t("Size")}</dt>
      <dd>{sizeInWords(file.size)}</dd>
      <dt>{t("Type")}</dt>
      <dd>{file.mime_type}</dd>
      <dt>{t("Created")}</dt>
      <dd>{formatTime(file.created_at)}</dd>
      <dt>{t("Modified")}</dt>
      <dd>
        {formatTime(file.updated_at)} {by}
      </dd>
      <dt>SHA-256</dt>
      <dd>
        <code>{file.content_hash.replace(/^sha256:/, "")}</code>
      </dd>
      <dt>{t("ID")}</dt>
      <dd>
        <code>{file.id}</code>
      </dd>
      {children}
    </dl>
  );
}

/** A size as people read it, and to the byte. */
export function sizeInWords(bytes: number): string {
  const size = formatBytes(bytes);
  return bytes < 1024 ? size : plural(bytes, "{size} ({count} byte)", "{size} ({count} bytes)", { size });
}
