import { CofferError } from "../../domain/errors.ts";

/**
 * The longest head of a request that is taken: its address and headers, in bytes. The runtime takes longer ones (see
 * `build.ts`), so that these are refused here, with a body; what is too long for the runtime gets a response without.
 */
const HEAD_BYTES = 16 * 1024;

/** Throws HEADERS_TOO_LARGE for a request whose address and headers are too long. */
export function refuseLongHead({ url, headers }: Request): void {
  let bytes = url.length;
  // The runtime has no shorter way to ask how long they are.
  headers.forEach((value, name) => {
    bytes += name.length + value.length;
  });
  if (bytes <= HEAD_BYTES) return;
  throw new CofferError(
    "HEADERS_TOO_LARGE",
    `The address and the headers of a request may have ${HEAD_BYTES} bytes together, not ${bytes}. Send long values in the body.`,
  );
}
