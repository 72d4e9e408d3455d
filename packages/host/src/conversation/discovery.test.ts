import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult } from 'tenon/client';
import { scriptedModel } from './demo-model.ts';
import type { ScriptStep } from './demo-model.ts';
import { META, offerTools } from './discovery.ts';
import { fakeToolbox, hostTool } from './fixtures/fake-toolbox.ts';
import type { FakeTool } from './fixtures/fake-toolbox.ts';
import { runConversation } from './run.ts';
import type { ConversationOptions, RunEvent } from './types.ts';

function many(extra: Readonly<Record<string, FakeTool>> = {}) {
  const tool = (n: number): [string, FakeTool] => [
    `files__job_${n}`,
    { server: 'files', description: 'x'.repeat(400) },
  ];
  return fakeToolbox({
    ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => tool(n))),
    github__create_issue: {
      server: 'github',
      description: 'Creates an issue.\nWith a title.',
      schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      run: ({ title }) => `Created ${title}`,
    },
    ...extra,
  });
}

async function search(steps: readonly ScriptStep[], options: Partial<ConversationOptions> = {}) {
  const events: RunEvent[] = [];
  const toolbox = options.toolbox ?? many();
  const onEvent = (event: RunEvent): void => void events.push(event);
  const result = await runConversation({ model: scriptedModel(steps), prompt: 'Go', onEvent, ...options, toolbox });
  const results = events.flatMap((event) => (event.type === 'result' ? [textOf(event.result)] : []));
  return { ...result, events, results };
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : '';
}

test('few definitions are offered in full, and many behind a search; the limit is a share of the context', () => {
  const tools = many().tools();
  const options = { mode: 'auto', contextTokens: 128_000, anyKeys: false, before: undefined } as const;
  const few = offerTools(tools.slice(0, 50), options);
  assert.equal(few.mode, 'all');
  assert.equal(few.definitions.length, 50);
  const all = offerTools(tools, options);
  assert.equal(all.mode, 'search');
  assert.equal(all.definitions, META);
  assert.equal(offerTools(tools, { ...options, contextTokens: 1_000_000 }).mode, 'all');
  assert.equal(offerTools(tools, { ...options, mode: 'all' }).mode, 'all');
  assert.equal(offerTools([hostTool('a')], { ...options, mode: 'search' }).mode, 'search');
  assert.equal(offerTools([hostTool('a')], { ...options, before: all }).mode, 'search', 'a search stays one');
});

test('a model finds a tool, reads its details, and calls it through `call_tool`', async () => {
  const toolbox = many();
  const { end, results, calls, events } = await search(
    [
      ({ tools }) => {
        assert.deepEqual(tools, ['search_tools', 'tool_details', 'call_tool']);
        return { calls: [{ tool: 'search_tools', arguments: { query: 'create issue', limit: 1 } }] };
      },
      () => ({ calls: [{ tool: 'tool_details', arguments: { names: ['github__create_issue'] } }] }),
      () => ({
        calls: [{ tool: 'call_tool', arguments: { name: 'github__create_issue', arguments: { title: 'Bug' } } }],
      }),
      ({ results: [result] }) => ({ text: `${result}.` }),
    ],
    { toolbox },
  );
  assert.equal(end, 'done');
  assert.match(results[0] ?? '', /^1 of 101 tools.*\n\nServer github:\n- github__create_issue: Creates an issue\.$/s);
  assert.match(results[1] ?? '', /"inputSchema".*"title"/);
  assert.equal(results[2], 'Created Bug');
  assert.deepEqual(toolbox.called, [{ name: 'github__create_issue', args: { title: 'Bug' } }]);
  const call = events.find((event) => event.type === 'call' && event.tool === 'github__create_issue');
  assert.deepEqual(call && 'arguments' in call && call.arguments, { title: 'Bug' });
  assert.deepEqual(calls.at(-1)?.arguments, { title: 'Bug' });
});

test('an empty query, and a query without results, list the servers', async () => {
  const { results } = await search([
    () => ({
      calls: [
        { tool: 'search_tools', arguments: { query: ' ' } },
        { tool: 'search_tools', arguments: { query: 'zzzzqq' } },
        { tool: 'search_tools', arguments: {} },
      ],
    }),
    () => ({ text: 'ok' }),
  ]);
  assert.equal(results[0], 'The servers:\n- files: 100 tools\n- github: 1 tool');
  assert.match(results[1] ?? '', /^No tool matches.*The servers:/s);
  assert.match(results[2] ?? '', /needs "query"/);
});

test('wrong names and arguments return an error that says what to do', async () => {
  const toolbox = many();
  const { results, end } = await search(
    [
      () => ({
        calls: [
          { tool: 'call_tool', arguments: { name: 'github__make_issue', arguments: {} } },
          { tool: 'call_tool', arguments: { arguments: {} } },
          { tool: 'call_tool', arguments: { name: 'github__create_issue', arguments: [] } },
          { tool: 'tool_details', arguments: { names: ['nothing'] } },
          { tool: 'tool_details', arguments: { names: [] } },
          { tool: 'call_tool', arguments: { name: 'github__create_issue', arguments: '{"id":9007199254740993}' } },
        ],
      }),
      // Arguments as a JSON string, and a direct call by name: the intention is clear, so both are accepted.
      () => ({
        calls: [{ tool: 'call_tool', arguments: { name: 'github__create_issue', arguments: '{"title":"A"}' } }],
      }),
      () => ({ calls: [{ tool: 'github__create_issue', arguments: { title: 'B' } }] }),
      () => ({ text: 'ok' }),
    ],
    { toolbox },
  );
  assert.equal(end, 'done');
  assert.match(
    results[0] ?? '',
    /no tool with the name "github__make_issue"\. Did you mean github__create_issue.*search_tools/,
  );
  assert.match(results[1] ?? '', /needs "name"/);
  assert.match(results[2] ?? '', /not a JSON object: \[\]/);
  assert.match(results[3] ?? '', /no tool with the name "nothing"/);
  assert.match(results[4] ?? '', /needs "names"/);
  assert.match(results[5] ?? '', /9007199254740993 is too large to be passed on exactly/);
  assert.deepEqual(
    toolbox.called.map(({ args }) => args),
    [{ title: 'A' }, { title: 'B' }],
  );
});

test('tools that change within a run can be found in the next step, and the meta tools stay the same', async () => {
  const toolbox = many();
  const seen: string[][] = [];
  const look: ScriptStep = ({ tools }) => {
    seen.push([...tools]);
    return { calls: [{ tool: 'search_tools', arguments: { query: 'teapot' } }] };
  };
  const { results } = await search(
    [
      (context) => {
        toolbox.set({ kitchen__teapot: { server: 'kitchen', description: 'Boils.' } });
        return look(context);
      },
      look,
      () => ({ text: 'ok' }),
    ],
    { toolbox },
  );
  assert.match(results[0] ?? '', /^No tool matches/);
  assert.match(results[1] ?? '', /kitchen__teapot: Boils/);
  assert.deepEqual(seen[0], seen[1]);
});

test('definitions that change within a run are offered in the next step', async () => {
  const toolbox = fakeToolbox({ b: {}, a: {} });
  const seen: (readonly string[])[] = [];
  await search(
    [
      ({ tools }) => {
        seen.push(tools);
        toolbox.set({ b: {}, c: {} });
        return { calls: [{ tool: 'b' }] };
      },
      ({ tools }) => {
        seen.push(tools);
        return { text: 'ok' };
      },
    ],
    { toolbox },
  );
  assert.deepEqual(seen, [
    ['b', 'a'],
    ['b', 'c'],
  ]);
});

test('a custom search can be used', async () => {
  const asked: [string, number][] = [];
  const toolbox = many();
  const { results } = await search(
    [() => ({ calls: [{ tool: 'search_tools', arguments: { query: 'x', limit: 2.5 } }] }), () => ({ text: 'ok' })],
    { toolbox, search: (query, limit) => (asked.push([query, limit]), toolbox.tools().slice(0, 1)) },
  );
  assert.deepEqual(asked, [['x', 2]]);
  assert.match(results[0] ?? '', /files__job_0/);
});
