import { afterAll, expect, test } from "bun:test";
import { ask } from "../../web/lib/api/api.ts";
import { KeptContents } from "../../web/lib/contents/kept-contents.ts";

/** What the server has at every address, and how often it was asked. */
let [content, asked] = ["", 0];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    asked += 1;
    return new Response(content, { headers: { etag: `"${hashOf(content)}"` } });
  },
});
afterAll(() => server.stop(true));

function hashOf(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

/** Reads the content at an address, as the one of a record that says it is `text`. */
function read(kept: KeptContents<string>, path: string, text: string): Promise<string> {
  const address = server.url.href + path;
  return kept.get({ address, content_hash: `sha256:${hashOf(text)}` }, async () => {
    const response = await ask(address, {});
    return { value: await response.text(), etag: response.headers.get("etag") };
  });
}

test("each content of a file is read once, as long as there is room for it", async () => {
  const kept = new KeptContents<string>(8, ({ length }) => length);
  asked = 0;
  const turns = [
    ["one", 1],
    ["one", 1],
    ["two", 2],
    ["one", 2],
    ["long", 3],
    ["two", 4],
  ] as const;
  for (const [text, count] of turns) {
    content = text;
    expect(await read(kept, "a", text)).toBe(text);
    expect(asked).toBe(count);
  }
  expect(await read(kept, "b", "two")).toBe("two");
  expect(asked).toBe(5);
});

test("a content that is another than the record says is not kept", async () => {
  const kept = new KeptContents<string>(100, ({ length }) => length);
  content = "newer";
  asked = 0;
  for (const count of [1, 2]) {
    expect(await read(kept, "a", "older")).toBe("newer");
    expect(asked).toBe(count);
  }
});
