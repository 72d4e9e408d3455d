import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Host } from '@tenon/host';
import { draftOf } from './editor.ts';
import { mentionsIn } from './mentions.ts';
import { suggestFor } from './suggest.ts';

const asked: unknown[] = [];

/** A host with one template, whose server suggests these values. */
function hostOf(uriTemplate: string, values: readonly string[]): Host {
  return {
    prompts: () => [],
    resources: () => [],
    templates: () => [{ server: 'files', entry: { uriTemplate, name: 'it' } }],
    complete: async (...[, , typed]: Parameters<Host['complete']>) => {
      asked.push(typed);
      return { values };
    },
  } as unknown as Host;
}

async function take(uriTemplate: string, values: readonly string[], text: string): Promise<string[]> {
  const found = await suggestFor(hostOf(uriTemplate, values), [])(draftOf(text), new AbortController().signal);
  return found.map(({ from, insert }) => text.slice(0, from) + insert);
}

test('a value with spaces is encoded in the address that it is put into', async () => {
  const values = ['two words', 'a/b', 'Is it?', 'etc.', 'käse (1)', '50%', '\ud800'];
  const texts = await take('doc://{name}', values, 'see @files:doc://');
  assert.deepEqual(texts, [
    'see @files:doc://two%20words',
    'see @files:doc://a%2Fb',
    'see @files:doc://Is%20it%3F',
    'see @files:doc://etc%2E',
    'see @files:doc://k%C3%A4se%20%281%29',
    'see @files:doc://50%25',
    'see @files:doc://%EF%BF%BD',
  ]);
  // The completed text is recognized as a mention.
  for (const text of texts) assert.equal(mentionsIn(text, ['files'])[0]?.uri, text.slice('see @files:'.length));
  assert.deepEqual(await take('file:///{+path}', ['my files/a?', 'b#c'], '(@files:file:///'), [
    '(@files:file:///my%20files/a%3F',
    '(@files:file:///b#c',
  ]);
});

test('a server is asked to complete the decoded value', async () => {
  asked.length = 0;
  await take('repo://{owner}/{name}', [], '@files:repo://ann%20b/two%20w');
  await take('repo://{owner}/{name}', [], '@files:repo://50%');
  assert.deepEqual(asked, [
    { argument: 'name', value: 'two w', resolved: { owner: 'ann b' } },
    { argument: 'owner', value: '50%', resolved: {} },
  ]);
});

test('a value of a query follows its name', async () => {
  assert.deepEqual(await take('find://all{?text}', ['red'], '@files:find://all?text=r'), [
    '@files:find://all?text=red',
  ]);
  assert.deepEqual(await take('find://all{/part}', ['red'], '@files:find://all/r'), ['@files:find://all/red']);
});
