import vaultIcon from "lucide-static/icons/vault.svg" with { type: "text" };
import { placeName } from "../../lib/browser/title.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";

/** The sign of the server, with what it is called. */
export function Brand() {
  return (
    <>
      <Icon svg={vaultIcon} /> <Name text={placeName.value} />
    </>
  );
}
