import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES, MIB } from "../../domain/limits.ts";
import type { Extract, Extracts } from "../../services/extracts.ts";
import { fileOperation } from "../operation/file-route.ts";
import { piecewise } from "../content/piecewise.ts";

/** Contents as text. */
export function extract(service: Extracts) {
  return new Elysia({ name: "extract" }).use(
    fileOperation(
      "POST",
      "/extract",

      {
        operationId: "extractFile",
        tag: "Files",
        summary: "Extract text",
        description: `Returns the content of a text file (\`text/*\`, JSON, XML, source code and similar types) of up to ${EXTRACT_TEXT_BYTES / MIB} MiB, or ${EXTRACT_JSON_BYTES / MIB} MiB for JSON; download larger files. Text is read as UTF-8, as UTF-16 if it starts with a byte order mark, or else as Latin-1.`,
        answers: [
          {
            status: 200,
            description: "The content as text or JSON.",
            json: Type.Object({
              content: Type.Unknown({ description: "A string for text; the parsed value for JSON." }),
              mime_type: Type.String({ examples: ["text/markdown"] }),
            }),
            example: { content: "# Plan\n", mime_type: "text/markdown" },
          },
        ],
        errors: ["NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "EXTRACTION_FAILED"],
      },
      async ({ caller, context }, file) => {
        const extracted = await service.extract(caller, file);
        const body = await piecewise(encoded(extracted));
        context.allowSlowReader();
        return new Response(body, {
          headers: { "content-type": "application/json;charset=utf-8" },
        });
      },
    ),
  );
}

/** The response in pieces, so that a large text is never whole in memory. */
async function* encoded({ json, mimeType }: Extract): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('{"content":');
  for await (const piece of json) if (piece !== "") yield encoder.encode(piece);
  yield encoder.encode(`,"mime_type":${JSON.stringify(mimeType)}}`);
}
