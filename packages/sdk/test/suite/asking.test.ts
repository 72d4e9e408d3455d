// Questions in the middle of a call. The same handlers, the same rules, in every revision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, ToolError } from '../../src/entries/client.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { everywhere, legacy, modern } from './cells.ts';
import { asking, makeAsking } from './fixtures/asking.ts';
import {
  ALL_CAPABILITIES,
  fullClient,
  accept,
  answering,
  elicits,
  user,
  questionsOn,
  roundsOn,
  visits,
} from './questions.ts';
import { everywhereRaw } from './raw.ts';

const everybody = { fixture: asking, connect: fullClient };

function toolError(pattern: RegExp) {
  return (error: unknown) => error instanceof ToolError && pattern.test(error.message);
}

// 1. Names.

everywhere(
  'the same name gives the same answer, and the user is asked once',
  async ({ client, wire }) => {
    assert.equal(await client.call('same'), 'poet poet poet');
    assert.equal(roundsOn(wire), '1 poem');
  },
  everybody,
);

everywhere(
  '[MRTR-3] a name that is used for two questions is an error, at once and later',
  async ({ client, wire }) => {
    assert.match(JSON.stringify(await client.result('clash')), /"isError":true/);
    const before = questionsOn(wire).length;
    assert.ok(before <= 1);
    assert.match(JSON.stringify(await client.result('clashLater')), /"isError":true/);
    assert.equal(questionsOn(wire).length, before + 1);
  },
  everybody,
);

everywhere(
  'the peer sees the name of a question',
  async ({ client, cell }) => {
    if (!elicits(cell)) return;
    answering(() => accept({ color: 'red' }));
    assert.equal(await client.call('color', {}), 'red');
    assert.deepEqual(
      user.asked.map(({ name, message }) => [name, message]),
      [['color', 'Which color?']],
    );
  },
  everybody,
);

// 2. Rounds.

everywhere(
  '[MRTR-4, MRTR-5] questions that start in one turn are sent in one round, later ones in another',
  async ({ client, cell, wire }) => {
    assert.equal(await client.call('three'), 'poet 1 poet');
    assert.equal(roundsOn(wire), '1 first, 1 second, 2 third after poet');
    assert.deepEqual(
      questionsOn(wire).map(({ method }) => method),
      ['sampling/createMessage', 'roots/list', 'sampling/createMessage'],
    );
    const calls = wire.filter(({ message }) => message.method === 'tools/call');
    assert.equal(calls.length, legacy(cell) ? 1 : 3);
    const states = wire.filter(({ message }) => message.result?.['resultType'] === 'input_required');
    assert.equal(states.length, legacy(cell) ? 0 : 2);
    assert.ok(states.every(({ message }) => typeof message.result!['requestState'] === 'string'));
  },
  everybody,
);

everywhere(
  '[MRTR-1, BASE-78] where a server may not send requests, its questions are only sent in results',
  async ({ client, wire }) => {
    for (const name of ['three', 'mixed', 'key', 'act'] as const) await client.call(name);
    await client.prompt('poem', { about: 'x' });
    await client.read('asking://poem');
    assert.ok(questionsOn(wire).length > 8);
    assert.deepEqual(
      wire.filter(({ from, message }) => from === 'server' && message.method !== undefined),
      [],
    );
  },
  { ...everybody, only: modern },
);

// 3. Declining.

everywhere(
  '[ELIC-27] declining or cancelling ends the call with one tool error, without asking again',
  async ({ client, cell, wire }) => {
    for (const action of ['decline', 'cancel']) {
      answering(() => ({ action }));
      const expected = elicits(cell)
        ? action === 'decline'
          ? /^The user declined to answer: Which color\?$/
          : /^The user cancelled: Which color\?$/
        : /no elicitation/;
      if (elicits(cell) || legacy(cell)) await assert.rejects(client.call('color', {}), toolError(expected));
      assert.equal(user.asked.length, elicits(cell) ? 1 : 0);
    }
    assert.equal(questionsOn(wire).length, elicits(cell) ? 2 : 0);
  },
  everybody,
);

everywhere(
  'declining one of two forms ends the call, whatever the other answer is',
  async ({ client }) => {
    answering(({ name }) => (name === 'color' ? { action: 'decline' } : accept({ name: 'Ada' })));
    await assert.rejects(client.call('forms'), toolError(/declined to answer: Which color/));
    assert.ok(user.asked.length <= 2);
  },
  { ...everybody, only: elicits },
);

everywhere(
  "elicit returns the user's action",
  async ({ client }) => {
    const said: [unknown, object][] = [
      [accept({ name: 'Ada' }), { action: 'accept', name: 'Ada' }],
      [{ action: 'decline' }, { action: 'decline' }],
      [{ action: 'cancel' }, { action: 'cancel' }],
    ];
    for (const [answer, value] of said) {
      answering(() => answer);
      const { content } = await client.result('elicit');
      assert.equal((content[0] as { text: string }).text, JSON.stringify(value));
      assert.equal(user.asked.length, 1);
    }
  },
  { ...everybody, only: elicits },
);

everywhere(
  "[ELIC-17] a page to visit is shown with its URL, and the user's action is returned",
  async ({ client, cell, wire }) => {
    answering(() => ({ action: 'accept' }));
    assert.equal(await client.call('visit'), 'accept');
    const [question] = questionsOn(wire);
    const { elicitationId, ...params } = question!.params;
    assert.deepEqual(params, { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in' });
    assert.equal(typeof elicitationId, featuresOf(cell.revision).elicitationId ? 'string' : 'undefined');
    answering(() => ({ action: 'decline' }));
    assert.equal(await client.call('visit'), 'decline');
  },
  { ...everybody, only: visits },
);

everywhere(
  '[ELIC-41] [ELIC-42] a page whose URL contains credentials is not sent to the user',
  async ({ client, wire }) => {
    answering(() => ({ action: 'accept' }));
    for (const url of [
      'https://ann:secret@example.com/',
      'https://ann@example.com/',
      'https://example.com/?access_token=abc',
      'https://example.com/#id_token=abc',
      'https://example.com/?a=b&password=c',
      'ftp://example.com/',
    ])
      assert.match(String(await client.call('visitAt', { url })), /^refused: visit\('page'\): the URL must /, url);
    assert.deepEqual(questionsOn(wire), []);
    assert.equal(await client.call('visitAt', { url: 'https://example.com/?id=opaque#part' }), 'accept');
  },
  { ...everybody, only: visits },
);

everywhere(
  '[ELIC-23] [ELIC-24] a page is requested with a question, never with an error',
  async ({ client, wire }) => {
    answering(() => ({ action: 'accept' }));
    assert.equal(await client.call('visit'), 'accept');
    const codes = wire.flatMap(({ message }) => (message.error === undefined ? [] : [message.error.code]));
    assert.deepEqual(codes, []);
    for (const { params } of questionsOn(wire)) {
      assert.equal(params['mode'], 'url');
      assert.equal(typeof params['elicitationId'], 'string');
    }
  },
  { ...everybody, only: (cell) => visits(cell) && legacy(cell) },
);

// 4. Answers.

const USE = { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'weather', input: {} }] };
const RESULT = { type: 'tool_result', toolUseId: 'u', content: [] };

everywhere(
  '[SAMP-9] [SAMP-10] [SAMP-23] messages whose tool uses and tool results do not belong together are not sent',
  async ({ client, wire }) => {
    for (const messages of [
      [USE],
      [USE, { role: 'user', content: { type: 'text', text: 'no' } }],
      [USE, { role: 'user', content: [RESULT, { type: 'text', text: 'mixed' }] }],
      [{ role: 'user', content: [RESULT] }],
      [USE, { role: 'assistant', content: [RESULT] }],
      [USE, { role: 'user', content: [{ ...RESULT, toolUseId: 'other' }] }],
    ])
      assert.match(
        String(await client.call('converse', { messages })),
        /^refused: sample\('talk'\): messages\[\d\] /,
        JSON.stringify(messages),
      );
    assert.deepEqual(questionsOn(wire), []);
    assert.equal(await client.call('converse', { messages: [USE, { role: 'user', content: [RESULT] }] }), 'tooled');
  },
  { ...everybody, only: ({ revision }) => featuresOf(revision).samplingTools },
);

everywhere(
  '[ELIC-53] if an answer does not match the schema, the question is repeated with the reason',
  async ({ client, wire }) => {
    answering((_, time) => accept({ value: time === 3 ? 4 : 5 }));
    assert.equal(await client.call('even'), '4');
    assert.deepEqual(
      user.asked.map(({ message }) => message),
      [
        'An even number?',
        ...[1, 2].map(() => 'An even number?\n\nThe last answer could not be used: value: must be even'),
      ],
    );
    assert.equal(roundsOn(wire), '1 even, 2 even, 3 even');
  },
  { ...everybody, only: elicits },
);

everywhere(
  'after three invalid answers the call ends with a tool error',
  async ({ client }) => {
    answering(() => accept({ value: 5 }));
    await assert.rejects(client.call('even'), toolError(/'even' after 3 attempts: .*must be even/));
    assert.equal(user.asked.length, 3);
  },
  { ...everybody, only: elicits },
);

everywhere(
  'a user who declines the second time is not asked a third time',
  async ({ client }) => {
    answering((_, time) => (time === 1 ? accept({ value: 5 }) : { action: 'decline' }));
    await assert.rejects(client.call('even'), toolError(/declined/));
    assert.equal(user.asked.length, 2);
  },
  { ...everybody, only: elicits },
);

everywhere(
  '[ELIC-13, ELIC-15] a form is sent as the flat subset of the revision',
  async ({ client, cell, wire }) => {
    answering(() => accept({ color: 'red' }));
    await client.call('color', {});
    const [question] = questionsOn(wire);
    assert.deepEqual(question?.params, {
      ...(featuresOf(cell.revision).elicitation === 'full' ? { mode: 'form' } : {}),
      message: 'Which color?',
      requestedSchema: {
        type: 'object',
        properties: { color: { type: 'string', minLength: 3, description: 'A color' } },
        required: ['color'],
      },
    });
  },
  { ...everybody, only: elicits },
);

// 5. Capabilities.

const QUESTIONS = [
  ['sample', { sampling: {} }],
  ['roots', { roots: {} }],
  ['color', { elicitation: { form: {} } }],
  ['visit', { elicitation: { url: {} } }],
] as const;

everywhere(
  '[BASE-45, MRTR-6, ELIC-4] a missing capability of the client is an error before anything is asked',
  async ({ client, cell, wire }) => {
    for (const [name, requiredCapabilities] of QUESTIONS) {
      if (legacy(cell)) await assert.rejects(client.call(name, {}), toolError(/capability|no elicitation/));
      else await assert.rejects(client.call(name, {}), { code: -32021, data: { requiredCapabilities } });
    }
    assert.deepEqual(questionsOn(wire), []);
  },
  { fixture: asking },
);

const onlyForms = { elicit: fullClient.elicit!, roots: ['file:///a'] };
const formsOnly = { ...onlyForms, elicit: { handler: (onlyForms.elicit as { handler: never }).handler, url: false } };

everywhere(
  '[MRTR-6, ELIC-4, SAMP-6] nothing is sent that the client did not declare, not even together with declared features',
  async ({ client, cell, wire }) => {
    for (const name of ['mixed', 'visit', 'sampleWithTools'] as const) {
      if (legacy(cell)) await assert.rejects(client.call(name, {}), toolError(/capability|no elicitation/));
      else await assert.rejects(client.call(name, {}), { code: -32021 });
    }
    assert.equal(
      questionsOn(wire).some(({ method, params }) => method === 'sampling/createMessage' || params['mode'] === 'url'),
      false,
    );
  },
  { fixture: asking, connect: formsOnly },
);

everywhere(
  "a handler can check the client's capabilities, and work without them",
  async ({ client, wire }) => {
    assert.equal(await client.call('fallback'), '1');
    assert.deepEqual(
      questionsOn(wire).map(({ method }) => method),
      ['roots/list'],
    );
  },
  { fixture: asking, connect: formsOnly },
);

everywhere(
  'tools in sampling are sent to a client that declared them',
  async ({ client }) => {
    assert.match((await client.call('sampleWithTools')) as string, /Roses/);
  },
  { ...everybody, only: ({ revision }) => featuresOf(revision).samplingTools },
);

everywhere(
  '[SAMP-8] context that the client did not declare is not requested',
  async ({ client, wire, cell }) => {
    assert.equal(await client.call('context'), 'poet');
    const [question] = questionsOn(wire);
    assert.equal(
      question?.params['includeContext'],
      featuresOf(cell.revision).samplingTools ? undefined : 'thisServer',
    );
  },
  everybody,
);

// Prompts and resources ask, too.

everywhere(
  '[MRTR-2] prompts and resources can ask like tools; other methods cannot',
  async ({ client, wire, cell }) => {
    assert.deepEqual((await client.prompt('poem', { about: 'Roses' })).messages, [
      { role: 'user', content: { type: 'text', text: 'Roses by poet' } },
    ]);
    assert.equal((await client.read('asking://poem')).contents[0]!.text, 'poet');
    assert.equal((await client.read('asking:///7')).contents[0]!.text, '7 poet');
    assert.equal(questionsOn(wire).length, 3);
    assert.deepEqual((await client.complete({ prompt: 'poem' }, { argument: 'about', value: '' })).values, [
      'asks: false',
    ]);
    if (!elicits(cell)) return;
    answering(() => accept({ color: 'red' }));
    assert.equal((await client.read('asking://color')).contents[0]!.text, 'red');
    answering(() => ({ action: 'decline' }));
    await assert.rejects(client.prompt('color'), { code: -32603, message: /^The user declined to answer/ });
    await assert.rejects(client.read('asking://color'), { code: -32603, message: /^The user declined to answer/ });
  },
  everybody,
);

// A client that misbehaves.

const BAD_ANSWERS: [string, object[]][] = [
  [
    'sample',
    [
      {},
      { role: 'system', content: { type: 'text', text: 'x' }, model: 'm' },
      { role: 'user', content: { type: 'text', text: 'x' } },
      { role: 'user', content: 'x', model: 'm' },
      { role: 'user', content: [5], model: 'm' },
    ],
  ],
  ['roots', [{}, { roots: 'file:///a' }, { roots: [{ name: 'a' }] }, { roots: [null] }]],
  [
    'color',
    [
      {},
      { action: 'perhaps' },
      { action: 'accept', content: 'red' },
      { action: 'accept', content: ['red'] },
      { content: { color: 'red' } },
    ],
  ],
];

everywhereRaw(
  '[MRTR-23, MRTR-24] a malformed answer is an invalid-params error of the call',
  async (raw) => {
    for (const [name, bad] of BAD_ANSWERS) {
      if (name === 'color' && !elicits(raw.cell)) continue;
      for (const answer of bad) {
        const call = raw.ask('tools/call', { name });
        if (legacy(raw.cell)) {
          const { id } = await raw.next(({ id, method }) => id !== undefined && method !== undefined);
          raw.send({ jsonrpc: '2.0', id, result: answer });
          assert.equal((await raw.answerTo(call)).error?.code, -32602, JSON.stringify(answer));
          continue;
        }
        const { result } = await raw.answerTo(call);
        const [key] = Object.keys(result!['inputRequests']);
        const retry = await raw.request('tools/call', {
          name,
          requestState: result!['requestState'],
          inputResponses: { [key!]: answer },
        });
        assert.equal(retry.error?.code, -32602, JSON.stringify(answer));
      }
    }
  },
  { fixture: asking, capabilities: ALL_CAPABILITIES, hostile: true },
);

everywhereRaw(
  'a client that answers with an error ends the call with a tool error',
  async (raw) => {
    const call = raw.ask('tools/call', { name: 'sample' });
    const { id } = await raw.nextOf('sampling/createMessage');
    raw.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'User rejected sampling request' } });
    const { result } = await raw.answerTo(call);
    assert.equal(result?.['isError'], true);
    assert.match(result?.['content'][0].text, /'poem': User rejected/);
  },
  { fixture: asking, capabilities: ALL_CAPABILITIES, only: legacy },
);

everywhereRaw(
  'a question that is still open when its call ends is cancelled',
  async (raw) => {
    const call = raw.ask('tools/call', { name: 'forms' });
    const [first, second] = [await raw.nextOf('elicitation/create'), await raw.nextOf('elicitation/create')];
    raw.send({ jsonrpc: '2.0', id: first.id, result: { action: 'decline' } });
    assert.equal((await raw.answerTo(call)).result?.['isError'], true);
    assert.equal((await raw.nextOf('notifications/cancelled')).params?.['requestId'], second.id);
    raw.send({ jsonrpc: '2.0', id: second.id, result: { action: 'accept', content: { name: 'late' } } });
    await raw.settled();
  },
  { fixture: asking, capabilities: ALL_CAPABILITIES, only: (cell) => legacy(cell) && elicits(cell) },
);

everywhereRaw(
  'in a revision without elicitation nothing is asked, whatever the client declares',
  async (raw) => {
    for (const name of ['color', 'visit', 'elicit']) {
      const { result } = await raw.request('tools/call', { name });
      assert.equal(result?.['isError'], true, name);
    }
    assert.equal(
      raw.received.some(({ method }) => method === 'elicitation/create'),
      false,
    );
  },
  { fixture: asking, capabilities: ALL_CAPABILITIES, only: (cell) => !elicits(cell), hostile: true },
);

test('a test can answer by name, in every revision', async () => {
  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) {
    await using client = await connect(makeAsking(), {
      revision,
      answers: { color: { color: 'green' }, name: () => ({ name: 'Ada' }) },
    });
    assert.equal(await client.call('forms'), 'green Ada');
  }
});
