import type { CheckRow } from '../rules/finding.ts';
import {
  choice,
  flag,
  list,
  MAX_URI,
  object,
  oneMember,
  optional,
  record,
  text,
  type TypeOf,
  variants,
  whole,
} from './shapes.ts';

// Shapes and types of request bodies with more than one or two members.

/** The largest body, in bytes. No text in it can be longer. */
export const MAX_BODY = 16 * 1024 * 1024;
const MAX_TIMEOUT_MS = 24 * 3_600_000;

const CHECK_GROUPS = [
  'doctor',
  'lint',
  'wire',
  'era',
  'baseline',
  'load',
  'test',
] as const satisfies readonly CheckRow['group'][];

/** A request to a server under test. The browser sends JSON as text, so that no number loses precision. */
export const requestBody = object({
  method: text(),
  /** A JSON object as text. */
  params: optional(text(MAX_BODY)),
  timeoutMs: optional(whole(1, MAX_TIMEOUT_MS)),
  /** Identifies the request, so that it can be cancelled before it is answered. */
  key: text(),
});
export type RequestBody = TypeOf<typeof requestBody>;

export const completeBody = object({
  ref: oneMember({ prompt: text(), template: text(MAX_URI) }),
  argument: text(),
  typed: text(MAX_URI),
  resolved: optional(record(text(MAX_URI))),
});
export type CompleteBody = TypeOf<typeof completeBody>;

export const inboxAnswer = variants('action', {
  accept: object({ content: optional(text(MAX_BODY)) }),
  decline: object({}),
  cancel: object({}),
  /** Never answer, to test the server's own time limit. */
  ignore: object({}),
  /** Answer with a result that no server can use, to see how it reacts. The result is JSON text. */
  garbage: object({ result: text(MAX_BODY) }),
});
export type InboxAnswer = TypeOf<typeof inboxAnswer>;

/** An act on the login at a server. */
export const authBody = oneMember({
  /** Whether to stop before each hop. */
  pausing: flag(),
  /** The hop that may continue. */
  go: text(),
  /** Start the login again. */
  start: choice([true]),
  forget: choice([true]),
});
export type AuthBody = TypeOf<typeof authBody>;

/** The number of arguments, and of variables, of one process. */
const MAX_WORDS = 1_000;
/** The length of an argument or variable, in characters. */
const MAX_WORD = 100_000;

/** How to start a process: its program, all its arguments and variables, and its folder. */
export const launchBody = object({
  /** The program. Without it, the current one stays. */
  command: optional(text(MAX_WORD)),
  /** The folder in which it runs; empty: the folder of the inspector. Without it, the current one stays. */
  cwd: optional(text(MAX_WORD)),
  /** In order. Each keeps a current argument, by its index, or gives a new text. */
  args: list(oneMember({ keep: whole(0, MAX_WORDS), text: text(MAX_WORD) }), MAX_WORDS),
  /** Without a value, the current one stays. */
  env: list(object({ name: text(), value: optional(text(MAX_WORD)) }), MAX_WORDS),
});
export type LaunchBody = TypeOf<typeof launchBody>;

export const checkBody = object({
  server: text(),
  groups: list(choice(CHECK_GROUPS), CHECK_GROUPS.length),
  /** A saved surface, as text. */
  baseline: optional(text(MAX_BODY)),
});
export type CheckBody = TypeOf<typeof checkBody>;

/** Saves a call as a test. */
export const saveTestBody = object({
  server: text(),
  /** The name of the test, unless another test has it. */
  name: text(),
  /** The line of the request. The test expects its answer. */
  request: whole(1, Number.MAX_SAFE_INTEGER),
});
export type SaveTestBody = TypeOf<typeof saveTestBody>;
