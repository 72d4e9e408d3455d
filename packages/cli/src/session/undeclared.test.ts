import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure } from '../failure/failure.ts';
import type { Observer } from './observer.ts';
import { withUndeclared } from './undeclared.ts';

/** What is said of a call that failed with a message, for a command line without options. */
function detailsOf(message: string, refused: readonly string[] = []) {
  const line = { given: new Set() } as unknown as CommandLine;
  const observer = { refusedQuestions: new Set(refused) } as unknown as Observer;
  const { blame, fix = '' } = withUndeclared(
    new Failure('protocol', 'rpc_error', message, { blame: 'server' }),
    line,
    undefined,
    observer,
  ).details;
  return { blame, fix };
}

test('a call that fails because a question was refused names the option with which it is answered', () => {
  for (const [method, option] of [
    ['elicitation/create', '--answers'],
    ['sampling/createMessage', '--sample'],
    ['roots/list', '--roots'],
  ] as const) {
    const { blame, fix } = detailsOf('It failed', [method]);
    assert.equal(blame, 'you');
    assert.ok(fix.includes(option), fix);
  }
  assert.match(detailsOf('Client does not support elicitation').fix, /--answers/);
});

test('a server that cannot ask in this revision is named, with the revision in which it can', () => {
  for (const message of [
    "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
    'elicitation via server-initiated requests is unavailable on 2026-07-28 connections',
  ]) {
    const { blame, fix } = detailsOf(message);
    assert.equal(blame, 'server');
    assert.match(fix, /--revision 2025-11-25/);
  }
});

test('a mistake of a tool in its question is not a missing option', () => {
  const { blame, fix } = detailsOf("Elicitation schema field 'color' must be a primitive type");
  assert.deepEqual([blame, fix], ['server', '']);
});
