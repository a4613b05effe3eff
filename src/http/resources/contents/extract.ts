import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { EXTRACTION_LIMITS, EXTRACTIONS } from "../../../domain/contents/extraction.ts";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES, MIB } from "../../../domain/limits.ts";
import type { Extract, Extracts } from "../../../services/contents/extracts.ts";
import type { FileRef } from "../../../domain/files/file.ts";
import { fileOperation } from "../../operation/file-route.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import type { Input } from "../../operation/route.ts";
import { piecewise } from "../../content/piecewise.ts";

type Asked = Pick<Input<TObject, TObject, TSchema>, "request" | "caller" | "context">;

/** What all routes that answer with an `extractAnswer` have in common. */
export const EXTRACT = {
  description: `Returns the content of a text file (\`text/*\`, JSON, XML, source code and similar types) of up to ${EXTRACT_TEXT_BYTES / MIB} MiB, or ${EXTRACT_JSON_BYTES / MIB} MiB for JSON; download larger files. Text is read as UTF-8, as UTF-16 if it starts with a byte order mark, or else as Latin-1.\n\nOf PDF, DOCX, XLSX, PPTX, ODT, EPUB and HTML, up to ${EXTRACTION_LIMITS.inputBytes / MIB} MiB, the text is returned: paragraphs and rows of tables as lines, cells with tabs between them, sheets under their names, slides under their numbers, pages of a PDF with a form feed between them. \`truncated\` is set if that is more than ${EXTRACTION_LIMITS.units / MIB} Mi characters, or takes longer than ${EXTRACTION_LIMITS.readMs / 1000} seconds to read. A document that is malformed, has a password, has more than ${EXTRACTION_LIMITS.pages} pages or parts of more than ${EXTRACTION_LIMITS.unpacked / MIB} MiB, or takes too much time or memory gets 422; the latter may pass, so try again after a minute. If the system ended the reading, 503 is returned. The documents of one account or unclaimed drive are read one after another; with more than ${EXTRACTIONS.waitingEach} waiting, 429 is returned.`,
  answers: [
    {
      description: "The content as text or JSON.",
      json: Type.Object({
        content: Type.Unknown({ description: "A string for text; the parsed value for JSON." }),
        mime_type: Type.String({ examples: ["text/markdown"] }),
        truncated: Type.Optional(
          Type.Literal(true, { description: "Set if the document has more text than this." }),
        ),
      }),
      example: { content: "# Plan\n", mime_type: "text/markdown" },
    },
  ],
  errors: ["NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "EXTRACTION_FAILED"],
} as const;

/** Contents as text. Read-only keys may only GET. */
export function extract(service: Extracts) {
  const answer = ({ request, caller, context }: Asked, file: FileRef) =>
    extractAnswer(context, () => service.extract(caller, file, request.signal));
  const spec = { ...EXTRACT, tag: "Files" };
  const posted = { ...spec, operationId: "extractFile", summary: "Extract text" };
  const got = { ...spec, operationId: "getExtract", summary: "Extract text, also with a read-only key" };
  return [
    ...fileOperation("POST", "/extract", { ...posted, handle: answer }),
    ...fileOperation("GET", "/extract", { ...got, handle: answer }),
  ];
}

/** Answers with a text once it has been extracted, which may take long. */
export async function extractAnswer(
  context: RequestContext,
  extracting: () => Promise<Extract>,
): Promise<Response> {
  context.suspendIdleTimeout();
  const body = await piecewise(encoded(await extracting()));
  context.allowSlowReader();
  return new Response(body, { headers: { "content-type": "application/json;charset=utf-8" } });
}

/** The response in pieces, so that a large text is never whole in memory. */
async function* encoded({ json, mimeType, isCut }: Extract): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('{"content":');
  for await (const piece of json) if (piece !== "") yield encoder.encode(piece);
  const truncated = isCut ? ',"truncated":true' : "";
  yield encoder.encode(`,"mime_type":${JSON.stringify(mimeType)}${truncated}}`);
}
