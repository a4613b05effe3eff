import { useId } from "preact/hooks";
import { Failure } from "../../../components/failure.tsx";
import { First } from "../../../components/first.tsx";
import { Form, Field, textOf } from "../../../components/forms/form.tsx";
import { Lines } from "../../../components/forms/choice.tsx";
import { addComment, type Thread, typedLines } from "../../../lib/comments.ts";
import { previewKind } from "../../../lib/contents/preview-kind.ts";
import type { FileRecord } from "../../../lib/api/types.ts";
import { ThreadView } from "./thread.tsx";
import type { Threads } from "./use-threads.ts";
import { t } from "../../../lib/words/text.ts";

interface CommentsPanelProps {
  readonly id: string;
  readonly file: FileRecord;
  readonly threads: Threads;
  readonly isReadOnly: boolean;
}

/** The kinds of files that have lines. */
const TEXTS: ReadonlySet<string> = new Set(["markdown", "json", "table", "text", "unknown"]);

/** What was said of a file: what is open first, the rest folded. */
export function CommentsPanel({ id, file, threads, isReadOnly }: CommentsPanelProps) {
  const { open, resolved, error, reload: onChange } = threads;
  const title = useId();
  const shown = (some: readonly Thread[]) => (
    <First of={some}>
      {(part) => (
        <ul class="list threads">
          {part.map((thread) => (
            <ThreadView
              key={thread.first.id}
              file={file}
              thread={thread}
              isReadOnly={isReadOnly}
              onChange={onChange}
            />
          ))}
        </ul>
      )}
    </First>
  );
  return (
    <section id={id} class="side-part" aria-labelledby={title}>
      <h3 id={title}>{t("Comments")}</h3>
      {error !== null && <Failure error={error} retry={onChange} />}
      {open.length > 0 && shown(open)}
      {open.length === 0 && error === null && (
        <p class="soft">
          {resolved.length === 0 ? t("Nobody has said anything yet.") : t("Everything here is resolved.")}
        </p>
      )}
      {!isReadOnly && <AddComment key={`${open.length} ${resolved.length}`} file={file} onAdded={onChange} />}
      {resolved.length > 0 && (
        <details>
          <summary>{t("Resolved ({count})", { count: resolved.length })}</summary>
          {shown(resolved)}
        </details>
      )}
    </section>
  );
}

function AddComment({ file, onAdded }: { readonly file: FileRecord; readonly onAdded: () => void }) {
  return (
    <Form
      submit={t("verb|Comment")}
      onSubmit={async (values, once) => {
        const said = {
          text: textOf(values, "text"),
          lines: typedLines(textOf(values, "lines")),
          replyTo: null,
        };
        await addComment(file.id, said, once);
        onAdded();
      }}
    >
      <Lines label={t("New comment")} name="text" hint={t("@name mentions a person or an agent.")} />
      {TEXTS.has(previewKind(file)) && (
        <Field label={t("Lines")} name="lines" placeholder="12-15" hint={t("Empty for the whole file.")} />
      )}
    </Form>
  );
}
