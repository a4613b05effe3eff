/** A user as an OpenID Connect provider describes them. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Candidates for a username, best first. */
  readonly names: readonly (string | null)[];
  readonly email: string | null;
  readonly displayName: string | null;
}
