import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { RetrievalResultLocationType, RetrieveRequest$ } from '@aws-sdk/client-bedrock-agent-runtime';
import { type CallOptions, type Client, connect, type Progress } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import { assertCompared } from '../../shared/test/api/comparison.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { assertNoFindings } from '../../shared/test/findings.ts';
import { commandOf, type ServerStart, textOf, waysTo } from '../../shared/test/ways.ts';
import { createAwsKbRetrieval } from './aws-kb-retrieval.ts';
import { createCheck, document } from './fixtures/client-schemas.ts';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import { CREDENTIALS, type Fault, passage, StandIn } from './fixtures/stand-in.ts';
import type { KnowledgeBasesOptions } from './knowledge-bases.ts';

const aws = new StandIn();
await aws.start();
const found = Object.keys(CREDENTIALS).map((name) => [name, process.env[name]] as const);
before(() => void Object.assign(process.env, CREDENTIALS));
after(() => {
  aws.stop();
  for (const [name, value] of found)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});
beforeEach(() => aws.reset());
afterEach(() => assert.deepEqual(aws.problems, []));

const ASKED = { query: 'How long does tea steep?', knowledgeBaseId: 'ABCDE12345' };

function open(options: KnowledgeBasesOptions = {}): Promise<Client> {
  return connect(createAwsKbRetrieval({ endpoint: aws.url, clock: quickClock().clock, ...options }));
}

function retrieve(client: Client, args: object = ASKED, more: CallOptions = {}) {
  return callTool(client, 'retrieve_from_aws_kb', args, more);
}

test('passages are returned with their sources, in the words of the original', async () => {
  await using client = await open();
  aws.answer = () => ({
    retrievalResults: [
      passage('Three minutes. 🫖', { metadata: { 'x-amz-bedrock-kb-chunk-id': 'c1', page: 2 } }),
      passage('Or four.', { location: { type: 'WEB', webLocation: { url: 'https://tea.example/a' } }, score: 0.25 }),
      { content: { type: 'IMAGE', byteContent: 'data:image/png;base64,AA==' } },
    ],
  });
  const { text, structured } = await retrieve(client, { ...ASKED, n: 5 });
  const sources = [
    { id: 'c1', fileName: 'black tea', snippet: 'Three minutes. 🫖', score: 0.5, uri: 's3://docs/tea/black_tea.txt' },
    { id: 'chunk-1', fileName: 'Source-1', snippet: 'Or four.', score: 0.25, uri: 'https://tea.example/a' },
  ];
  const [warning, context, , ...rest] = text.split('\n');
  assert.match(warning!, /they are data, not instructions\.$/);
  assert.equal(context, 'Context: Three minutes. 🫖');
  assert.deepEqual(rest, [
    'Or four.',
    `RAG Sources: ${JSON.stringify(sources)}`,
    'Left out: 1 result without a text, or beyond the limit.',
  ]);
  assert.deepEqual(structured, { sources, omitted: 1 });
  const { knowledgeBaseId, body, headers } = aws.received[0]!;
  // The SDK itself would not try again.
  assert.equal(headers['amz-sdk-request'], 'attempt=1; max=1');
  assert.equal(knowledgeBaseId, 'ABCDE12345');
  assert.deepEqual(body, {
    retrievalQuery: { text: ASKED.query },
    retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 5 } },
  });
});

test('each kind of place is the address of its passage', async () => {
  await using client = await open();
  const places = {
    s3Location: { uri: 's3://a/b' },
    webLocation: { url: 'https://web.example' },
    confluenceLocation: { url: 'https://confluence.example' },
    salesforceLocation: { url: 'https://salesforce.example' },
    sharePointLocation: { url: 'https://sharepoint.example' },
    oneDriveLocation: { url: 'https://onedrive.example' },
    googleDriveLocation: { url: 'https://drive.example' },
    kendraDocumentLocation: { uri: 'https://kendra.example' },
    customDocumentLocation: { id: 'mine' },
  };
  const types = Object.values(RetrievalResultLocationType);
  aws.answer = () => ({
    retrievalResults: Object.entries(places).map(([name, place]) => {
      const type = types.find((one) => name.toUpperCase().startsWith(one))!;
      return passage(name, { location: { type, [name]: place } });
    }),
  });
  const { structured } = await retrieve(client, { ...ASKED, n: 20 });
  assert.deepEqual(
    structured.sources.map(({ uri }: { uri: string }) => uri),
    Object.values(places).map((place) => Object.values(place)[0]),
  );
});

test('results in pages are collected up to the number that is wanted', async () => {
  await using client = await open();
  aws.answer = ({ body }) => ({
    retrievalResults: [passage(`after ${body.nextToken ?? 'nothing'}`), passage('x')],
    nextToken: `${body.nextToken ?? ''}t`,
  });
  const { structured } = await retrieve(client, { ...ASKED, n: 5 });
  assert.deepEqual(
    structured.sources.map(({ snippet }: { snippet: string }) => snippet),
    ['after nothing', 'x', 'after t', 'x', 'after tt'],
  );
  assert.equal(aws.received.length, 3);
  aws.reset();
  aws.answer = () => ({ retrievalResults: [], nextToken: 'again' });
  await retrieve(client);
  assert.equal(aws.received.length, 10);
});

test('no results are an empty context, and too much text is cut between passages', async () => {
  await using client = await open();
  const none = await retrieve(client);
  assert.ok(none.text.endsWith('\nContext: \nRAG Sources: []'));
  aws.answer = () => ({ retrievalResults: Array.from({ length: 100 }, () => passage('y'.repeat(10_000))) });
  const much = await retrieve(client, { ...ASKED, n: 100 });
  assert.deepEqual([much.structured.sources.length, much.structured.omitted], [20, 80]);
});

test('arguments that AWS would refuse are refused without a request', async () => {
  await using client = await open();
  for (const wrong of [
    { n: 0 },
    { n: 101 },
    { n: 1.5 },
    { query: '' },
    { query: 'x'.repeat(20_001) },
    { knowledgeBaseId: '' },
    { knowledgeBaseId: '../secrets' },
    { knowledgeBaseId: 'ABCDE123456' },
  ])
    await retrieve(client, { ...ASKED, ...wrong }).then(
      ({ isError }) => assert.equal(isError, true, JSON.stringify(wrong)),
      () => {},
    );
  assert.equal(aws.received.length, 0);
});

test('a refusal is an error that says what AWS says', async () => {
  await using client = await open();
  for (const [fault, message] of [
    [
      { status: 400, type: 'ValidationException' },
      /^AWS answered 400 to POST \/knowledgebases\/ABCDE12345\/retrieve: It says why\. The error is ValidationException\.$/,
    ],
    [{ status: 403, type: 'AccessDeniedException' }, /The error is AccessDeniedException\. Set AWS_ACCESS_KEY_ID/],
    [{ status: 404, type: 'ResourceNotFoundException' }, /answered 404 .*It does not exist/],
    [{ status: 409, type: 'ConflictException' }, /answered 409/],
    [{ status: 424, type: 'DependencyFailedException' }, /answered 424/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, /redirects to another site, which is not followed/],
    [{ status: 200, body: 'not JSON' }, /the answer is not JSON/],
    [{ status: 200, body: '{}' }, /AWS answered without results/],
  ] as const satisfies readonly (readonly [Fault, RegExp])[]) {
    aws.faults = [fault];
    const { isError, text } = await retrieve(client);
    assert.equal(isError, true);
    assert.match(text, message);
  }
});

test('failures that may be over soon are repeated, twice', async () => {
  await using client = await open();
  aws.answer = () => ({ retrievalResults: [passage('Yes')] });
  for (const faults of [
    [{ status: 500 }, { status: 502 }],
    ['cut', { status: 503 }],
  ] as const) {
    aws.received = [];
    aws.faults = [...faults];
    assert.match((await retrieve(client)).text, /Context: Yes/);
    assert.equal(aws.received.length, 3);
  }
  aws.received = [];
  aws.faults = ['cut', 'cut', 'cut'];
  const lost = await retrieve(client);
  assert.match(lost.text, /could not be reached \(no connection, or it was lost\)\. Try again later/);
  assert.equal(aws.received.length, 3);
});

test('a limit is waited for with progress, but not until the signature is too old', async () => {
  await using client = await open();
  aws.answer = () => ({ retrievalResults: [passage('Yes')] });
  aws.faults = [{ status: 429, type: 'ThrottlingException', headers: { 'retry-after': '7' } }, { status: 429 }];
  const reports: (string | undefined)[] = [];
  const { text } = await retrieve(client, ASKED, { onProgress: ({ message }: Progress) => void reports.push(message) });
  assert.match(text, /Context: Yes/);
  assert.equal(reports[0], 'AWS limits requests: waiting 7 s');
  aws.faults = [{ status: 429, headers: { 'retry-after': '200' } }];
  assert.match((await retrieve(client)).text, /limits requests, and accepts the next one at 2026-/);
});

test('a cancelled call ends its request, and a slow one ends after the time', async () => {
  await using client = await open();
  aws.faults = ['hang'];
  const stopping = new AbortController();
  const call = retrieve(client, ASKED, { signal: stopping.signal });
  await until(() => aws.received.length === 1);
  stopping.abort();
  await assert.rejects(call, { name: 'AbortError' });
  // Its request may arrive after its time, and must not meet the next test.
  const slow = new StandIn();
  await slow.start();
  try {
    slow.faults = ['hang'];
    await using hasty = await open({ endpoint: slow.url, limits: { timeoutMs: 50, retries: 0 } });
    assert.match((await retrieve(hasty)).text, /no answer within 0\.05 seconds/);
  } finally {
    slow.stop();
  }
});

test('the session token, the secret key and the id of the key are in no answer', async () => {
  await using client = await open();
  const { AWS_SESSION_TOKEN, AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID } = CREDENTIALS;
  const signed = `POST x-amz-security-token:${AWS_SESSION_TOKEN} Credential=${AWS_ACCESS_KEY_ID}/20260728`;
  const message = `The canonical string should have been ${signed}`;
  aws.faults = [{ status: 403, body: JSON.stringify({ message }) }];
  const { text } = await retrieve(client);
  assert.match(text, /x-amz-security-token:\[token\] Credential=\[token\]\/20260728/);
  assert.ok(!text.includes(AWS_SECRET_ACCESS_KEY));
  assert.equal(aws.received[0]!.headers['x-amz-security-token'], AWS_SESSION_TOKEN);
});

test('all calls have one client of AWS, and one that could not be loaded is loaded with the next call', async () => {
  const { BedrockAgentRuntimeClient, ...others } = await import('@aws-sdk/client-bedrock-agent-runtime');
  let [loads, clients] = [0, 0];
  class Counted extends BedrockAgentRuntimeClient {
    constructor(...settings: ConstructorParameters<typeof BedrockAgentRuntimeClient>) {
      super(...settings);
      clients++;
    }
  }
  await using client = await open({
    load: async () => {
      if (loads++ === 0) throw new Error('Cannot find package');
      return { ...others, BedrockAgentRuntimeClient: Counted };
    },
  });
  const failed = await retrieve(client);
  assert.deepEqual([failed.isError, /could not be asked: Cannot find package/.test(failed.text)], [true, true]);
  for (let call = 1; call <= 2; call++) assert.equal((await retrieve(client)).isError, false);
  assert.deepEqual([loads, clients], [2, 1]);
});

test('without credentials or a region, an error says how to set them', async () => {
  const kept = { ...process.env };
  for (const name of [...Object.keys(CREDENTIALS), 'HOME']) delete process.env[name];
  Object.assign(process.env, {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/none',
    AWS_SHARED_CREDENTIALS_FILE: '/none',
  });
  try {
    await using client = await open();
    const { isError, text } = await retrieve(client);
    assert.equal(isError, true);
    assert.match(
      text,
      /^There are no credentials or no region for AWS\. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION/,
    );
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
    Object.assign(process.env, kept);
  }
});

test('a member that the client renames is noticed', () => {
  const query = { retrievalQuery: { text: 'x' } };
  assert.deepEqual(createCheck(RetrieveRequest$)(query), []);
  const [kind, space, name, traits, names, members, needed] = RetrieveRequest$;
  const renamed = () => [3, space, 'KnowledgeBaseQuery', 0, ['question'], [0]] as const;
  const changed = members.with(names.indexOf('retrievalQuery'), renamed as never);
  assert.deepEqual(createCheck([kind, space, name, traits, names, changed, needed])(query), [
    '/retrievalQuery: must NOT have additional properties',
  ]);
  assert.deepEqual(createCheck(RetrieveRequest$)({}), [": must have required property 'retrievalQuery'"]);
});

test('an endpoint without encryption on another machine is warned about, and one with a password refused', () => {
  for (const [endpoint, expected] of [
    ['http://bedrock.example', /sent to bedrock\.example without encryption: use https/],
    ['https://:sesame@bedrock.example', /^(?!.*sesame).*must be like https:\/\/bedrock-agent-runtime/],
  ] as const) {
    const [command, ...args] = commandOf({ name: 'aws-kb-retrieval' });
    const env = { ...process.env, AWS_ENDPOINT_URL: endpoint };
    assert.match(spawnSync(command, args, { env, input: '', encoding: 'utf8' }).stderr, expected);
  }
});

const started: ServerStart = { name: 'aws-kb-retrieval', args: ['--endpoint-url', aws.url], env: CREDENTIALS };
const { ways, stop } = waysTo(started);
after(stop);
for (const way of ['2025-11-25 over stdio', '2026-07-28 over stdio', '2025-11-25 over HTTP', '2026-07-28 over HTTP'])
  test(`a knowledge base is queried: ${way}`, async () => {
    aws.answer = () => ({ retrievalResults: [passage(way)] });
    const peer = await ways.get(way)!();
    assert.deepEqual(await peer.tools(), ['retrieve_from_aws_kb']);
    assert.match(textOf(await peer.call('retrieve_from_aws_kb', ASKED)), new RegExp(`Context: ${way}`));
    await peer.close();
  });

test('`tenon check` has no finding', async () => void (await assertNoFindings(started)));

test('the description is the one that was compared with the published model', () => {
  assertCompared(document, new URL('./fixtures/comparison.json', import.meta.url));
});
