import { Type } from "@sinclair/typebox";
import { CHANGE_TYPES } from "../../../domain/changes/change-types.ts";
import { WEBHOOKS } from "../../../domain/limits.ts";
import type { Webhook } from "../../../domain/webhooks/webhook.ts";
import { numberCursor } from "../../operation/cursor.ts";
import { operation, pageAnswer, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { deliverySchema, webhookSchema } from "../../records/change-schemas.ts";
import { deliveryRecord, webhookRecord } from "../../records/records.ts";
import { asJson, deletedRecord, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const params = Type.Object({ id: t.id("The webhook's identifier.") });
const example = t.exampleOf(webhookSchema);

const url = t.text(
  "Where messages are sent: `https://`, at a public address. The server's configuration may allow others.",
  example.url,
);
const events = Type.Array(Type.String(), {
  maxItems: 100,
  description: `What to be told of: ${CHANGE_TYPES.map((type) => `\`${type}\``).join(", ")}; all of a group, such as \`file.*\`; or all, \`*\`.`,
  examples: [example.events],
});

const MESSAGES = `Each change is sent as a \`POST\` with \`{type, timestamp, data}\`, where \`data\` is the change as \`GET /v0/changes\` shows it. It is signed as [Standard Webhooks](https://www.standardwebhooks.com) describes: \`webhook-signature\` is \`v1,\` and the base64 of the HMAC-SHA-256, with the bytes behind \`whsec_\` as the key, of \`{webhook-id}.{webhook-timestamp}.{body}\`. Answer with 2xx within ${WEBHOOKS.answerMs / 1000} seconds. Otherwise the message is sent again, with the same \`webhook-id\`, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 24 hours. The order is not promised, and a message may come twice. Redirects are not followed; 410 disables the webhook. A webhook goes with the key that made it. The keys of applications, and account keys that a key made, can make and see none (403). Changes that happen while too many messages wait are sent later: none is left out.`;

const sentAnswer = {
  status: 201,
  description: "The delivery, which is being sent.",
  json: deliverySchema,
  example: {
    ...t.exampleOf(deliverySchema),
    state: "pending",
    attempts: 0,
    status: null,
    next_at: t.exampleOf(deliverySchema).created_at,
  },
};

export function webhooks({ webhooks: service, webhookDeliveries: sent }: Parts) {
  const recordOf = (webhook: Webhook) => webhookRecord(webhook, sent.last(webhook));
  return tagged("Webhooks", [
    write("POST", "/v0/webhooks", {
      operationId: "createWebhook",
      summary: "Create a webhook",
      description: `${MESSAGES} An account has at most ${WEBHOOKS.each.claimed} webhooks, an unclaimed drive ${WEBHOOKS.each.unclaimed}.`,
      body: Type.Object({
        url,
        events,
        secret: t.optionalText(
          "What messages are signed with: `whsec_` and the base64 of 24 to 64 random bytes. Default: a new one.",
        ),
        drive_id: Type.Optional(t.driveRef("Default: all drives of your own, or the drive of the key.")),
      }),
      example: { url: example.url, events: example.events },
      audited: true,
      answers: {
        status: 201,
        description: "The webhook. Its `secret` is shown only in this response.",
        json: Type.Intersect([webhookSchema, Type.Object({ secret: Type.String() })]),
        example: { ...example, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
      },
      perform: ({ body, caller }, reply) => {
        const wanted = { drive: body.drive_id, url: body.url, events: body.events, secret: body.secret };
        return service.create(
          caller,
          wanted,
          reply.with((made) => ({ json: { ...recordOf(made.webhook), secret: made.secret } })),
        );
      },
    }),
    operation("GET", "/v0/webhooks", {
      operationId: "listWebhooks",
      summary: "List webhooks",
      description:
        "Returns all webhooks that you manage, oldest first. Their secrets are not shown again. `last_delivery` is the newest message that was sent, also in vain; null if none was.",
      query: Type.Object({ drive_id: Type.Optional(t.driveRef("Only those of one drive alone.")) }),
      answers: { description: "The webhooks.", json: t.pageOf(webhookSchema, "Their number.") },
      handle: ({ query, caller }) => {
        const data = service.list(caller, query.drive_id).map(recordOf);
        return pageAnswer(data, data.length, null);
      },
    }),
    operation("GET", "/v0/webhooks/:id", {
      operationId: "getWebhook",
      summary: "Get a webhook",
      description: "Returns a webhook without its secret.",
      params,
      answers: { description: "The webhook.", json: webhookSchema },
      handle: ({ params: { id: webhook }, caller }) => Response.json(recordOf(service.get(caller, webhook))),
    }),
    write("PATCH", "/v0/webhooks/:id", {
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description:
        "Changes where messages are sent, or what it is told of; disables or enables it. A webhook with another `url` goes with the key that set it. A webhook that is enabled again is told of what happens from then on, and is sent what waited.",
      params,
      body: Type.Object({
        url: Type.Optional(url),
        events: Type.Optional(events),
        enabled: Type.Optional(Type.Boolean()),
      }),
      example: { enabled: true },
      audited: true,
      answers: { description: "The webhook as it is now.", json: webhookSchema },
      perform: ({ params: { id: webhook }, body, caller }, reply) =>
        service.update(
          caller,
          webhook,
          { url: body.url, events: body.events, enabled: body.enabled },
          reply.with(asJson(recordOf)),
        ),
    }),
    write("DELETE", "/v0/webhooks/:id", {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Works at once: what waited is not sent.",
      params,
      audited: true,
      answers: {
        description: "The webhook is deleted.",
        json: t.deletedOf("The deleted webhook."),
      },
      perform: ({ params: { id: webhook }, caller }, reply) =>
        service.remove(caller, webhook, reply.with(asJson(({ id: gone }) => deletedRecord(gone)))),
    }),
    write("POST", "/v0/webhooks/:id/test", {
      operationId: "testWebhook",
      summary: "Try a webhook",
      description:
        "Sends a message with the type `webhook.test`, signed and repeated as any other. What came of it is among the deliveries.",
      params,
      answers: [sentAnswer],
      errors: ["CONFLICT"],
      perform: ({ params: { id: webhook }, caller }, reply) =>
        sent.test(caller, webhook, reply.with(asJson(deliveryRecord))),
    }),
    operation("GET", "/v0/webhooks/:id/deliveries", {
      operationId: "listWebhookDeliveries",
      summary: "List the last deliveries",
      description: `Returns the messages that wait, and the last ${WEBHOOKS.kept} that have ended, newest first.`,
      params,
      query: Type.Object({ limit: t.paging.limit, cursor: t.cursor() }),
      answers: {
        description: "A page of deliveries.",
        json: t.pageOf(deliverySchema, "The number of deliveries on all pages."),
      },
      handle: ({ params: { id: webhook }, query, caller }) => {
        const before = numberCursor.read(query.cursor);
        const page = { before, limit: query.limit };
        const { deliveries, total, nextBefore } = sent.deliveries(caller, webhook, page);
        return pageAnswer(deliveries.map(deliveryRecord), total, numberCursor.write(nextBefore));
      },
    }),
    write("POST", "/v0/webhooks/:id/deliveries/:did/resend", {
      operationId: "resendWebhookDelivery",
      summary: "Send a delivery again",
      description:
        "Sends the message once more, with the same `webhook-id`, and repeats it as a new one if it fails.",
      params: Type.Object({ ...params.properties, did: t.id("The delivery's identifier.") }),
      answers: { ...sentAnswer, status: 200 },
      errors: ["CONFLICT"],
      perform: ({ params: { id: webhook, did }, caller }, reply) =>
        sent.resend(caller, webhook, did, reply.with(asJson(deliveryRecord))),
    }),
  ]);
}
