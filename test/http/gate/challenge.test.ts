import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { createChallenge } from "../../../src/http/gate/gate.ts";
import { linkBase } from "../../../src/http/gate/link-base.ts";
import { startStub, stubRoutes } from "../stub-app.ts";

function refuse(): never {
  throw new CofferError("UNAUTHORIZED", "No.");
}

/** A server that refuses everybody at the MCP endpoint. */
function startRefusing(isPossible = true) {
  return startStub({
    challenge: createChallenge({
      isPossible: () => isPossible,
      isGrant: () => false,
      linkBase: linkBase("https://drive.test", () => ""),
    }),
    routes: [
      ...stubRoutes(),
      { method: "POST", path: "/mcp", answer: refuse },
      { method: "POST", path: "/other", answer: refuse },
    ],
  });
}

const METADATA = 'resource_metadata="https://drive.test/.well-known/oauth-protected-resource/mcp"';

describe("a client that is refused at the MCP endpoint", () => {
  test("is told where to sign in, and whether what it sent is the fault", async () => {
    await using app = startRefusing();
    const challenge = async (path: string, key: string | null) => {
      const { status, headers } = await app.send(path, { method: "POST", key });
      return [status, headers.get("www-authenticate")];
    };
    expect(await challenge("/mcp", null)).toEqual([401, `Bearer ${METADATA}, scope="read write"`]);
    expect(await challenge("/mcp/", "nobody")).toEqual([
      401,
      `Bearer error="invalid_token", ${METADATA}, scope="read write"`,
    ]);
    expect(await challenge("/other", null)).toEqual([401, "Bearer"]);
    expect(await challenge("/v0/things", null)).toEqual([401, "Bearer"]);
  });

  test("is told nothing where nobody can let it in", async () => {
    await using app = startRefusing(false);
    const { headers } = await app.send("/mcp", { method: "POST", key: null });
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });
});
