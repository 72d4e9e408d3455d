import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinCpuMs } from '../../../../../../scripts/lib/cpu-time.ts';
import type { ListKind, ServerView } from '../../../../src/api/views.ts';
import { kindKey, serverKey, treeRows, type TreeRow } from './tree-rows.ts';

function server(id: string): ServerView {
  return {
    id,
    name: id,
    transport: 'stdio',
    target: id,
    status: 'ready',
    doctor: [],
    lists: [],
    generation: 1,
    watched: [],
  };
}
function offers(id: string, kind: ListKind, names: readonly string[]) {
  return [
    kind,
    names.map((name) => ({
      server: id,
      kind,
      id: name,
      title: undefined,
      description: undefined,
      text: '{}',
      search: name.toLowerCase(),
    })),
  ] as const;
}
function lists(id: string, ...kinds: readonly (readonly [ListKind, ReturnType<typeof offers>[1]])[]) {
  return [id, { generation: 1, byKind: new Map(kinds), problem: undefined }] as const;
}

function shown(rows: readonly TreeRow[]): string[] {
  return rows.map((row) =>
    row.type === 'server'
      ? row.server.name
      : row.type === 'kind'
        ? ` ${row.kind} ${row.shown}/${row.all}`
        : `  ${row.offer.id}`,
  );
}

const two = {
  servers: [server('a'), server('b')],
  lists: new Map([
    lists('a', offers('a', 'tools', ['add', 'Sub']), offers('a', 'prompts', ['hi'])),
    lists('b', offers('b', 'tools', ['add_user'])),
  ]),
  filter: '',
  closed: new Set<string>(),
};

test('the items of all servers are listed by kind', () => {
  assert.deepEqual(shown(treeRows(two)), [
    'a',
    ' tools 2/2',
    '  add',
    '  Sub',
    ' prompts 1/1',
    '  hi',
    'b',
    ' tools 1/1',
    '  add_user',
  ]);
});

test('the contents of closed rows are hidden', () => {
  const closed = new Set([serverKey('b'), kindKey('a', 'tools')]);
  assert.deepEqual(shown(treeRows({ ...two, closed })), ['a', ' tools 2/2', ' prompts 1/1', '  hi', 'b']);
});

test('a filter shows the items with all its words, even in closed rows', () => {
  const closed = new Set([serverKey('a'), serverKey('b')]);
  assert.deepEqual(shown(treeRows({ ...two, closed, filter: 'AD d' })), [
    'a',
    ' tools 1/2',
    '  add',
    'b',
    ' tools 1/1',
    '  add_user',
  ]);
});

test('a server without matches is left out', () => {
  assert.deepEqual(shown(treeRows({ ...two, filter: 'user ad' })), ['b', ' tools 1/1', '  add_user']);
});

test('two thousand tools are filtered fast enough for typing', () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `tool_${n}`);
  const input = { ...two, lists: new Map([lists('a', offers('a', 'tools', names))]) };
  withinCpuMs(300, () => {
    for (const filter of ['t', 'tool', '19', 'x']) treeRows({ ...input, filter });
  });
});
