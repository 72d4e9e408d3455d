import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixForVariable } from './missing-variable.ts';

function nameIn(stderr: string): string | undefined {
  return /--env (\w+),/.exec(fixForVariable(stderr) ?? '')?.[1];
}

test('the variable that a program lacks is found in what it writes', () => {
  for (const [stderr, name] of [
    [
      "if (process.env.TOKEN.length < 5) {\n   ^\nTypeError: Cannot read properties of undefined (reading 'length')",
      'TOKEN',
    ],
    ["const url = new URL(process.env['db_url']);\n[ERR_INVALID_URL]: Invalid URL", 'db_url'],
    ["    key = os.environ['MAPS_KEY']\nKeyError: 'MAPS_KEY'", 'MAPS_KEY'],
    ['Error: Please set MAPS_API_KEY.', 'MAPS_API_KEY'],
    ['DATABASE_URL missing', 'DATABASE_URL'],
    [
      'Traceback (most recent call last):\n  File "/a/server.py", line 3, in <module>\n    start(MAX_SIZE)\nValueError: MAPS_API_KEY is not set',
      'MAPS_API_KEY',
    ],
  ] as const)
    assert.equal(nameIn(stderr), name, stderr);
});

test('codes of errors and other names are no variables', () => {
  for (const stderr of [
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'",
    "  code: 'MODULE_NOT_FOUND',\n  requireStack: []",
    'node.exports.SOME_THING',
    'SQLITE_CANTOPEN: unable to open database file',
    'listen EADDRINUSE: address already in use :::3000',
    'TypeError: Cannot read properties of undefined (reading length)',
    'Traceback (most recent call last):\n  File "/a/server.py", line 3, in <module>\n    from typing import TYPE_CHECKING, nothing\nImportError: cannot import name',
    'Traceback (most recent call last):\n  File "/a/server.py", line 3, in <module>\n    start(MAX_SIZE)\n          ^^^^^^^^\nValueError: too large',
    '',
  ])
    assert.equal(fixForVariable(stderr), undefined, stderr);
  assert.equal(fixForVariable(undefined), undefined);
});
