// Messages validated against the official schemas: faults are found, and valid messages are not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answer,
  ask,
  call,
  client,
  complete,
  discovered,
  handshake,
  http,
  modern,
  refuse,
  rest,
  server,
  stdio,
  type Step,
  tell,
  text,
} from '../src/rules/fixtures/traces.ts';
import type { Finding } from '../src/rules/finding.ts';
import { type Revision, revisions } from 'tenon';
import { wireSchemaRule } from '../src/rules/wire/fits-schema.ts';
import { officialSchema } from '../src/session/every-rule.ts';
import { began, judge } from './judge-wire.ts';

type Json = Record<string, unknown>;

const NOW = '2026-07-28T10:00:00Z';

function asked(revision: Revision, id: unknown, method: string, params: Json = {}): Step {
  return revision === '2026-07-28' ? modern(id, method, params) : ask(id, method, params);
}
const cached = { ttlMs: 0, cacheScope: 'private' };
function answered(revision: Revision, id: unknown, result: Json): Step {
  return revision === '2026-07-28' ? complete(id, { ...cached, ...result }) : answer(id, result);
}

/** An invalid message, the definition it violates, the path, and the sender. */
interface Row {
  readonly what: string;
  readonly steps: readonly Step[];
  readonly blame: 'server' | 'client';
  readonly definition: string;
  readonly says: RegExp;
  /** The other rule that reports it. */
  readonly by?: string;
}

function row(
  blame: Row['blame'],
  what: string,
  steps: readonly Step[],
  definition: string,
  says: RegExp,
  by?: string,
): Row {
  return { what, steps, blame, definition, says, by };
}

/** Invalid in every revision. */
function everywhere(revision: Revision): readonly Row[] {
  const question = (method: string, params: Json = {}): Step => asked(revision, 1, method, params);
  const result = (method: string, value: Json, params: Json = {}): Step[] => [
    question(method, params),
    answered(revision, 1, value),
  ];
  const tool = { name: 'a', inputSchema: { type: 'object' } };
  const error = revision < '2025-11-25' ? 'JSONRPCError' : 'JSONRPCErrorResponse';
  return [
    row('client', 'a call without a name', [question('tools/call')], 'CallToolRequest', /: \/params\/name is required/),
    row(
      'client',
      'arguments that are a list',
      [question('tools/call', { name: 'a', arguments: [] })],
      'CallToolRequest',
      /: \/params\/arguments must be an object/,
      'input-schema',
    ),
    row(
      'client',
      'a uri that is a number',
      [question('resources/read', { uri: 7 })],
      'ReadResourceRequest',
      /: \/params\/uri must be a string, got a number/,
    ),
    row(
      'client',
      'a cursor that is a number',
      [question('tools/list', { cursor: 7 })],
      'ListToolsRequest',
      /: \/params\/cursor must be a string/,
      'cursor-unknown',
    ),
    row(
      'client',
      'arguments of a prompt that are numbers',
      [question('prompts/get', { name: 'a', arguments: { b: 7 } })],
      'GetPromptRequest',
      /: \/params\/arguments\/b must be a string/,
    ),
    row(
      'client',
      'a completion without an argument',
      [question('completion/complete', { ref: { type: 'ref/prompt', name: 'a' } })],
      'CompleteRequest',
      /: \/params\/argument is required/,
    ),
    row(
      'server',
      'a tool whose description is a number',
      result('tools/list', { tools: [{ ...tool, description: 7 }] }),
      'ListToolsResult',
      /: \/result\/tools\/0\/description must be a string/,
    ),
    row(
      'server',
      'a cursor that is null',
      result('prompts/list', { prompts: [], nextCursor: null }),
      'ListPromptsResult',
      /: \/result\/nextCursor must be a string, got null/,
    ),
    row(
      'server',
      'a resource without a name',
      result('resources/list', { resources: [{ uri: 'a:b' }] }),
      'ListResourcesResult',
      /: \/result\/resources\/0\/name is required/,
      'list-shape',
    ),
    row(
      'server',
      'isError that is text',
      result('tools/call', { content: [], isError: 'no' }, { name: 'a' }),
      'CallToolResult',
      /: \/result\/isError must be a boolean/,
    ),
    row(
      'server',
      'content that has no text',
      result('tools/call', { content: [{ type: 'text' }] }, { name: 'a' }),
      'CallToolResult',
      /: \/result\/content\/0 must match one of .* text: is required/,
      'content-block',
    ),
    row(
      'server',
      'a role that does not exist',
      result('prompts/get', { messages: [{ role: 'system', content: text('a') }] }, { name: 'a' }),
      'GetPromptResult',
      /: \/result\/messages\/0\/role must be/,
    ),
    row(
      'server',
      'an error whose code is text',
      [question('tools/call', { name: 'a' }), refuse(1, 'E1')],
      error,
      /: \/error\/code must be an integer/,
      'error-shape',
    ),
    row(
      'server',
      'a log message without data',
      [tell('notifications/message', { level: 'info' })],
      'LoggingMessageNotification',
      /: \/params\/data is required/,
      'log-shape',
    ),
    row(
      'server',
      'progress that is text',
      [
        revision === '2026-07-28'
          ? modern(1, 'tools/call', { name: 'a' }, { progressToken: 1 })
          : ask(1, 'tools/call', { name: 'a', _meta: { progressToken: 1 } }),
        tell('notifications/progress', { progressToken: 1, progress: 'half' }),
      ],
      'ProgressNotification',
      /: \/params\/progress must be a number/,
      'progress-order',
    ),
  ];
}

/** Up to 2025-11-25. */
function legacy(revision: Revision): readonly Row[] {
  return revision === '2026-07-28'
    ? []
    : [
        row(
          'client',
          'a level that does not exist',
          [ask(1, 'logging/setLevel', { level: 'loud' })],
          'SetLevelRequest',
          /: \/params\/level must be/,
        ),
        row(
          'server',
          'a question for a model without a limit',
          [ask(1, 'sampling/createMessage', { messages: [] }, 'server')],
          'CreateMessageRequest',
          /: \/params\/maxTokens is required/,
        ),
        row(
          'client',
          'a sample without a model',
          [
            ask(1, 'sampling/createMessage', { messages: [], maxTokens: 1 }, 'server'),
            answer(1, { role: 'assistant', content: text('a') }, 'client'),
          ],
          'CreateMessageResult',
          /: \/result\/model is required/,
        ),
        row(
          'client',
          'roots that are text',
          [ask(1, 'roots/list', undefined, 'server'), answer(1, { roots: 'a:b' }, 'client')],
          'ListRootsResult',
          /: \/result\/roots must be an array/,
        ),
      ];
}

/** For single revisions. */
const single: Readonly<Partial<Record<Revision, readonly Row[]>>> = {
  '2024-11-05': [
    row(
      'server',
      'audio, which came later',
      [call(1, 'a'), answer(1, { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] })],
      'CallToolResult',
      /: \/result\/content\/0 must match one of/,
      'content-block',
    ),
  ],
  '2025-06-18': [
    row(
      'server',
      'structured content that is a list',
      [call(1, 'a'), answer(1, { content: [], structuredContent: [] })],
      'CallToolResult',
      /: \/result\/structuredContent must be an object/,
      'structured-shape',
    ),
  ],
  '2025-11-25': [
    row(
      'client',
      'an action that does not exist',
      [
        ask(1, 'elicitation/create', { message: 'a', requestedSchema: { type: 'object', properties: {} } }, 'server'),
        answer(1, { action: 'maybe' }, 'client'),
      ],
      'ElicitResult',
      /: \/result\/action must be/,
      'elicit-answer',
    ),
    row(
      'server',
      'a task without a status',
      [
        ask(1, 'tools/call', { name: 'a', task: {} }),
        answer(1, {
          task: { taskId: 't', createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z', ttl: null },
        }),
      ],
      'CreateTaskResult',
      /: \/result\/task\/status is required/,
    ),
    row(
      'server',
      'an error of URLs without URLs',
      [call(1, 'a'), refuse(1, -32_042)],
      'URLElicitationRequiredError',
      /: \/error\/data is required/,
    ),
  ],
  '2026-07-28': [
    row(
      'server',
      'a time to live that is text',
      [modern(1, 'tools/list'), complete(1, { tools: [], ttlMs: 'long', cacheScope: 'public' })],
      'ListToolsResult',
      /: \/result\/ttlMs must be/,
      'cache-hints',
    ),
    row(
      'server',
      'a result without a type',
      [modern(1, 'tools/call', { name: 'a' }), answer(1, { content: [] })],
      'CallToolResult',
      /: \/result\/resultType is required/,
      'result-type',
    ),
    row(
      'server',
      'a question that is text',
      [
        modern(1, 'tools/call', { name: 'a' }),
        answer(1, { resultType: 'input_required', inputRequests: { a: 'who?' } }),
      ],
      'InputRequiredResult',
      /: \/result\/inputRequests\/a must/,
      'input-required',
    ),
    row(
      'client',
      'an answer that is text',
      [modern(1, 'tools/call', { name: 'a', inputResponses: 'me', requestState: 's' })],
      'CallToolRequest',
      /: \/params\/inputResponses must be an object/,
    ),
    row(
      'server',
      'versions that are no list',
      [modern(1, 'tools/list'), refuse(1, -32_022, 'No', { supported: 'all', requested: '2026-07-28' })],
      'UnsupportedProtocolVersionError',
      /: \/error\/data\/supported must be an array/,
      'error-code',
    ),
  ],
};

let rows = 0;
for (const revision of revisions) {
  describe(`violations of the schema of ${revision} are found`, () => {
    for (const { what, steps, blame, definition, says, by } of [
      ...everywhere(revision),
      ...legacy(revision),
      ...(single[revision] ?? []),
    ]) {
      rows++;
      it(what, () => {
        const { wire, lines, all } = judge([stdio, began(revision), ...steps]);
        assert.equal(wire.length, 1, all.map(({ rule, message }) => `${rule}: ${message}`).join('\n'));
        const [found] = wire as [Finding];
        const known = by !== undefined && all.some(({ rule, severity }) => rule === by && severity === 'error');
        assert.deepEqual([found.blame, found.severity], [blame, known ? 'info' : 'error'], found.message);
        assert.ok(found.message.includes(`does not fit ${definition} of ${revision}: /`), found.message);
        assert.match(found.message, says);
        assert.equal(found.message.endsWith(`The rule ${by} accuses it, too`), known, found.message);
        assert.equal(found.evidence.at(-1), lines.length);
        const home = `https://modelcontextprotocol.io/specification/${revision}`;
        assert.equal(found.clause, revision < '2025-06-18' ? home : `${home}/schema#${definition.toLowerCase()}`);
        const { method } = JSON.parse(lines[found.evidence[0]! - 1]!.text) as { method: string };
        assert.equal(found.subject, method);
      });
    }
  });
}

it('the table is long enough', () => assert.ok(rows >= 80, String(rows)));

describe('valid messages cause no finding', () => {
  const silent = (steps: readonly Step[], least = 0): void => {
    const { wire, measured, all } = judge(steps);
    assert.deepEqual(wire, []);
    assert.deepEqual(
      all.filter(({ rule }) => rule === 'rule-failed'),
      [],
    );
    assert.ok(measured >= least, String(measured));
  };

  it('members that no schema names', () =>
    silent([stdio, handshake(), ask(1, 'tools/list', { more: 1 }), answer(1, { tools: [], more: 1 })], 5));
  it('methods and results of extensions', () => {
    silent([stdio, handshake(), ask(1, 'x/y', { a: 1 }), answer(1, { b: 1 }), tell('notifications/x', { a: 1 })], 6);
    silent(
      [stdio, discovered(), modern(1, 'tools/call', { name: 'a' }), answer(1, { resultType: 'x/later', id: 't' })],
      4,
    );
  });
  it('a task of the extension', () => {
    const task = { taskId: 't', status: 'working', createdAt: NOW, lastUpdatedAt: NOW, ttlMs: null };
    silent(
      [stdio, discovered(), modern(1, 'tools/call', { name: 'a' }), answer(1, { resultType: 'task', ...task })],
      4,
    );
  });
  it('an error about an unreadable message', () =>
    silent([stdio, handshake('2024-11-05'), server({ id: null, error: { code: -32_700, message: 'No' } })], 4));
  it('a server that is older than the request, and answers in its own revision', () =>
    silent([stdio, modern(1, 'tools/list'), answer(1, { tools: [] })], 1));
  it('an unknown revision', () => {
    const { wire, measured } = judge([stdio, client({ id: 1, method: 'ping', params: 7 })]);
    assert.deepEqual([wire.length, measured], [0, 0]);
  });
  it('redacted values', () =>
    silent([stdio, handshake(), client({ id: 1, method: 'tools/call', params: { name: 7 } }, { redacted: true })], 3));
  it('a message that is too large to validate', () => {
    const content = Array.from({ length: 400_000 }, () => text('a'));
    silent([stdio, handshake(), call(1, 'a'), answer(1, { content })], 5);
  });
  it('several messages in one', () =>
    silent(
      [
        stdio,
        handshake('2025-03-26'),
        client([
          { jsonrpc: '2.0', id: 1, method: 'tools/list' },
          { jsonrpc: '2.0', id: 2, method: 'ping' },
        ]),
      ],
      5,
    ));
  it('over HTTP, an answer to several clients of unknown revisions', () =>
    silent([http.as({ recorder: 'server' }), handshake(), ask(1, 'tools/list'), answer(1, { tools: 7 })]));
});

describe('a violation that another rule explains', () => {
  it('stays explained if that rule reports only once', () => {
    const list = (id: number): Step[] => [modern(id, 'tools/list'), complete(id, { tools: [] })];
    const { wire, all } = judge([stdio, discovered(), ...list(1), ...list(2), ...list(3)]);
    assert.equal(all.filter(({ rule }) => rule === 'cache-hints').length, 1);
    assert.deepEqual(
      wire.map(({ severity }) => severity),
      ['info', 'info', 'info'],
    );
  });
  it('is not explained by an info about the same message', () => {
    const { wire, all } = judge([
      stdio,
      handshake(),
      call(1, 'a'),
      rest(60_000),
      answer(1, { content: [], isError: 'no' }),
    ]);
    assert.deepEqual(
      all.map(({ rule, severity, evidence }) => [rule, severity, evidence]),
      [
        ['slow-answer', 'info', [5, 6]],
        ['wire-schema', 'error', [5, 6]],
      ],
    );
    assert.equal(wire.length, 1);
  });
  it('does not excuse another fault of the same sender on another line', () => {
    const { wire } = judge([
      stdio,
      handshake(),
      call(1, 'a'),
      answer(1, { content: [{ type: 'text' }] }),
      call(2, 'a'),
      answer(2, { content: [], isError: 'no' }),
    ]);
    assert.deepEqual(
      wire.map(({ severity }) => severity),
      ['info', 'error'],
    );
  });
});

it('a missing or invalid schema is reported as such, and no one is blamed', () => {
  const broken: readonly (() => unknown)[] = [
    () => assert.fail('it is gone'),
    () => ({}),
    () => ({ $defs: { Tool: { type: 'strange' } } }),
    () => ({ ...(officialSchema('2025-11-25') as Json), $defs: {} }),
    () => {
      const official = officialSchema('2025-11-25') as { $defs: Json };
      return { ...official, $defs: { ...official.$defs, Tool: { type: 'strange' } } };
    },
  ];
  for (const schemas of broken) {
    const { all, wire } = judge([stdio, handshake(), ask(1, 'tools/list')], (measured) => [
      wireSchemaRule(schemas, measured),
    ]);
    assert.deepEqual(wire, []);
    assert.deepEqual(
      all.map(({ rule, subject }) => [rule, subject]),
      [['rule-failed', 'wire-schema']],
    );
  }
});
