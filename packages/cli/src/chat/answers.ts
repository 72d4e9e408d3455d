import { type DecisionHandler, type Decision, type Host, type Input, type Item, matchesGlob } from '@tenon/host';
import { parseObjectArgument } from '../command-line/arguments.ts';
import { isObject } from '@tenon/values/is-object';
import { usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import type { DecisionHandlers } from './open.ts';
import { checkKeys, keyFor } from './question-keys.ts';

/** Decisions by key. If several keys match an item, `no` wins, then the first one. */
type Approvals = Readonly<Record<string, 'once' | 'session' | 'always' | 'no'>>;
type Content = NonNullable<Decision['content']>;
type QuestionAnswer = 'accept' | 'decline' | 'cancel' | Content;

/** The file of `--answers`: decisions made in advance. */
export interface AnswersFile {
  readonly approve: Approvals;
  /** By `server/name` or `server/message`; the server may be left out if there is only one. */
  readonly questions: Readonly<Record<string, QuestionAnswer>>;
  readonly inputs: Readonly<Record<string, string>>;
}

const VALUES = new Set<unknown>(['once', 'session', 'always', 'no']);
const ACTIONS = new Set<unknown>(['accept', 'decline', 'cancel']);
const MEMBERS: ReadonlyMap<string, readonly [fits: (value: unknown) => boolean, wanted: string]> = new Map([
  ['approve', [(value: unknown) => VALUES.has(value), '"once", "session", "always" or "no"']],
  [
    'questions',
    [
      (value: unknown) => ACTIONS.has(value) || isObject(value),
      '"accept", "decline", "cancel" or the content of the form',
    ],
  ],
  ['inputs', [(value: unknown) => typeof value === 'string', 'a text']],
]);

/** Reads and validates the file, so that a mistake in it cannot allow anything. Throws a usage failure. */
export function readAnswers(path: string | undefined): AnswersFile {
  const answers = path === undefined ? {} : parseObjectArgument(`@${path}`, `The file ${path} of --answers`);
  for (const [name, member] of Object.entries(answers)) {
    const known = MEMBERS.get(name);
    if (known === undefined) {
      throw usage(`${path} has an unknown member "${oneLine(name, 60)}"; known are ${[...MEMBERS.keys()].join(', ')}`);
    }
    if (!isObject(member)) throw usage(`"${name}" of ${path} is not an object`);
    const [fits, wanted] = known;
    const wrong = Object.entries(member).find(([, value]) => !fits(value));
    if (wrong !== undefined) throw usage(`"${name}" of ${path}: "${oneLine(wrong[0], 100)}" must be ${wanted}`);
  }
  return { approve: {}, questions: {}, inputs: {}, ...(answers as Partial<AnswersFile>) };
}

/** The key of an item in the file: `server/tool` for a call, `act:server…` for everything else. */
function keyOf(item: Exclude<Item, { kind: 'question' }>, host: Host | undefined): string {
  const own = (name: string): string => host?.tools().find((tool) => tool.name === name)?.entry.name ?? name;
  switch (item.kind) {
    case 'call':
      return `${item.server}/${own(item.tool)}`;
    case 'read':
      return `read:${item.server}/${item.uri}`;
    case 'changed':
      return `changed:${item.server}/${item.after.name}`;
    case 'changed-server':
      return `changed:${item.server}`;
    case 'start':
      return `start:${item.server}`;
    default:
      return `sample:${item.server}`;
  }
}

/** Whether a key of the file matches an item's key. `*` matches any characters, but never the act before the colon. */
export function isAbout(key: string, about: string): boolean {
  const act = /^(?:read|changed|start|sample):/;
  return (act.exec(key)?.[0] ?? '') === (act.exec(about)?.[0] ?? '') && matchesGlob(key, about);
}

function decisionFor(about: string, approve: Approvals): Decision | undefined {
  const found = Object.entries(approve).flatMap(([key, value]) => (isAbout(key, about) ? [value] : []));
  const value = found.includes('no') ? 'no' : found[0];
  if (value === undefined) return undefined;
  return value === 'no'
    ? { allow: false, reason: 'by the file of --answers' }
    : { allow: true, scope: value, reason: 'by the file of --answers' };
}

function answerTo(item: Extract<Item, { kind: 'question' }>, { questions }: AnswersFile): Decision | undefined {
  const texts = [item.name, item.message].filter((text) => text !== undefined);
  const key = keyFor(Object.keys(questions), item.server, texts);
  const answer = key === undefined ? undefined : questions[key];
  if (answer === undefined) return undefined;
  if (answer === 'decline') return { allow: false };
  if (answer === 'cancel') return { allow: false, cancel: true };
  return { allow: true, content: answer === 'accept' ? (item.form?.defaults ?? {}) : answer };
}

export interface AnswersOptions {
  readonly answers: AnswersFile;
  /** The names of all servers. */
  readonly servers: readonly string[];
  host(): Host | undefined;
  /** Called when something is denied because the file has no answer, with a message that says what to add. */
  denied(message: string): void;
}

/**
 * Decides by the file. Items without an answer are denied, with a message that says how to allow them. Throws a usage failure for an answer
 * without a server name if there are several servers.
 */
export function decideByFile({ answers, servers, host, denied }: AnswersOptions): DecisionHandlers {
  checkKeys(Object.keys(answers.questions), servers);
  const approve: DecisionHandler = (item) => {
    if (item.kind === 'question') return { allow: false };
    const about = keyOf(item, host());
    const decision = decisionFor(about, answers.approve);
    if (decision !== undefined) return decision;
    denied(
      `${about} was denied, because there is no terminal to ask on. To allow it, add to the file of --answers: {"approve":{${JSON.stringify(about)}:"once"}}`,
    );
    return { allow: false, reason: 'there is no terminal to ask on, and no answer for it in --answers' };
  };
  const ask: DecisionHandler = (item) => {
    if (item.kind !== 'question') return { allow: false };
    const decision = answerTo(item, answers);
    if (decision !== undefined) return decision;
    const name = item.name ?? item.message;
    denied(
      `${item.server} asked '${name}', which was declined, because there is no terminal to ask on. To answer it, add to the file of --answers: {"questions":{${JSON.stringify(`${item.server}/${name}`)}:…}}`,
    );
    return { allow: false };
  };
  const input = ({ id }: Input): string | undefined => {
    const value = Object.hasOwn(answers.inputs, id) ? answers.inputs[id] : undefined;
    if (value === undefined)
      denied(
        `The configuration needs the input '${id}'. Add it to the file of --answers: {"inputs":{${JSON.stringify(id)}:"…"}}`,
      );
    return value;
  };
  return { approve, ask, input };
}
