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

// The bodies of requests that are more than a member or two, as shapes and types.

/** The largest body, in bytes, and so the longest text in it. */
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

/** A request to a server under test. The browser sends texts of JSON, so that no number changes. */
export const requestBody = object({
  method: text(),
  /** A JSON object as text. */
  params: optional(text(MAX_BODY)),
  timeoutMs: optional(whole(1, MAX_TIMEOUT_MS)),
  /** Names the request, so that it can be cancelled before it is answered. */
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
  /** Never answer: the server's own time limit is tested. */
  ignore: object({}),
  /** Answer with a result that no server can use, to see how it reacts. JSON as text. */
  garbage: object({ result: text(MAX_BODY) }),
});
export type InboxAnswer = TypeOf<typeof inboxAnswer>;

/** What to do about the login at a server. */
export const authBody = oneMember({
  /** Stop before each hop, or no longer. */
  pausing: flag(),
  /** The hop that may go on. */
  go: text(),
  /** Log in from the beginning. */
  start: choice([true]),
  forget: choice([true]),
});
export type AuthBody = TypeOf<typeof authBody>;

/** Arguments, and variables, of one process. */
const MAX_WORDS = 1_000;
/** One of them, in characters. */
const MAX_WORD = 100_000;

/** How a process is to be started: its program, all its arguments and variables, and its folder. */
export const launchBody = object({
  /** The program. Without it: the one of before. */
  command: optional(text(MAX_WORD)),
  /** The folder in which it runs; empty: that of the inspector. Without it: the one of before. */
  cwd: optional(text(MAX_WORD)),
  /** In order: one of those of before by its place, or another text. */
  args: list(oneMember({ keep: whole(0, MAX_WORDS), text: text(MAX_WORD) }), MAX_WORDS),
  /** Without a value: the one of before. */
  env: list(object({ name: text(), value: optional(text(MAX_WORD)) }), MAX_WORDS),
});
export type LaunchBody = TypeOf<typeof launchBody>;

export const checkBody = object({
  server: text(),
  groups: list(choice(CHECK_GROUPS), CHECK_GROUPS.length),
  /** A surface that was saved, as text. */
  baseline: optional(text(MAX_BODY)),
});
export type CheckBody = TypeOf<typeof checkBody>;

/** Keeps a call as a test. */
export const saveTestBody = object({
  server: text(),
  /** The name of the test, unless another call has it. */
  name: text(),
  /** The line of the request; its answer is what the test expects. */
  request: whole(1, Number.MAX_SAFE_INTEGER),
});
export type SaveTestBody = TypeOf<typeof saveTestBody>;
