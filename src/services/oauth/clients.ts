import {
  type ClientMetadata,
  NEW_CLIENT_LIFETIME_MS,
  type OAuthClient,
  OAuthError,
  parseClientMetadata,
  REGISTERED_CLIENTS,
} from "../../domain/oauth/oauth-client.ts";
import { isDocumentUrl } from "../../domain/oauth/client-id.ts";
import { getPublic, type PublicDocument, type PublicNetwork } from "../../network/public-network.ts";
import { Recent } from "../../domain/recent.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { CofferError } from "../../domain/errors.ts";

const BOUNDS = { bytes: 16 * 1024, timeMs: 5000 };

/** How long a document is kept that does not say, and the most that it can say, in seconds. */
const MAX_AGE = { default: 300, most: 24 * 60 * 60 };

const CAPACITY = 500;
const FETCHES = 20;

interface Kept {
  readonly metadata: ClientMetadata;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/** Metadata documents of OAuth clients, which their ids lead to (draft-ietf-oauth-client-id-metadata-document). */
export class ClientDocuments extends Service<
  Pick<Parts, "clock" | "log"> & { publicNetwork?: PublicNetwork | undefined }
> {
  readonly #kept = new Recent<string, Kept>(CAPACITY);
  readonly #fetching = new Map<string, Promise<ClientMetadata>>();

  /** The metadata of a client. Throws OAuthError if its document cannot be had, or is not valid. */
  async get(url: string): Promise<ClientMetadata> {
    const kept = this.#kept.get(url);
    if (kept !== undefined && kept.endsAt > this.parts.clock.now()) return kept.metadata;
    const running = this.#fetching.get(url);
    if (running !== undefined) return running;
    if (this.#fetching.size >= FETCHES) throw unavailable("too many others are being fetched");
    const fetching = this.#fetch(url).finally(() => this.#fetching.delete(url));
    this.#fetching.set(url, fetching);
    return fetching;
  }

  async #fetch(url: string): Promise<ClientMetadata> {
    const document = await getPublic(new URL(url), BOUNDS, this.parts.publicNetwork).catch(
      (error: unknown) => {
        // Whoever asks must not learn what there is in this network.
        this.parts.log.info("a client's metadata could not be fetched", { url, error });
        throw unavailable("it could not be fetched");
      },
    );
    const metadata = read(url, document);
    const endsAt = this.parts.clock.now() + maxAgeOf(document.cacheControl) * 1000;
    this.#kept.set(url, { metadata, endsAt });
    return metadata;
  }
}

function read(url: string, { status, contentType, body }: PublicDocument): ClientMetadata {
  if (status !== 200) throw unavailable("its server does not answer 200");
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) throw unavailable("it is not JSON");
  const json = jsonIn(body);
  const metadata = parseClientMetadata(json);
  const isItsOwn = typeof json === "object" && json !== null && "client_id" in json && json.client_id === url;
  if (!isItsOwn) throw unavailable("its client_id is not its own address");
  return metadata;
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw unavailable("it is not JSON");
  }
}

/** How long a response may be kept, in seconds (RFC 9111, 5.2.2). */
function maxAgeOf(cacheControl: string): number {
  if (/\b(?:no-store|no-cache)\b/i.test(cacheControl)) return 0;
  const [, seconds] = /\bmax-age="?(\d{1,9})/i.exec(cacheControl) ?? [];
  return Math.min(seconds === undefined ? MAX_AGE.default : Number(seconds), MAX_AGE.most);
}

function unavailable(why: string): OAuthError {
  return new OAuthError(
    "invalid_client",
    `The client's metadata document cannot be used: ${why}. It must be at a public address; a client without one registers with POST /oauth/register.`,
  );
}

/** OAuth clients: those that registered, and those whose id leads to a document about them. */
export class OAuthClients extends Service<
  Pick<Parts, "tables" | "clock" | "log"> & { publicNetwork?: PublicNetwork | undefined }
> {
  readonly #documents = new ClientDocuments(this.parts);

  async find(id: string): Promise<OAuthClient> {
    if (isDocumentUrl(id)) return { id, ...(await this.#documents.get(id)) };
    const client = this.parts.tables.oauthClients.byId(id, this.parts.clock.now());
    if (client !== null) return client;
    throw new OAuthError("invalid_client", "This client is not known here. It must register again.");
  }

  /** Registers a client (RFC 7591). Throws OAuthError, and UNAVAILABLE if all room is taken by clients in use. */
  register(metadata: unknown): Promise<OAuthClient> {
    const client = { id: `client_${crypto.randomUUID()}`, ...parseClientMetadata(metadata) };
    return this.parts.tables.write(() => {
      const { oauthClients } = this.parts.tables;
      if (oauthClients.trim(REGISTERED_CLIENTS - 1) >= REGISTERED_CLIENTS) {
        throw new CofferError("UNAVAILABLE", "No more clients can register here. Try again another day.");
      }
      oauthClients.insert(client, this.parts.clock.now() + NEW_CLIENT_LIFETIME_MS);
      return client;
    });
  }
}
