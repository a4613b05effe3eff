import agentIcon from "lucide-static/icons/bot.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import type { ComponentChildren, VNode } from "preact";
import type { By as Actor } from "../lib/api/types.ts";
import { mark, rich, t } from "../lib/words/text.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

const WITHOUT_NAME = {
  key: mark("an unnamed key"),
  user: mark("a user who is gone"),
  link: mark("a link"),
} as const;

/** Who did something, as in "laptop wrote 2 files". */
export function Who({ by }: { readonly by: Actor }) {
  if (by === null) return <>{t("the server")}</>;
  const { type, name } = by;
  return name === null || name === "" ? <>{t(WITHOUT_NAME[type])}</> : <Name text={name} />;
}

/** Who did something, as in "by laptop". */
export function By({ by }: { readonly by: Actor }) {
  if (by === null) return <>{t("by the server")}</>;
  const sign = <Avatar by={by} />;
  const name = by.name === null || by.name === "" ? null : <Name text={by.name} />;
  return <>{byWhom(by.type, sign, name)}</>;
}

function byWhom(type: NonNullable<Actor>["type"], sign: VNode, name: VNode | null): ComponentChildren {
  switch (type) {
    case "user":
      return name === null
        ? rich("by {sign} a user who is gone", { sign })
        : rich("by {sign} {name}", { sign, name });
    case "key":
      return name === null
        ? rich("by {sign} an unnamed key", { sign })
        : rich("by {sign} the key {name}", { sign, name });
    case "link":
      return name === null
        ? rich("by {sign} a link", { sign })
        : rich("by {sign} the link {name}", { sign, name });
  }
}

/** A small sign that tells people, agents and links apart at a glance. */
export function Avatar({ by: { type, name } }: { readonly by: Pick<NonNullable<Actor>, "type" | "name"> }) {
  return (
    <span class={`avatar avatar-${type}`} aria-hidden="true">
      {type === "user" ? initialOf(name ?? "") : <Icon svg={type === "key" ? agentIcon : linkIcon} />}
    </span>
  );
}

/** The first letter of a name; a question mark if it begins with none. */
function initialOf(name: string): string {
  return /^\p{L}/u.exec(name)?.[0].toLocaleUpperCase() ?? "?";
}
