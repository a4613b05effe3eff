import { CofferError } from "../../domain/errors.ts";
import {
  NEW_CLIENT_LIFETIME_MS,
  type OAuthClient,
  OAuthError,
  parseClientMetadata,
  REGISTERED_CLIENTS,
} from "../../domain/oauth/oauth-client.ts";
import { isDocumentUrl } from "../../domain/oauth/consent.ts";
import type { PublicNetwork } from "../../network/public-network.ts";
import type { Parts } from "../parts.ts";
import { ClientDocuments } from "./client-documents.ts";

/** OAuth clients: those that registered, and those whose id leads to a document about them. */
export class OAuthClients {
  readonly #parts;
  readonly #documents: ClientDocuments;

  constructor(
    parts: Pick<Parts, "tables" | "clock" | "log"> & { publicNetwork?: PublicNetwork | undefined },
  ) {
    this.#parts = parts;
    this.#documents = new ClientDocuments(parts);
  }

  async find(id: string): Promise<OAuthClient> {
    if (isDocumentUrl(id)) return { id, ...(await this.#documents.get(id)) };
    const client = this.#parts.tables.oauthClients.byId(id, this.#parts.clock.now());
    if (client !== null) return client;
    throw new OAuthError("invalid_client", "This client is not known here. It must register again.");
  }

  /** Registers a client (RFC 7591). Throws OAuthError, and UNAVAILABLE if all room is taken by clients in use. */
  register(metadata: unknown): Promise<OAuthClient> {
    const client = { id: `client_${crypto.randomUUID()}`, ...parseClientMetadata(metadata) };
    return this.#parts.tables.write(() => {
      const { oauthClients } = this.#parts.tables;
      if (oauthClients.trim(REGISTERED_CLIENTS - 1) >= REGISTERED_CLIENTS) {
        throw new CofferError("UNAVAILABLE", "No more clients can register here. Try again another day.");
      }
      oauthClients.insert(client, this.#parts.clock.now() + NEW_CLIENT_LIFETIME_MS);
      return client;
    });
  }
}
