import auditIcon from "lucide-static/icons/scroll-text.svg" with { type: "text" };
import adminIcon from "lucide-static/icons/shield.svg" with { type: "text" };
import deleteIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import disableIcon from "lucide-static/icons/ban.svg" with { type: "text" };
import enableIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import passwordIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import type { MenuItem } from "../../components/menu.tsx";
import { MenuButton } from "../../components/menu-button.tsx";
import { useSession } from "../../lib/api/session.tsx";
import type { User } from "../../lib/api/types.ts";
import { auditAddress } from "../../lib/audit.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { t } from "../../lib/words/text.ts";

/** What an administrator can do with a user, but for the plan. */
export type UserAction = "reset" | "appoint" | "disable" | "enable" | "delete";

interface UserMenuProps {
  readonly user: User;
  readonly onChoose: (action: UserAction) => void;
}

/** A button that opens what can be done with a user, and what the audit log has of them. */
export function UserMenu({ user, onChoose }: UserMenuProps) {
  const { account } = useSession();
  const log = auditAddress({ account: user.username });
  const actions = actionsFor(user, account.id).map(({ action, ...item }): MenuItem => ({
    ...item,
    onChoose: () => onChoose(action),
  }));
  const items = [
    { name: t("Audit log"), svg: auditIcon, href: log, onChoose: () => navigate(log) },
    ...actions,
  ];
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
