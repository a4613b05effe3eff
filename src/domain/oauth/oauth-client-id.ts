/** The longest id that leads to a document. */
const ID_CHARACTERS = 512;

/** The host of the metadata document that a client's id leads to; null for a client that registered. */
export function documentHost(clientId: string): string | null {
  return clientId.startsWith("https:") ? new URL(clientId).host : null;
}

/**
 * Whether a client's id leads to a metadata document: an https URL in its normal form with a path, and without
 * credentials and fragment (draft-ietf-oauth-client-id-metadata-document, 3).
 */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith("https://") || clientId.length > ID_CHARACTERS) return false;
  if (!URL.canParse(clientId)) return false;
  const { href, pathname, username, password, hash } = new URL(clientId);
  return (
    href === clientId && pathname !== "/" && username + password + hash === "" && !clientId.includes("#")
  );
}
