import { requireExactNumbers } from "../json/exact-numbers.ts";
import { METADATA_ITEMS } from "../json/body-limits.ts";
import { parseJson, withoutMark } from "../json/json-text.ts";

/**
 * The JSON value that is sent as text for metadata, where a request has no JSON around it.
 *
 * @throws CofferError VALIDATION_ERROR on `metadata` or a number in it
 */
export function parseMetadata(sent: string): unknown {
  const text = withoutMark(sent);
  const metadata = parseJson(text, "metadata", METADATA_ITEMS);
  requireExactNumbers(text, metadata, "metadata");
  return metadata;
}
