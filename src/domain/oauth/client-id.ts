const ID_CHARACTERS = 512;

/** The host of the metadata document that a client's id leads to; null for a client that registered. */
export function documentHost(clientId: string): string | null {
  return clientId.startsWith("https:") ? new URL(clientId).host : null;
}

/** An https URL in normal form, with a path, without credentials (draft-ietf-oauth-client-id-metadata-document, 3). */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith("https://") || clientId.length > ID_CHARACTERS) return false;
  if (!URL.canParse(clientId)) return false;
  const { href, pathname, username, password, hash } = new URL(clientId);
  return (
    href === clientId && pathname !== "/" && username + password + hash === "" && !clientId.includes("#")
  );
}
