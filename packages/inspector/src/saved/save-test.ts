import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SaveTestBody } from '../api/bodies.ts';
import { WorkbenchError } from '../session/contract.ts';
import { legsOf } from '../trace/legs.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { memberText, memberTexts } from '../values/json-text.ts';
import { canonicalJsonText } from '../values/canonical-json-text.ts';
import { type Answer, expectationFrom, updated } from './expectation.ts';
import { isSameServer } from './server-entry.ts';
import { readTestFile, type SavedTest, type TestFile, testFileText } from './test-file.ts';

/** A call to be saved, and its outcome. */
interface SavedCall {
  readonly method: string;
  readonly params: string;
  readonly answer: Answer;
}

/** A request of the trace and its answer. */
function keptFrom(store: Pick<TraceStore, 'index' | 'read'>, request: number): SavedCall {
  const facts = store.index.at(request);
  // If questions were answered in between, the last request has the final answer.
  const last = facts?.message === 'request' ? legsOf(store.index, facts).at(-1) : undefined;
  const pair = last?.pair;
  if (facts?.method === undefined || pair === undefined)
    throw new WorkbenchError('bad-request', `Line ${request} is not an answered request`);
  const lines = [request, pair].map((n) => store.read(n, n)[0]!);
  if (lines[0]!.redacted === true)
    throw new WorkbenchError(
      'bad-request',
      'This request contained a secret, which is not in the trace: write the test by hand',
    );
  const [asked, answer] = lines.map(({ text }) => text);
  // The members that the protocol adds to each request are not part of the test.
  const params = (memberTexts(memberText(asked!, 'params') ?? '{}') ?? []).filter(([member]) => member !== '_meta');
  return {
    method: facts.method,
    params: `{${params.map(([member, value]) => `${JSON.stringify(member)}:${value}`).join(',')}}`,
    answer: {
      outcome: last?.outcome ?? 'ok',
      text: memberText(answer!, 'result') ?? memberText(answer!, 'error') ?? '{}',
      ms: facts.ms ?? 0,
    },
  };
}

/** A key that is equal for equivalent calls. A tool without arguments gets an empty object. */
function callOf({ method, params }: Pick<SavedTest, 'method' | 'params'>): string {
  const args = method === 'tools/call' && memberText(params, 'arguments') === undefined ? [['arguments', '{}']] : [];
  const members = [...(memberTexts(params) ?? []), ...args];
  return `${method} ${canonicalJsonText(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`)}`;
}

/** The name, with a number if another test has it. */
function freeName(name: string, { tests }: TestFile): string {
  const taken = new Set(tests.map((test) => test.name));
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} ${count}`;
  return free;
}

/** Adds the test, or updates the test of the same call: checks written by hand stay, unless the outcome changed. */
function withTest(file: TestFile, wanted: string, { method, params, answer }: SavedCall): [TestFile, name: string] {
  const expect = expectationFrom(answer);
  const own = file.tests.find((test) => callOf(test) === callOf({ method, params }));
  if (own === undefined) {
    const name = freeName(wanted, file);
    return [{ ...file, tests: [...file.tests, { name, method, params, expect }] }, name];
  }
  const again = { ...own, expect: own.expect.outcome === expect.outcome ? updated(own.expect, answer) : expect };
  return [{ ...file, tests: file.tests.map((test) => (test === own ? again : test)) }, own.name];
}

/** A test file is for one server: tests of another one would run against the wrong server. */
function refuseOther(path: string, { server, tests }: TestFile, entry: string): void {
  const elsewhere = 'give that file another name (tenon test --file runs it), and keep this call again.';
  if (server === undefined && tests.length > 0)
    throw new WorkbenchError(
      'bad-request',
      `${path} does not say of which server its tests are`,
      `If they are of this one, write "server": ${entry} into it. If not, ${elsewhere}`,
    );
  if (server !== undefined && !isSameServer(server, entry))
    throw new WorkbenchError(
      'bad-request',
      `${path} holds tests of another server: ${server}`,
      `This one is ${entry}. A file has tests of one server: ${elsewhere}`,
    );
}

/**
 * Adds a test to the file, or updates the test of the same call, and returns its name. The file is created if it does not exist,
 * with the server in it. Throws a `WorkbenchError` if its tests are for another server, or `request` is not the line of an
 * answered request; and a `TestFileError` if the file is not a test file.
 *
 * @example
 * ```ts
 * import { saveTest, serverEntry, withIsolatedServer } from '@tenon/inspector';
 *
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * await withIsolatedServer(target, { by: 'my tool 1.0' }, async ({ server, store }) => {
 *   await server.connect(undefined);
 *   const { request } = await server.request({ method: 'tools/call', params: '{"name":"forecast"}', key: '1' });
 *   return saveTest('mcp.test.json', store, { name: 'a forecast', request: request! }, serverEntry(target));
 * });
 * ```
 */
export function saveTest(
  path: string,
  store: Pick<TraceStore, 'index' | 'read'>,
  { name: wanted, request }: Pick<SaveTestBody, 'name' | 'request'>,
  entry: string,
): string {
  const file: TestFile = existsSync(path) ? readTestFile(readFileSync(path, 'utf8')) : { server: undefined, tests: [] };
  const kept = keptFrom(store, request);
  refuseOther(path, file, entry);
  const [more, name] = withTest({ ...file, server: file.server ?? entry }, wanted, kept);
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, testFileText(more));
  renameSync(next, path);
  return name;
}
