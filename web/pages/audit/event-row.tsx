import { useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { When } from "../../components/when.tsx";
import type { AuditEvent, User } from "../../lib/api/types.ts";
import { Link } from "../../lib/browser/router.tsx";
import { plain } from "../../lib/contents/overrides.ts";
import { actorInWords, describeEvent, nameInWords, subjectInWords } from "../../lib/words/audit-words.ts";
import { sentenceSpace } from "../../lib/words/format.ts";
import { plural, t } from "../../lib/words/text.ts";
import { Details } from "./details.tsx";
import { iconOf } from "./icons.ts";

interface EventRowProps {
  readonly event: AuditEvent;
  /** Whom there is a way to. */
  readonly users: readonly User[];
}

/** Something that was done or refused: what, by whom, when and from where. */
export function EventRow({ event, users }: EventRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { at, count, outcome, address } = event;
  const isRefused = outcome === "refused";
  const what = sentenceOf(event);
  return (
    <li class="change audit-event">
      <span class={`kind ${isRefused ? "audit-refused" : ""}`}>
        <Icon svg={iconOf(event)} />
      </span>
      <p class="change-what">
        {isRefused && <span class="standing careful">{t("outcome|Refused")}</span>}{" "}
        <Sentence event={event} users={users} />
        {count > 1 && (
          <>
            {sentenceSpace()}
            <span class="soft audit-count">{plural(count, "({count} time)", "({count} times)")}</span>
          </>
        )}
      </p>
      <p class="soft change-when">
        <When at={at} /> {address !== null && t("from {address}", { address })}
      </p>
      <div class="change-tools">
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={t("Details: {what}", { what })}
          onClick={() => setOpen((was) => !was)}
        >
          {t("Details")}
        </button>
      </div>
      {isOpen && (
        <div class="change-more">
          <Details event={event} />
        </div>
      )}
    </li>
  );
}

/** What happened, in which the names of users that there are lead to them. */
function Sentence({ event, users }: EventRowProps) {
  const { actor, subject, detail } = event;
  const nameOf = (text: string, id: string | null) => {
    const user = users.find((each) => each.id === id);
    if (user === undefined) return <Name text={text} />;
    return (
      <Link to={`/users?find=${encodeURIComponent(user.username)}`}>
        <Name text={text} />
      </Link>
    );
  };
  const name = nameOf(nameInWords(actor.name), actor.id);
  return (
    <>
      {describeEvent(event, {
        who: <>{actorInWords(actor, { name, account: <Name text={actor.username ?? ""} /> })}</>,
        what: nameOf(subjectInWords(event), subject?.id ?? null),
        drive: <Name text={nameInWords(detail["drive"])} />,
        to: <Name text={nameInWords(detail["to"])} />,
      })}
    </>
  );
}

/** The same as a text. */
function sentenceOf(event: AuditEvent): string {
  const { actor, detail } = event;
  const shown = { name: plain(nameInWords(actor.name)), account: plain(actor.username ?? "") };
  return describeEvent(event, {
    who: actorInWords(actor, shown).join(""),
    what: plain(subjectInWords(event)),
    drive: plain(nameInWords(detail["drive"])),
    to: plain(nameInWords(detail["to"])),
  }).join("");
}
