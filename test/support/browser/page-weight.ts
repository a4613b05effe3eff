/** How many bytes the script and the style of a page take, compressed: all that comes before anything is shown. */
export async function pageWeight(home: string): Promise<number> {
  const html = await (await fetch(home, { headers: { accept: "text/html" } })).text();
  const files = new Set(
    Array.from(html.matchAll(/(?:href|src)="([^"]+\.(?:js|css))"/g), ([, link = ""]) => link),
  );
  if (files.size < 2) throw new Error(`the page names no script and style: ${html}`);
  let bytes = 0;
  // What a script imports is added while this goes on; not what it imports later, as `import("…")`.
  for (const file of files) {
    const headers = { "accept-encoding": "gzip" };
    const packed = await fetch(home + file, { decompress: false, headers });
    if (packed.headers.get("content-encoding") !== "gzip") throw new Error(`${file} came as it is`);
    const content = await packed.bytes();
    bytes += content.length;
    const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(content)));
    for (const [, name = ""] of text.matchAll(/(?:from|import)"\.?(\/[^"]+\.js)"/g)) files.add(name);
  }
  return bytes;
}
