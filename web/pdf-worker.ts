import { PdfDrawer } from "./lib/pdf/draw.ts";
import type { FromPdfWorker, ToPdfWorker } from "./lib/pdf/messages.ts";

// Begun by `lib/pdf/pdf-reader.ts` for one document: is told to open it, then to draw pages, one after another.

function send(message: FromPdfWorker): void {
  postMessage(message, { transfer: message.kind === "drawn" ? [message.bitmap] : [] });
}

const drawer = new PdfDrawer();
addEventListener("message", ({ data }: MessageEvent<ToPdfWorker>) => {
  void drawer.answer(data).then(send);
});
send({ kind: "ready" });
