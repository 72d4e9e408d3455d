import { createHash } from 'node:crypto';
import type { SuspendedCall } from 'tenon/client';
import { canonicalJson } from '@tenon/values/canonical-json';
import { isObject } from '@tenon/values/is-object';
import { isFieldValue } from './decision.ts';
import type { Decision, Item } from './item.ts';

/** What is known about the origin of an item. */
export interface ItemContext {
  /** The suspended call, with which another program can resume it. */
  readonly call?: SuspendedCall;
  /** The digest of the approved launch: an answer must not be used for a different server. */
  readonly launch?: string;
  /** The pin of the called tool. */
  readonly pin?: string;
  /** Data that the decision is bound to although it is not shown: an answer given in the meantime must not be used for anything else. */
  readonly exactly?: string;
}

/** An item as it is stored. */
export interface PendingRecord extends ItemContext {
  readonly item: Item;
  /** The lease id of the host in which it waits. */
  readonly owner: string;
  /**
   * The decision about a question of a suspended call. The record stays until the call continues or ends: if its host is killed before
   * that, the next one knows that the answers may have been sent.
   */
  readonly answered?: Decision;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}
const isPage: Check = (value) => isObject(value) && isText(value['url']) && isText(value['host']);
const isForm: Check = (value) => {
  if (!isObject(value) || !isObject(value['schema'])) return false;
  const { defaults } = value;
  return isObject(defaults) && Object.values(defaults).every(isFieldValue);
};
const isTarget: Check = (value) =>
  isObject(value) &&
  (isText(value['url'])
    ? isTextList(value['headers'])
    : isText(value['command']) && isTextList(value['args']) && isTextList(value['env']));

/** The members that are needed to show the items of each kind. */
const MEMBERS: Readonly<Record<Item['kind'], Readonly<Record<string, Check>>>> = {
  start: { target: isTarget, variables: isTextList, changed: isTextList, source: optional(isText) },
  call: { tool: isText, title: isText, arguments: isObject, by: isText },
  read: { uri: isText, by: isText },
  question: {
    message: isText,
    resumed: optional((value) => value === true),
    tool: optional(isText),
    name: optional(isText),
    form: optional(isForm),
    page: optional(isPage),
  },
  sample: { request: isObject, model: isText, context: optional(isText) },
  sampled: { request: isObject, result: isObject },
  changed: { tool: isText, before: optional(isObject), after: isObject, difference: isTextList },
  'changed-server': { before: optional(isObject), after: isObject, difference: isTextList },
};

const ALL: Readonly<Record<string, Check>> = { id: isText, at: Number.isFinite, server: isText, warnings: isTextList };

function fits(value: Record<string, unknown>, members: Readonly<Record<string, Check>>): boolean {
  return Object.entries(members).every(([name, check]) => check(value[name]));
}

function isItem(value: unknown): value is Item {
  if (!isObject(value) || !fits(value, ALL)) return false;
  const { kind } = value;
  return typeof kind === 'string' && Object.hasOwn(MEMBERS, kind) && fits(value, MEMBERS[kind as Item['kind']]);
}

const METHODS: readonly unknown[] = ['tools/call', 'prompts/get', 'resources/read'];

const isCall: Check = (value) =>
  isObject(value) &&
  METHODS.includes(value['method']) &&
  isObject(value['params']) &&
  isObject(value['inputRequests']) &&
  optional(isText)(value['state']);

/** Whether a stored value is a valid record for this id. Other programs may have written to the folder. */
export function isPendingRecord(value: unknown, id: string): value is PendingRecord {
  return (
    isObject(value) &&
    isItem(value['item']) &&
    value['item'].id === id &&
    fits(value, {
      owner: isText,
      call: optional(isCall),
      launch: optional(isText),
      pin: optional(isText),
      exactly: optional(isText),
      answered: optional(isObject),
    })
  );
}

/** A digest of a value that does not depend on the order of its members. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/** The id of a question of a resumable call. It is the same in every program, so that an answer finds the question. */
export function questionId(server: string, call: SuspendedCall, question: string): string {
  return digestOf([server, call, question]);
}

/** The key of an item: the same if an equal item is created again, also by another program. */
export function recordKey(item: Item, { call, exactly }: ItemContext): string {
  if (call !== undefined && item.kind === 'question') return questionId(item.server, call, item.name ?? item.message);
  const { id: _id, at: _at, ...shown } = item;
  return digestOf([shown, call ?? null, exactly ?? null]);
}
