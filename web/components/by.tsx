import type { By as Actor } from "../lib/api/types.ts";
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
  if (name === null || name === "") return <>by {WITHOUT_NAME[type]}</>;
  return (
    <>
      by {type === "key" && "the key "}
      {type === "link" && "the link "}
      <Name text={name} />
    </>
  );
}
