import { useContext } from "preact/hooks";
import { documentFormatOf } from "../../../src/domain/contents/extraction.ts";
import type { ApiError } from "../../lib/api/api.ts";
import { readDocument, TEXT_BYTES } from "../../lib/contents/contents.ts";
import { formatBytes, sentenceSpace } from "../../lib/words/format.ts";
import { t } from "../../lib/words/text.ts";
import { useLoad } from "../../lib/api/load.ts";
import { ContentSourceContext, type ShownFile } from "../../lib/contents/content-source.ts";
import { Failure } from "../failure.tsx";
import { LinesView } from "./lines-view.tsx";
import { NoView } from "./no-view.tsx";

/** Refusals that are about the document, so that it is no use to try again. */
const UNREADABLE: readonly string[] = ["UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED", "PAYLOAD_TOO_LARGE"];

interface DocumentViewProps {
  readonly file: ShownFile;
  /** Why only the text is shown. */
  readonly why: string;
}

/** The text of a document that the browser cannot show. The server reads it. */
export function DocumentView({ file, why }: DocumentViewProps) {
  const { text: addressOf } = useContext(ContentSourceContext);
  const { loaded, reload } = useLoad(file.id, (signal) => readDocument(addressOf(file), file, signal));
  if (loaded.state === "loading")
    return <p class="preview-body preview-none soft">{t("Reading the document…")}</p>;
  if (loaded.state === "failed") return <Refused file={file} why={why} error={loaded.error} retry={reload} />;
  const { text, isCut } = loaded.value;
  if (text === null || text === "")
    return <NoView file={file} why={`${why}${sentenceSpace()}${t("This document has no text.")}`} />;
  return (
    <>
      <p class="notice preview-note">
        {why}
        {sentenceSpace()}
        {isCut
          ? t("Showing the first {size} of the text.", { size: formatBytes(TEXT_BYTES) })
          : t("Showing only the text.")}
        {sentenceSpace()}
        {t("Download the file to see the whole document.")}
      </p>
      <LinesView text={text} isWrapped={documentFormatOf(file.mime_type) !== "xlsx"} />
    </>
  );
}

interface RefusedProps extends DocumentViewProps {
  readonly error: ApiError;
  readonly retry: () => void;
}

function Refused({ file, why, error, retry }: RefusedProps) {
  if (!UNREADABLE.includes(error.code)) return <Failure error={error} retry={retry} />;
  return <NoView file={file} why={`${why}${sentenceSpace()}${t("Its text can't be read either.")}`} />;
}
