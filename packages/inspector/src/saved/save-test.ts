import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SaveTestBody } from '../api/views.ts';
import { WorkbenchError } from '../session/contract.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { memberText, memberTexts } from '../values/json-text.ts';
import { expectationFrom } from './judge.ts';
import { readTestFile, type SavedTest, type TestFile, testFileText } from './test-file.ts';

/** A request of the trace and its answer, as a test. */
const testFrom = (store: TraceStore, name: string, request: number): SavedTest => {
  const facts = store.index.at(request);
  const pair = facts?.message === 'request' ? facts.pair : undefined;
  if (facts?.method === undefined || pair === undefined)
    throw new WorkbenchError('bad-request', `Line ${request} is no request that was answered`);
  const lines = [request, pair].map((n) => store.read(n, n)[0]!);
  if (lines[0]!.redacted === true)
    throw new WorkbenchError(
      'bad-request',
      'This request had a secret in it, which no trace holds: write the test by hand',
    );
  const [asked, answer] = lines.map(({ text }) => text);
  // What the protocol adds to each request is not part of the test.
  const params = (memberTexts(memberText(asked!, 'params') ?? '{}') ?? []).filter(([member]) => member !== '_meta');
  return {
    name,
    method: facts.method,
    params: `{${params.map(([member, value]) => `${JSON.stringify(member)}:${value}`).join(',')}}`,
    expect: expectationFrom({
      outcome: facts.outcome ?? 'ok',
      text: memberText(answer!, 'result') ?? memberText(answer!, 'error') ?? '{}',
      ms: facts.ms ?? 0,
    }),
  };
};

/** Adds a test to the file, or puts it in the place of the one of that name. The file is made if it is not there. */
export const saveTest = (path: string, store: TraceStore, body: SaveTestBody): void => {
  const file: TestFile = existsSync(path) ? readTestFile(readFileSync(path, 'utf8')) : { server: undefined, tests: [] };
  const test = testFrom(store, body.name, body.request);
  const tests = file.tests.some(({ name }) => name === test.name)
    ? file.tests.map((one) => (one.name === test.name ? test : one))
    : [...file.tests, test];
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, testFileText({ ...file, tests }));
  renameSync(next, path);
};
