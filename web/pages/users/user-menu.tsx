import adminIcon from "lucide-static/icons/shield.svg" with { type: "text" };
import deleteIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import disableIcon from "lucide-static/icons/ban.svg" with { type: "text" };
import enableIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import passwordIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import type { MenuItem } from "../../components/menu.tsx";
import { MenuButton } from "../../components/menu-button.tsx";
import { useSession } from "../../lib/api/session.tsx";
import type { User } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";

/** What an administrator can do with a user, but for the plan. */
export type UserAction = "reset" | "appoint" | "disable" | "enable" | "delete";

interface UserMenuProps {
  readonly user: User;
  readonly onChoose: (action: UserAction) => void;
}

/** A button that opens what can be done with a user. */
export function UserMenu({ user, onChoose }: UserMenuProps) {
  const { account } = useSession();
  const items = actionsFor(user, account.id).map(({ action, ...item }): MenuItem => ({
    ...item,
    onChoose: () => onChoose(action),
  }));
  return <MenuButton label={t("Actions for {name}", { name: user.username })} items={items} />;
}

interface Offered extends Pick<MenuItem, "name" | "svg" | "isApart"> {
  readonly action: UserAction;
}

/** An administrator is neither disabled nor deleted, and one's own password is changed on the account page. */
function actionsFor({ id, admin, disabled, has_password: isLocal }: User, own: string): readonly Offered[] {
  const reset: Offered = { action: "reset", name: t("Reset password"), svg: passwordIcon };
  const resets = isLocal && id !== own ? [reset] : [];
  if (admin) return [...resets, { action: "appoint", name: t("Take administration away"), svg: adminIcon }];
  return [
    ...resets,
    disabled
      ? { action: "enable", name: t("Enable"), svg: enableIcon }
      : { action: "appoint", name: t("Make administrator"), svg: adminIcon },
    ...(disabled ? [] : [{ action: "disable", name: t("Disable"), svg: disableIcon } as const]),
    { action: "delete", name: t("Delete"), svg: deleteIcon, isApart: true },
  ];
}
