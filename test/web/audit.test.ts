import { afterEach, describe, expect, test } from "bun:test";
import { ALL_AUDIT_ACTIONS, AUDIT_ACTORS, AUDIT_CATEGORIES } from "../../src/domain/audit/audit-actions.ts";
import {
  GRANT_END_REASONS,
  REFUSAL_REASONS,
  SESSION_END_REASON,
} from "../../src/domain/audit/audit-reasons.ts";
import type { AuditEvent } from "../../web/lib/api/types.ts";
import { auditAddress, auditQuery, readAuditFilter } from "../../web/lib/audit.ts";
import {
  actorInWords,
  CATEGORY_WORDS,
  describeEvent,
  detailName,
  detailValue,
  nameInWords,
  subjectInWords,
} from "../../web/lib/words/audit-words.ts";
import { showCatalogue, t } from "../../web/lib/words/text.ts";
import german from "../../web/messages/de.json";
import spanish from "../../web/messages/es.json";
import french from "../../web/messages/fr.json";
import japanese from "../../web/messages/ja.json";
import chinese from "../../web/messages/zh-Hans.json";

afterEach(() => showCatalogue("en", {}));

const ADA = { kind: "user", id: "ada's id", name: "ada", username: "ada" } as const;
const ANYBODY = { kind: "anonymous", id: null, name: null, username: null } as const;
const BOB = { kind: "user", id: "bob's id", name: "bob" } as const;

const EVENT: AuditEvent = {
  id: "",
  at: "2030-01-01T00:00:00.000Z",
  action: "key.revoked",
  outcome: "success",
  count: 1,
  last_at: "2030-01-01T00:00:00.000Z",
  actor: ADA,
  subject: { kind: "key", id: "key", name: "backup" },
  drive_id: null,
  address: null,
  user_agent: null,
  request_id: null,
  detail: {},
};

/** An event as the page says it. */
function sentence(more: Partial<AuditEvent>): string {
  const event = { ...EVENT, ...more };
  const { actor, detail } = event;
  const shown = { name: nameInWords(actor.name), account: actor.username ?? "" };
  return describeEvent(event, {
    who: actorInWords(actor, shown).join(""),
    what: subjectInWords(event),
    drive: nameInWords(detail["drive"]),
    to: nameInWords(detail["to"]),
  }).join("");
}

/** Every kind of event that the server writes: each action, each reason, and what somebody did to themselves. */
function everyEvent(): readonly Partial<AuditEvent>[] {
  const own = { kind: "user", id: ADA.id, name: "ada" } as const;
  const refused = Object.entries(REFUSAL_REASONS).flatMap(([name, reasons]) =>
    reasons.map((reason) => ({
      action: ALL_AUDIT_ACTIONS.find((action) => action === name) ?? EVENT.action,
      outcome: "refused" as const,
      subject: reason === "rate_limited" ? null : EVENT.subject,
      detail: { reason },
    })),
  );
  return [
    ...ALL_AUDIT_ACTIONS.map((action) => ({ action })),
    ...(
      ["password.changed", "user.created", "session.ended", "oauth.revoked", "member.removed"] as const
    ).map((action) => ({ action, subject: own })),
    { action: "session.ended", detail: { reason: SESSION_END_REASON } },
    ...GRANT_END_REASONS.map((reason) => ({ action: "oauth.revoked" as const, detail: { reason } })),
    ...refused,
  ];
}

describe.each([
  ["English", "en", {}],
  ["German", "de", german],
  ["Spanish", "es", spanish],
  ["French", "fr", french],
  ["Japanese", "ja", japanese],
  ["Chinese", "zh-Hans", chinese],
] as const)("in %s", (_, language, catalogue) => {
  test("every event has a sentence of its own", () => {
    showCatalogue(language, catalogue);
    const sentences = everyEvent().map(sentence);
    expect(sentences.filter((one) => /[{}|]|undefined/.test(one))).toEqual([]);
    const twice = sentences.filter((one, at) => sentences.indexOf(one) !== at);
    expect(twice).toEqual([]);
    expect(sentences).not.toContain(sentence({ outcome: "refused" }));
  });

  test("who did something begins the sentence, whatever it was and whoever", () => {
    showCatalogue(language, catalogue);
    const others = everyEvent().filter(({ outcome }) => outcome !== "refused");
    expect(others.map(sentence).filter((one) => !one.startsWith("ada"))).toEqual([]);
    const said = AUDIT_ACTORS.map((kind) => {
      const actor = { ...ADA, kind, name: "backup" };
      const who = actorInWords(actor, { name: "backup", account: "ada" }).join("");
      expect(sentence({ actor })).toStartWith(who);
      return who;
    });
    expect(new Set(said).size).toBe(AUDIT_ACTORS.length);
  });

  test("each category has words", () => {
    showCatalogue(language, catalogue);
    expect(new Set(AUDIT_CATEGORIES.map((category) => t(CATEGORY_WORDS[category]))).size).toBe(
      AUDIT_CATEGORIES.length,
    );
  });
});

function webhook(more: Partial<AuditEvent>): Partial<AuditEvent> {
  return { action: "webhook.created", subject: { kind: "webhook", id: "hook", name: "host" }, ...more };
}

function signIn(reason: string): Partial<AuditEvent> {
  return { action: "session.created", subject: BOB, detail: { reason } };
}

describe("an event in words:", () => {
  const key = { kind: "key", id: "key", name: "Night shift", username: "ada" } as const;
  const command = { kind: "command", id: null, name: "user create", username: null } as const;
  const server = { kind: "server", id: null, name: null, username: null } as const;
  const refused = { outcome: "refused", actor: ANYBODY } as const;

  test.each<readonly [words: string, event: Partial<AuditEvent>]>([
    ["ada revoked the key backup", {}],
    ["ada revoked the key without a name", { subject: { kind: "key", id: "key 2", name: "" } }],
    ["The key Night shift of ada made a webhook to host", webhook({ actor: key })],
    ["An unnamed key of ada made a webhook to host", webhook({ actor: { ...key, name: "" } })],
    ["An unnamed key made a webhook to host", webhook({ actor: { ...key, name: "", username: null } })],
    ["The key Night shift made a webhook to host", webhook({ actor: { ...key, username: null } })],
    [
      "The app Night shift of ada made a webhook to host",
      webhook({ actor: { ...key, kind: "application" } }),
    ],
    [
      "The command coffer user create added the user bob",
      { action: "user.created", actor: command, subject: BOB },
    ],
    ["The server made bob an administrator", { action: "user.admin_granted", actor: server, subject: BOB }],
    [
      "ada gave bob the plan team",
      { action: "user.plan_changed", subject: BOB, detail: { from: "free", to: "team" } },
    ],
    [
      "ada shared the drive Notes with bob",
      { action: "member.added", subject: BOB, detail: { drive: "Notes" } },
    ],
    ["ada left the drive Notes", { action: "member.removed", subject: ADA, detail: { drive: "Notes" } }],
    ["ada ended a session", { action: "session.ended", subject: { kind: "session", id: "one", name: null } }],
    ["ada ended all their sessions", { action: "session.ended", subject: ADA }],
    [
      "ada made a link to plan.md in the drive Notes",
      {
        action: "link.created",
        subject: { kind: "link", id: "", name: "plan.md" },
        detail: { drive: "Notes" },
      },
    ],
    [
      "ada revoked a link to the drive Notes",
      { action: "link.revoked", subject: { kind: "link", id: "", name: "" }, detail: { drive: "Notes" } },
    ],
    [
      "ada restored a folder of the drive Notes to the snapshot May",
      {
        action: "snapshot.restored",
        subject: { kind: "snapshot", id: "", name: "May" },
        detail: { drive: "Notes", path: "a/" },
      },
    ],
    [
      "ada changed the setting Earlier versions kept of a file",
      { action: "setting.changed", subject: { kind: "setting", id: "keep_versions", name: "keep_versions" } },
    ],
    [
      "ada changed the setting of a later version",
      { action: "setting.changed", subject: { kind: "setting", id: "", name: "of a later version" } },
    ],
    [
      "The command coffer restore restored the server from the backup one",
      {
        action: "store.restored",
        actor: { ...command, name: "restore" },
        subject: { kind: "backup", id: "one", name: "one" },
      },
    ],
    ["Wrong password for bob", { ...refused, ...signIn("wrong_password") }],
    ["Somebody tried too often to sign in as bob", { ...refused, ...signIn("rate_limited") }],
    ["Somebody tried too often to sign in", { ...refused, ...signIn("rate_limited"), subject: null }],
    ["Somebody was refused", { ...refused, ...signIn("a reason of a later version") }],
  ])("%s", (words, event) => {
    expect(sentence(event)).toBe(words);
  });
});

test("details are named, and those that are not known keep their names", () => {
  expect(["scope", "of_a_later_version"].map(detailName)).toEqual(["Scope", "of_a_later_version"]);
  expect(["read-only", 1200, true, false, null].map(detailValue)).toEqual([
    "read-only",
    "1,200",
    "Yes",
    "No",
    "–",
  ]);
});

describe("a filter of the audit log", () => {
  const none = { about: "", outcome: "", account: "", since: "", until: "" } as const;
  const filter = {
    about: "sign_in",
    outcome: "refused",
    account: "a b",
    since: "2030-01-31",
    until: "2030-01-31",
  } as const;

  test("stands in the address, and what is none is left out", () => {
    const address = new URL(auditAddress(filter), "http://localhost");
    expect(address.pathname).toBe("/audit");
    expect(readAuditFilter(address.searchParams)).toEqual(filter);
    expect(auditAddress({ about: "" })).toBe("/audit");
    const nonsense = new URLSearchParams("about=all&outcome=&since=7d&until=2030-13-01");
    expect(readAuditFilter(nonsense)).toEqual(none);
  });

  test("asks for whole days of the reader, the last one too", () => {
    expect(auditQuery(filter)).toEqual({
      category: "sign_in",
      outcome: "refused",
      actor: "a b",
      since: new Date(2030, 0, 31).toISOString(),
      until: new Date(2030, 1, 1).toISOString(),
    });
    expect(auditQuery(none)).toEqual({});
  });
});
