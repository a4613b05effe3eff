import { useState } from "preact/hooks";
import { By } from "../../../components/by.tsx";
import { Failure } from "../../../components/failure.tsx";
import { Form, textOf } from "../../../components/forms/form.tsx";
import { Lines } from "../../../components/forms/choice.tsx";
import { Visible } from "../../../components/name.tsx";
import { type ApiError, asApiError } from "../../../lib/api/api.ts";
import {
  addComment,
  deleteComment,
  placeInWords,
  resolveComment,
  type Thread,
} from "../../../lib/comments.ts";
import { formatRelative, formatTime } from "../../../lib/words/format.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { Comment, FileRecord } from "../../../lib/api/types.ts";
import { rich, t } from "../../../lib/words/text.ts";

interface ThreadProps {
  readonly file: FileRecord;
  readonly thread: Thread;
  readonly isReadOnly: boolean;
  readonly onChange: () => void;
}

/** A comment with its replies, and what can be done with it. */
export function ThreadView({ file, thread: { first, replies }, isReadOnly, onChange }: ThreadProps) {
  const [isReplying, setReplying] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const { account } = useSession();
  const act = async (done: Promise<void>) => {
    try {
      await done;
      setError(null);
    } catch (caught) {
      setError(asApiError(caught));
    }
    onChange();
  };
  const isResolved = first.resolved_at !== null;
  const isOwn = [first, ...replies].every(({ by }) => by.type === "user" && by.id === account.id);
  return (
    <li class="thread">
      <Said comment={first} />
      {replies.map((reply) => (
        <Said key={reply.id} comment={reply} />
      ))}
      {error !== null && <Failure error={error} />}
      {!isReadOnly && (
        <div class="row">
          <button
            type="button"
            class="button quiet"
            aria-expanded={isReplying}
            onClick={() => setReplying(!isReplying)}
          >
            {t("verb|Reply")}
          </button>
          <button
            type="button"
            class="button quiet"
            onClick={() => void act(resolveComment(first.id, !isResolved))}
          >
            {isResolved ? t("Open again") : t("Resolve")}
          </button>
          {isOwn && (
            <button type="button" class="button quiet" onClick={() => void act(deleteComment(first.id))}>
              {t("Delete")}
            </button>
          )}
        </div>
      )}
      {isReplying && (
        <Form
          submit={t("Send reply")}
          onSubmit={async (values, once) => {
            await addComment(file.id, { text: textOf(values, "text"), lines: null, replyTo: first.id }, once);
            setReplying(false);
            onChange();
          }}
        >
          <Lines label={t("Reply")} name="text" />
        </Form>
      )}
    </li>
  );
}

function Said({ comment }: { readonly comment: Comment }) {
  const { text, by, created_at: at } = comment;
  const place = placeInWords(comment);
  return (
    <div class="said">
      {place !== "" && <p class="said-place">{place}</p>}
      <p class="said-text">
        <Visible text={text} />
      </p>
      <p class="soft">
        {rich("{by}, {when}", {
          by: <By by={by} />,
          when: (
            <time dateTime={at} title={formatTime(at)}>
              {formatRelative(at)}
            </time>
          ),
        })}
      </p>
    </div>
  );
}
