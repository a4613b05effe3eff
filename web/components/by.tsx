import agentIcon from "lucide-static/icons/bot.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import type { By as Actor } from "../lib/api/types.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

const WITHOUT_NAME = { key: "an unnamed key", user: "a user who is gone", link: "a link" } as const;

/** Who did something, as in "laptop wrote 2 files". */
export function Who({ by }: { readonly by: Actor }) {
  if (by === null) return <>the server</>;
  const { type, name } = by;
  return name === null || name === "" ? <>{WITHOUT_NAME[type]}</> : <Name text={name} />;
}

/** Who did something, as in "by laptop". */
export function By({ by }: { readonly by: Actor }) {
  if (by === null) return <>by the server</>;
  const { type, name } = by;
  if (name === null || name === "") {
    return (
      <>
        by <Avatar by={by} /> {WITHOUT_NAME[type]}
      </>
    );
  }
  return (
    <>
      by <Avatar by={by} /> {type === "key" && "the key "}
      {type === "link" && "the link "}
      <Name text={name} />
    </>
  );
}

/** A small sign that tells people, agents and links apart at a glance. */
function Avatar({ by: { type, name } }: { readonly by: NonNullable<Actor> }) {
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
