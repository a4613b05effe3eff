import type { CallerName } from "./world.ts";

export type Owner = "agent" | "ada";

/** What is answered to each caller who asks about something of an owner's drive. */
export type Expectations = Readonly<Record<Owner, Statuses>>;
type Statuses = Readonly<Record<CallerName, number>>;

/** Ada's applications, and the key that her key made. */
export function letIn(status: number) {
  return { adaMade: status, adaApp: status, adaDriveApp: status };
}

/** What is answered to who sees nothing of a drive. */
const { ada: nothing } = everybody({ writers: 404, readers: 404 });

/** For what is in the folder that `adaPrefix` sees, and `adaBeside` does not. */
export function reading(ok: number): Expectations {
  const ofAda = { ada: ok, adaReader: ok, adaDrive: ok, carol: ok, dan: ok, ...letIn(ok) };
  const inFolder = { adaPrefix: ok, adaPrefixReader: ok, adaBeside: 404 };
  return {
    agent: { ...nothing, agent: ok, agentReader: ok },
    ada: { ...nothing, ...ofAda, ...inFolder },
  };
}

/** For a drive, of which everybody is shown what they may see. */
export function looking(ok: number): Expectations {
  return forAdas(reading(ok), { adaBeside: ok });
}

/** For what a read-only key is refused before the request is read. */
const READERS = { agentReader: 403, adaReader: 403, adaPrefixReader: 403 };

/** For something in the folder that is named by its id. */
export function writing(ok: number): Expectations {
  const keys = { ada: ok, adaDrive: ok, adaPrefix: ok, adaBeside: 404 };
  const ofAda = { ...keys, carol: 403, dan: ok, ...letIn(ok) };
  return {
    agent: { ...nothing, ...READERS, agent: ok },
    ada: { ...nothing, ...READERS, ...ofAda },
  };
}

/** For a path in the folder: who may not write there is told so. */
export function writingAt(ok: number): Expectations {
  return forAdas(writing(ok), { adaBeside: 403 });
}

/** For what was in a drive: its readers see what is there now. */
export function history(of: Expectations): Expectations {
  return forAdas(of, { carol: 403 });
}

/** For what only the owner decides. */
export function managing(ok: number): Expectations {
  return forAdas(writing(ok), { dan: 403, adaPrefix: 403, adaBeside: 403 });
}

/** The keys that are limited to a folder, at what is about a whole drive. */
export const LIMITED = { adaPrefix: 403, adaPrefixReader: 403, adaBeside: 403 };

/** For what only the owner sees. */
export function managed(ok: number): Expectations {
  return forAdas(reading(ok), { carol: 403, dan: 403, ...LIMITED });
}

/** For what only who manages the drive may read, and others are not told of. */
export function managedAlone(ok: number): Expectations {
  const limited = { adaPrefix: 404, adaPrefixReader: 404, adaBeside: 404 };
  return forAdas(reading(ok), { carol: 404, dan: 404, ...limited });
}

/** The same, but for what was let in: it is refused before anything is looked for. */
export function ofPeople({ agent, ada }: Expectations, reads = false): Expectations {
  const refusedFirst = { ...letIn(403), ...(reads ? { adaReader: 403 } : {}) };
  return { agent: { ...agent, ...refusedFirst }, ada: { ...ada, ...refusedFirst } };
}

/** The same, for who is in a drive: its own key lets nobody in either. */
export function sharing(of: Expectations): Expectations {
  return forAgent(forAdas(of, { adaDrive: 403, ...letIn(403) }), 403);
}

/** For what only who manages the drive, and its maker, is told of. */
export function ofWhoManages(ok: number): Expectations {
  return forAdas(writing(ok), { carol: 404, dan: 404, adaPrefix: 404, adaBeside: 404 });
}

/** The same, with others for Ada's drive. */
export function forAdas({ agent, ada }: Expectations, others: Partial<Statuses>): Expectations {
  return { agent, ada: { ...ada, ...others } };
}

/** The same, but for keys that are limited to a folder. */
export function wholly({ agent, ada }: Expectations): Expectations {
  return { agent: { ...agent, ...LIMITED }, ada: { ...ada, ...LIMITED } };
}

/** The same, with another for the agent, whose drive nobody has claimed. */
function forAgent({ agent, ada }: Expectations, status: number): Expectations {
  return { agent: { ...agent, agent: status }, ada };
}

/** For routes that answer everybody about what is theirs: nobody is told that a target is not there. */
export function everybody(statuses: { readonly writers: number; readonly readers: number }): Expectations {
  const { writers, readers } = statuses;
  const all = {
    nobody: 401,
    liar: 401,
    agent: writers,
    agentReader: readers,
    otherAgent: writers,
    ada: writers,
    adaReader: readers,
    adaDrive: writers,
    bob: writers,
    carol: writers,
    dan: writers,
    adaPrefix: writers,
    adaPrefixReader: readers,
    adaBeside: writers,
    ...letIn(writers),
  };
  return { agent: all, ada: all };
}

export const everyone = everybody({ writers: 200, readers: 200 });

/** For routes that need an account: what those get who have one, and its read-only key. */
export function accounts(status: number, reader = 403): Expectations {
  const { ada: none } = everybody({ writers: 403, readers: 403 });
  const made = { adaReader: reader, adaMade: status, adaApp: status };
  const each = { ...none, ada: status, bob: status, carol: status, dan: status, ...made };
  return { agent: each, ada: each };
}

/** For routes that need somebody who acts for a person. */
export function people(status: number): Expectations {
  return ofPeople(accounts(status));
}

export const provisioning = { ...everybody({ writers: 201, readers: 403 }).ada, nobody: 201, liar: 201 };
/** Nobody gets in with a key. */
export const signedInOnly = everybody({ writers: 403, readers: 403 });
export const nothingToWrite = { ...everybody({ writers: 404, readers: 403 }).ada, nobody: 404, liar: 404 };
export const nothingThere = { ...nothing, nobody: 404, liar: 404 };
export const forAll = { ...everyone.ada, nobody: 200, liar: 200 };

/** For what makes a drive of one's own from another: whoever has no account is refused first. */
export function forking(ok: number): Expectations {
  const missing = accounts(404).agent;
  return { agent: missing, ada: { ...missing, ada: ok, adaMade: ok, adaApp: ok, carol: 403, dan: ok } };
}

/** The same for both owners. */
export const alike = (statuses: Statuses): Expectations => ({ agent: statuses, ada: statuses });
