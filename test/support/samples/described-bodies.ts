import type { Description, DescribedOperation } from "../schemas/description.ts";

const KIB = 1024;

/** How many bytes of JSON a caller with a key may send to the routes that take more than others. A copy. */
const LONG_BODIES: Readonly<Record<string, number>> = {
  editFile: 1024 * KIB,
  editFileByPath: 1024 * KIB,
  deleteFiles: 1024 * KIB,
  movePath: 1024 * KIB,
  copyPath: 1024 * KIB,
  readFiles: 1024 * KIB,
  mcp: 1024 * KIB,
  updateFile: 256 * KIB,
  updateFileByPath: 256 * KIB,
};

/** A route that reads JSON, with what it takes. */
export interface BodyRoute {
  readonly operation: DescribedOperation;
  /** Its path, with something in the place of each parameter. */
  readonly path: string;
  /** Bytes, with a key. */
  readonly limit: number;
}

/** How many bytes of JSON anybody may send. */
export const ANONYMOUS_LIMIT = 16 * KIB;

/** Every route that reads a whole body: others take contents. */
export function bodyRoutes(description: Description): BodyRoute[] {
  return description.operations
    .filter(({ id, hasBody }) => hasBody && !/^(uploadFile|putFile|uploadByLink|writeFiles)$/.test(id))
    .map((operation) => ({
      operation,
      path: operation.path.replaceAll(/\{\w+\}/g, "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f"),
      limit: LONG_BODIES[operation.id] ?? (operation.path.startsWith("/v0/") ? 64 * KIB : ANONYMOUS_LIMIT),
    }));
}
