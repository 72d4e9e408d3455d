import type { ErrorCode } from '../values/error-codes.ts';
import { elementTexts, memberTexts, valueTextAt } from '../values/json-text.ts';

/** Saved calls with their expectations: `mcp.test.json`. All values are JSON texts, so that no number changes. */
export interface TestFile {
  /** How the server is started or reached; a server on the command line takes precedence. */
  readonly server: string | undefined;
  /** In the order of the file. No two have the same name. */
  readonly tests: readonly SavedTest[];
}

/** A call, and its expected answer. */
export interface SavedTest {
  /** The name of the test in reports. */
  readonly name: string;
  /** A method of MCP, such as `tools/call`. */
  readonly method: string;
  /** A JSON object. */
  readonly params: string;
  /** The expected answer. */
  readonly expect: Expectation;
}

/** Requirements for an answer. */
export interface Expectation {
  /** The outcome of the request. */
  readonly outcome: 'ok' | 'error' | 'tool-error';
  /** The longest duration, in milliseconds. */
  readonly maxMs?: number;
  /** Checks of the result, or of the error object. */
  readonly checks: readonly Check[];
}

/** A check of one value of the answer. `at` is a JSON Pointer. */
export type Check =
  | { readonly at: string; readonly equals: string }
  | { readonly at: string; readonly contains: string }
  | { readonly at: string; readonly type: JsonType };

export const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

const OUTCOMES: ReadonlySet<string> = new Set(['ok', 'error', 'tool-error']);

/** The file is invalid. The message says where. */
export class TestFileError extends Error {
  /** Always `TestFileError`. */
  override readonly name = 'TestFileError';
  /** Always `invalid-test-file`. */
  readonly code: ErrorCode<'TestFileError'> = 'invalid-test-file';
}

function fail(where: string, what: string): never {
  throw new TestFileError(`${where}: ${what}`);
}

function membersOf(text: string | undefined, where: string, allowed: readonly string[]): Map<string, string> {
  const members = text === undefined ? undefined : memberTexts(text);
  if (members === undefined) return fail(where, 'this is not an object');
  const unknown = members.find(([name]) => !allowed.includes(name));
  // A misspelt word would otherwise be a check that never fails.
  if (unknown !== undefined) fail(where, `there is no "${unknown[0]}"; known are ${allowed.join(', ')}`);
  return new Map(members);
}

function textOf(text: string | undefined, where: string): string {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof value === 'string' ? value : fail(where, 'this must be a text');
}

function checkOf(text: string, where: string): Check {
  const members = membersOf(text, where, ['at', 'equals', 'contains', 'type']);
  const at = textOf(members.get('at'), `${where}/at`);
  if (at !== '' && !at.startsWith('/')) fail(`${where}/at`, 'a JSON Pointer begins with /');
  const [equals, contains, type] = ['equals', 'contains', 'type'].map((name) => members.get(name));
  if ([equals, contains, type].filter((one) => one !== undefined).length !== 1)
    fail(where, 'it needs one of equals, contains and type');
  if (equals !== undefined) return { at, equals };
  if (contains !== undefined) return { at, contains: textOf(contains, `${where}/contains`) };
  const name = textOf(type, `${where}/type`);
  const known = JSON_TYPES.find((one) => one === name);
  return known === undefined ? fail(`${where}/type`, `there is no type ${name}`) : { at, type: known };
}

function expectationOf(text: string | undefined, where: string): Expectation {
  const members = membersOf(text ?? '{}', where, ['outcome', 'maxMs', 'checks']);
  const outcome = members.has('outcome') ? textOf(members.get('outcome'), `${where}/outcome`) : 'ok';
  if (!OUTCOMES.has(outcome)) fail(`${where}/outcome`, 'it can be ok, tool-error or error');
  const most = members.get('maxMs');
  const maxMs = most === undefined ? undefined : Number(most);
  if (maxMs !== undefined && !(maxMs > 0 && Number.isFinite(maxMs)))
    fail(`${where}/maxMs`, 'it must be a number of milliseconds');
  const checks = members.has('checks') ? elementTexts(members.get('checks')!) : [];
  if (checks === undefined) return fail(`${where}/checks`, 'this is not a list');
  return {
    outcome: outcome as Expectation['outcome'],
    maxMs,
    checks: checks.map((check, index) => checkOf(check, `${where}/checks/${index}`)),
  };
}

function testOf(text: string, where: string): SavedTest {
  const members = membersOf(text, where, ['name', 'tool', 'arguments', 'method', 'params', 'expect']);
  const name = textOf(members.get('name'), `${where}/name`);
  const expect = expectationOf(members.get('expect'), `${where}/expect`);
  // Otherwise one of them would be ignored silently.
  for (const [one, other] of [
    ['tool', 'method'],
    ['tool', 'params'],
    ['method', 'arguments'],
  ] as const)
    if (members.has(one) && members.has(other)) fail(where, `"${one}" and "${other}" exclude each other`);
  if (members.has('tool')) {
    const tool = textOf(members.get('tool'), `${where}/tool`);
    const args = members.get('arguments') ?? '{}';
    membersOf(
      args,
      `${where}/arguments`,
      (memberTexts(args) ?? []).map(([one]) => one),
    );
    return { name, method: 'tools/call', params: `{"name":${JSON.stringify(tool)},"arguments":${args}}`, expect };
  }
  const params = members.get('params') ?? '{}';
  if (memberTexts(params) === undefined) fail(`${where}/params`, 'this is not an object');
  return { name, method: textOf(members.get('method'), `${where}/method`), params, expect };
}

/**
 * Parses the text of a `mcp.test.json`. Throws a `TestFileError` that names the place.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { readTestFile } from '@tenon/inspector';
 *
 * const { tests } = readTestFile(await readFile('mcp.test.json', 'utf8'));
 * console.error(tests.map(({ name }) => name));
 * ```
 */
export function readTestFile(text: string): TestFile {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new TestFileError(`This is not JSON: ${(error as Error).message}`);
  }
  const members = membersOf(text, 'the file', ['mcptest', 'server', 'tests']);
  if (members.get('mcptest') !== '1') fail('/mcptest', 'this must be 1, the version of the format');
  const tests = elementTexts(members.get('tests') ?? '') ?? fail('/tests', 'this is not a list');
  const read = tests.map((test, index) => testOf(test, `/tests/${index}`));
  const names = new Set<string>();
  for (const { name } of read) {
    if (names.has(name)) fail('/tests', `two tests are called "${name}"`);
    names.add(name);
  }
  return { server: members.get('server'), tests: read };
}

function checkText(check: Check): string {
  const at = `"at": ${JSON.stringify(check.at)}`;
  if ('equals' in check) return `{ ${at}, "equals": ${check.equals} }`;
  if ('contains' in check) return `{ ${at}, "contains": ${JSON.stringify(check.contains)} }`;
  return `{ ${at}, "type": "${check.type}" }`;
}

function testText({ name, method, params, expect }: SavedTest): string {
  const isCall =
    method === 'tools/call' &&
    memberTexts(params)?.every(([member]) => member === 'name' || member === 'arguments') === true;
  const what = isCall
    ? [
        `      "tool": ${valueTextAt(params, '/name') ?? '""'},`,
        `      "arguments": ${valueTextAt(params, '/arguments') ?? '{}'},`,
      ]
    : [`      "method": ${JSON.stringify(method)},`, `      "params": ${params},`];
  const { outcome, maxMs, checks } = expect;
  return [
    '    {',
    `      "name": ${JSON.stringify(name)},`,
    ...what,
    '      "expect": {',
    `        "outcome": "${outcome}",`,
    ...(maxMs === undefined ? [] : [`        "maxMs": ${maxMs},`]),
    checks.length === 0
      ? '        "checks": []'
      : `        "checks": [\n${checks.map((check) => `          ${checkText(check)}`).join(',\n')}\n        ]`,
    '      }',
    '    }',
  ].join('\n');
}

/**
 * The text of a file, with one value per line, so that diffs are easy to read.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises';
 * import { readTestFile, testFileText } from '@tenon/inspector';
 *
 * const file = readTestFile(await readFile('mcp.test.json', 'utf8'));
 * await writeFile('mcp.test.json', testFileText({ ...file, tests: file.tests.slice(1) }));
 * ```
 */
export function testFileText({ server, tests }: TestFile): string {
  return [
    '{',
    '  "mcptest": 1,',
    ...(server === undefined ? [] : [`  "server": ${server},`]),
    `  "tests": [${tests.length === 0 ? '' : `\n${tests.map(testText).join(',\n')}\n  `}]`,
    '}',
    '',
  ].join('\n');
}
