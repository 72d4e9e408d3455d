import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { wholeText } from '../../protocol/message-text.ts';
import { createEngine } from '../create-engine.ts';
import { server } from '../define.ts';
import { fakeRequestContext } from '../fixtures/request-context.ts';
import { resource } from '../resource.ts';

function show(variables: object): string {
  return JSON.stringify(variables);
}
const engine = createEngine(
  server({
    name: 'library',
    visibility: () => 'user',
    resources: {
      'x:page': resource({ name: 'page' }, () => 'whole'),
      'x:page#2': resource({ name: 'second' }, () => 'second'),
      'x:search{?limit,tag*}': resource({ name: 'search' }, show),
      'x:part/{id}{#at}': resource({ name: 'part' }, show),
      'x:secret{?limit}': resource({ name: 'secret', visible: ['admin'] }, show),
    },
  }),
);

async function read(uri: string): Promise<{ readonly uri: string; readonly text: string }> {
  const result = JSON.parse(
    wholeText(await engine.answer('resources/read', { uri }, fakeRequestContext({}))),
  ) as JsonObject;
  return (result['contents'] as [{ uri: string; text: string }])[0];
}

test('a fragment is ignored, unless a resource has this URI with the fragment', async () => {
  for (const [uri, resourceUri, text] of [
    ['x:page#top', 'x:page', 'whole'],
    ['x:page#', 'x:page', 'whole'],
    ['x:page#2', 'x:page#2', 'second'],
    ['x:search?limit=5#top', 'x:search?limit=5', '{"limit":"5"}'],
    ['x:part/7#top', 'x:part/7#top', '{"id":"7","at":"top"}'],
  ] as const) {
    const found = await read(uri);
    assert.deepEqual([found.uri, found.text.replace(',"tag":[]', '')], [resourceUri, text]);
  }
});

test('the parameters of a query match in any order, and however their unreserved characters are encoded', async () => {
  for (const uri of ['x:search?tag=a&limit=5', 'x:search?limit=5&tag=a', 'x:search?%6Cimit=5&t%61g=a'])
    assert.equal((await read(uri)).text, '{"limit":"5","tag":["a"]}', uri);
});

test('an invalid query is an error that names the problem; no parameter is ignored', async () => {
  for (const [uri, why] of [
    ['x:search?limt=5', 'its query has no parameter "limt", only limit, tag'],
    ['x:search?limit=5&page=2#top', 'its query has no parameter "page", only limit, tag'],
    ['x:search?limit=5&limit=6', 'the parameter "limit" is there more than once'],
    ['x:search?l%69mit=5&limit=6', 'the parameter "limit" is there more than once'],
    ['x:search?', 'its query has no parameter "", only limit, tag'],
    ['x:page?a=1', 'this resource has no query'],
  ] as const)
    await assert.rejects(read(uri), { code: -32602, message: `Resource not found: ${uri} (${why})`, data: { uri } });
});

test('errors reveal nothing about a resource that the reader may not see', async () => {
  for (const uri of ['x:secret?limit=5&x=1', 'x:none?limit=5', 'x:none#top', 'x:search?limit=%ZZ'])
    await assert.rejects(read(uri), { message: `Resource not found: ${uri}` });
});
