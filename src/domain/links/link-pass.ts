import type { LinkId } from "../id.ts";

interface LockedLink {
  readonly id: LinkId;
  readonly passwordHash: string;
}

const PASS = /^(\d{1,15})_[0-9a-f]{64}$/;

/**
 * Shows that a link's password was given: valid until a time (milliseconds since the epoch), and only for this
 * password.
 *
 * @param secret of the data directory
 */
export function passFor(link: LockedLink, until: number, secret: Uint8Array): string {
  const text = JSON.stringify(["coffer link pass", link.id, link.passwordHash, until]);
  return `${until}_${new Bun.CryptoHasher("sha256", secret).update(text).digest("hex")}`;
}

/** Whether a browser sent a pass that `passFor` made for this link, and that still works. */
export function isPassFor(link: LockedLink, pass: string, now: number, secret: Uint8Array): boolean {
  const until = Number(PASS.exec(pass)?.[1] ?? 0);
  if (until <= now) return false;
  const right = Buffer.from(passFor(link, until, secret));
  const given = Buffer.from(pass);
  return given.length === right.length && crypto.timingSafeEqual(given, right);
}
