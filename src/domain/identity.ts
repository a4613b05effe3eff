/** A user as an OpenID Connect provider vouches for them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** What a username may be made of, best first. */
  readonly names: readonly (string | null)[];
  readonly email: string | null;
  readonly displayName: string | null;
}
