import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear, withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import { createToolIndex } from './search.ts';
import type { HostTool } from './toolbox.ts';

function tool(server: string, name: string, description = '', properties: Record<string, unknown> = {}): HostTool {
  return {
    name: `${server}__${name}`,
    server,
    entry: { name, description, inputSchema: { type: 'object', properties } },
  };
}

const tools = [
  tool('github', 'create_issue', 'Opens a new issue in a repository', { labels: { description: 'Tags to put on it' } }),
  tool('github', 'listPullRequests', 'Pull requests of a repository, newest first'),
  tool('github', 'search_code', 'Searches source code'),
  tool('files', 'read_file', 'Reads a file as text', { path: { type: 'string' } }),
  tool('files', 'write_file', 'Writes a file', { path: { type: 'string' }, options: { properties: { encoding: {} } } }),
  tool('weather', 'getForecast', 'Weather of the coming days', { city: { description: 'Town, such as Lisbon' } }),
];
const index = createToolIndex(tools);
function namesFor(query: string, limit = 3): string[] {
  return index.search(query, limit).map(({ tool }) => tool.entry.name);
}

test('a tool with the searched name comes first', () => {
  for (const { entry } of tools) assert.equal(namesFor(entry.name)[0], entry.name);
  assert.equal(namesFor('create an issue')[0], 'create_issue');
});

test('words in camelCase and snake_case are found by their parts and as a whole', () => {
  assert.equal(namesFor('pull requests')[0], 'listPullRequests');
  assert.equal(namesFor('getforecast')[0], 'getForecast');
  assert.equal(namesFor('readfile')[0], 'read_file');
});

test('descriptions and parameters are found, also nested ones', () => {
  assert.equal(namesFor('lisbon')[0], 'getForecast');
  assert.equal(namesFor('labels tags')[0], 'create_issue');
  assert.deepEqual(namesFor('encoding'), ['write_file']);
});

test('the name of the server is searched, too', () => {
  assert.deepEqual(new Set(namesFor('files')), new Set(['read_file', 'write_file']));
});

test('prefixes, other word forms and typing errors are found', () => {
  assert.equal(namesFor('forec')[0], 'getForecast');
  assert.equal(namesFor('issues')[0], 'create_issue');
  assert.equal(namesFor('forcast')[0], 'getForecast');
});

test('results are limited, best first, and empty for an empty query', () => {
  assert.equal(index.search('repository', 1).length, 1);
  const scores = index.search('repository issue code', 10).map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.deepEqual(index.search('', 10), []);
  assert.deepEqual(index.search('zzzzzz', 10), []);
  assert.deepEqual(createToolIndex([]).search('file', 10), []);
});

test('duplicate names and names of inherited object members are harmless', () => {
  const odd = [tool('a', 'constructor', '__proto__ toString'), tool('a', 'constructor', 'hasOwnProperty')];
  const found = createToolIndex(odd).search('constructor __proto__ hasOwnProperty', 10);
  assert.deepEqual(new Set(found.map(({ tool }) => tool)), new Set(odd));
});

test('the indexed text of a tool is limited, and a long description leaves room for parameters', () => {
  const long = tool('a', 'long', `${'word '.repeat(50_000)} needle`, { haystack: {} });
  const found = createToolIndex([long]);
  assert.equal(found.search('needle', 1).length, 0);
  assert.equal(found.search('haystack', 1).length, 1);
});

test('hostile schemas and queries take bounded time', () => {
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 5_000; level++) deep = { properties: { next: deep, also: deep }, anyOf: [deep, deep] };
  const hostile = [tool('a', 'A'.repeat(100_000), 'Aa_'.repeat(100_000), { deep }), tool('b', '_'.repeat(100_000))];
  withinCpuMs(3_000, () => createToolIndex(hostile).search('Aa'.repeat(1_000_000), 10));
});

test('tools are indexed in linear time', () => {
  const verbs = ['create', 'list', 'update', 'delete', 'search', 'get', 'merge', 'close', 'open', 'send'];
  const nouns = ['issue', 'user', 'file', 'branch', 'message', 'invoice', 'table', 'page', 'event', 'secret'];
  const many = Array.from({ length: 8_000 }, (_, index) => {
    const [verb, noun] = [verbs[index % 10]!, nouns[Math.floor(index / 10) % 10]!];
    return tool(
      `server${index % 20}`,
      `${verb}_${noun}_${index}`,
      `Lets you ${verb} the ${noun} with number ${index}.`,
      {
        [`${noun}Id`]: { type: 'string', description: `Which ${noun} to ${verb}` },
        dryRun: { type: 'boolean', description: 'Only says what would be done' },
      },
    );
  });
  assertLinear(2_000, (count) => createToolIndex(many.slice(0, count)));
  assert.equal(createToolIndex(many).search('merge invoice 156', 1)[0]!.tool.entry.name, 'merge_invoice_156');
});
