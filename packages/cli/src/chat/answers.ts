import { type Decider, type Decision, type Host, type Input, type Item, matchesGlob } from '@tenon/host';
import { objectGiven } from '../arguments.ts';
import { isObject } from '@tenon/values/is-object';
import { usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import type { Deciders } from './open.ts';
import { checkKeys, keyFor } from './question-keys.ts';

/** What may happen, by what it is about. Several hold for one thing: `no` counts, then the first. */
type Approvals = Readonly<Record<string, 'once' | 'session' | 'always' | 'no'>>;
type Content = NonNullable<Decision['content']>;
type QuestionAnswer = 'accept' | 'decline' | 'cancel' | Content;

/** The file of --answers: decisions that were made before. */
export interface AnswersFile {
  readonly approve: Approvals;
  /** By `server/name` or `server/message`; without the server where there is one alone. */
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

/** Reads the file. Throws a usage failure that says what is wrong in it: what is misunderstood must not allow anything. */
export const readAnswers = (path: string | undefined): AnswersFile => {
  const answers = path === undefined ? {} : objectGiven(`@${path}`, `The file ${path} of --answers`);
  for (const [name, member] of Object.entries(answers)) {
    const known = MEMBERS.get(name);
    if (known === undefined) {
      throw usage(`${path} has "${oneLine(name, 60)}", and answers are ${[...MEMBERS.keys()].join(', ')}`);
    }
    if (!isObject(member)) throw usage(`"${name}" of ${path} is no object`);
    const [fits, wanted] = known;
    const wrong = Object.entries(member).find(([, value]) => !fits(value));
    if (wrong !== undefined) throw usage(`"${name}" of ${path}: "${oneLine(wrong[0], 100)}" must be ${wanted}`);
  }
  return { approve: {}, questions: {}, inputs: {}, ...(answers as Partial<AnswersFile>) };
};

/** What an item is called in the file: `server/tool` for a call, with the act before it for everything else. */
const keyOf = (item: Exclude<Item, { kind: 'question' }>, host: Host | undefined): string => {
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
};

/** Whether a key of the file is about something. `*` stands for any characters, but never for the act: calls alone have none. */
export const isAbout = (key: string, about: string): boolean => {
  const act = /^(?:read|changed|start|sample):/;
  return (act.exec(key)?.[0] ?? '') === (act.exec(about)?.[0] ?? '') && matchesGlob(key, about);
};

const decisionFor = (about: string, approve: Approvals): Decision | undefined => {
  const found = Object.entries(approve).flatMap(([key, value]) => (isAbout(key, about) ? [value] : []));
  const value = found.includes('no') ? 'no' : found[0];
  if (value === undefined) return undefined;
  return value === 'no'
    ? { allow: false, reason: 'the answers say no' }
    : { allow: true, scope: value, reason: 'by the file of --answers' };
};

const answerTo = (item: Extract<Item, { kind: 'question' }>, { questions }: AnswersFile): Decision | undefined => {
  const texts = [item.name, item.message].filter((text) => text !== undefined);
  const key = keyFor(Object.keys(questions), item.server, texts);
  const answer = key === undefined ? undefined : questions[key];
  if (answer === undefined) return undefined;
  if (answer === 'decline') return { allow: false };
  if (answer === 'cancel') return { allow: false, cancel: true };
  return { allow: true, content: answer === 'accept' ? ((item.form?.defaults as Content | undefined) ?? {}) : answer };
};

export interface AnswersOptions {
  readonly answers: AnswersFile;
  /** The names of all servers. */
  readonly servers: readonly string[];
  host(): Host | undefined;
  /** Told what is denied for want of an answer, and what to write. */
  denied(message: string): void;
}

/**
 * Decides by the file. What it says nothing about is denied, and it is said how to allow it. Throws a usage failure for answers that any of
 * several servers could get.
 */
export const decideByFile = ({ answers, servers, host, denied }: AnswersOptions): Deciders => {
  checkKeys(Object.keys(answers.questions), servers);
  const approve: Decider = (item) => {
    if (item.kind === 'question') return { allow: false };
    const about = keyOf(item, host());
    const decision = decisionFor(about, answers.approve);
    if (decision !== undefined) return decision;
    denied(
      `${about} was denied: nobody is here to ask. To allow it, write into the file of --answers: {"approve":{${JSON.stringify(about)}:"once"}}`,
    );
    return { allow: false, reason: 'nobody is here to ask, and there is no answer for it' };
  };
  const ask: Decider = (item) => {
    if (item.kind !== 'question') return { allow: false };
    const decision = answerTo(item, answers);
    if (decision !== undefined) return decision;
    const name = item.name ?? item.message;
    denied(
      `${item.server} asked '${name}', and that was declined: nobody is here to answer. To answer, write into the file of --answers: {"questions":{${JSON.stringify(`${item.server}/${name}`)}:…}}`,
    );
    return { allow: false };
  };
  const input = ({ id }: Input): string | undefined => {
    const value = Object.hasOwn(answers.inputs, id) ? answers.inputs[id] : undefined;
    if (value === undefined)
      denied(
        `The configuration asks for '${id}'. Write it into the file of --answers: {"inputs":{${JSON.stringify(id)}:"…"}}`,
      );
    return value;
  };
  return { approve, ask, input };
};
