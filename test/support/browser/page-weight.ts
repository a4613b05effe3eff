/** The bytes of scripts and styles that a browser loads for the dashboard of the server at `home`, compressed. */
export async function pageWeight(home: string): Promise<number> {
  const html = await (await fetch(home, { headers: { accept: "text/html" } })).text();
  const files = [...html.matchAll(/(?:href|src)="([^"]+\.(?:js|css))"/g)].map(([, link = ""]) => link);
  if (files.length < 2) throw new Error(`the page names no script and style: ${html}`);
  let bytes = 0;
  for (const file of files) {
    const headers = { "accept-encoding": "gzip" };
    const answer = await fetch(home + file, { decompress: false, headers });
    if (answer.headers.get("content-encoding") !== "gzip") throw new Error(`${file} came as it is`);
    bytes += (await answer.bytes()).length;
  }
  return bytes;
}
