// Arguments that no ordinary model sends: each is used with its exact value, or rejected with an error message, and the server continues.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Channel, serve, type Server } from 'tenon';
import { connect } from 'tenon/client';
import { memoryPair } from 'tenon/testing';
import { Folders } from '../folders.ts';

type Folder = Awaited<ReturnType<typeof Folders.of>>;
interface ServerFactories {
  readonly createGoogleMaps: (options: { key: string; url: string }) => Server;
  readonly createBraveSearch: (options: { key: string; url: string }) => Server;
  readonly createAwsKbRetrieval: () => Server;
  readonly createEverything: () => Server;
  readonly createFetch: () => Server;
  readonly createFilesystem: (options: { folders: Folder; hardLinks: boolean; confirm: boolean }) => Server;
  readonly createGdrive: (options: { files: { keys: string; credentials: string } }) => Server;
  readonly createGithub: (options: { token: string; url: string }) => Server;
  readonly createGitlab: (options: { token: string; url: string }) => Server;
  readonly createPuppeteer: () => Server;
  readonly createGit: (options: { folders: Folder; readUser: () => Promise<object> }) => Server;
  readonly createSequentialThinking: () => Server;
  readonly createEverart: (options: { token: string; url: string }) => Server;
  readonly createSlack: (options: { token: string; url: string }) => Server;
  readonly createTime: (options: { localTimezone: string }) => Server;
}

/** The servers are imported dynamically, because shared code must not depend on them. */
async function load(path: string): Promise<ServerFactories> {
  return (await import(`../../${path}.ts`)) as ServerFactories;
}
const { createBraveSearch } = await load('brave-search/src/brave-search');
const { createAwsKbRetrieval } = await load('aws-kb-retrieval/src/aws-kb-retrieval');
const { createEverything } = await load('everything/src/everything');
const { createEverart } = await load('everart/src/everart');
const { createFetch } = await load('fetch/src/fetch');
const { createFilesystem } = await load('filesystem/src/filesystem');
const { createGdrive } = await load('gdrive/src/gdrive');
const { createGit } = await load('git/src/server');
const { createGithub } = await load('github/src/github');
const { createGitlab } = await load('gitlab/src/gitlab');
const { createGoogleMaps } = await load('google-maps/src/google-maps');
const { createPuppeteer } = await load('puppeteer/src/puppeteer');
const { createSequentialThinking } = await load('sequential-thinking/src/sequential-thinking');
const { createSlack } = await load('slack/src/slack');
const { createTime } = await load('time/src/time');

const base = await mkdtemp(join(tmpdir(), 'tenon-odd-'));
after(() => rm(base, { recursive: true, force: true }));
const eras = { get: () => undefined, set() {}, delete() {} };

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
}

/** Calls a tool with arguments as raw JSON. */
async function callRaw(
  app: Server,
  name: string,
  args: string,
): Promise<Result | { readonly error: { message: string } }> {
  const [near, far] = memoryPair();
  const served = serve(app, far);
  const answers = (near as Channel).incoming[Symbol.asyncIterator]();
  const say = (text: string) => void near.send(text);
  say(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  );
  await answers.next();
  say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`);
  for (;;) {
    const { value, done } = await answers.next();
    assert.ok(done !== true, 'the server ended');
    const message = JSON.parse(value as string) as { id?: number; result?: Result; error?: { message: string } };
    if (message.id !== 1) continue;
    await near.close();
    await served.closed;
    return message.result ?? { error: message.error! };
  }
}

function textOf(result: Awaited<ReturnType<typeof callRaw>>): string {
  return 'error' in result ? result.error.message : result.content.map(({ text = '' }) => text).join('');
}
function isRefused(result: Awaited<ReturnType<typeof callRaw>>): boolean {
  return 'error' in result || result.isError === true;
}

/** Numbers that JavaScript cannot represent, numbers that are not counts, and values of other types. */
const ODD = ['9007199254740993', '1e400', '-1e400', '1.5', '-1', '"1"', 'true', '[1]', '{}'];

test('a thought whose number is not a count is rejected, and numbers in quotes are accepted', async () => {
  for (const number of ODD) {
    const args = `{"thought":"t","nextThoughtNeeded":false,"thoughtNumber":${number},"totalThoughts":3}`;
    const result = await callRaw(createSequentialThinking(), 'sequentialthinking', args);
    assert.equal(isRefused(result), number !== '"1"', `${number}: ${textOf(result)}`);
    assert.doesNotMatch(textOf(result), /9007199254740992|Infinity|NaN/);
  }
});

test('an invalid number of lines, commits or characters is rejected', async () => {
  const root = join(base, 'numbers');
  await mkdir(root);
  await writeFile(join(root, 'a.txt'), 'one\ntwo\n');
  execFileSync('git', ['init', '-q', root]);
  const files = createFilesystem({ folders: await Folders.of([root]), hardLinks: false, confirm: false });
  const repositories = createGit({
    folders: await Folders.of([root]),
    readUser: async () => ({ identity: {}, safe: [] }),
  });
  const path = JSON.stringify(join(root, 'a.txt'));
  // A request would fail, because nothing listens there.
  const nowhere = { token: 'x', key: 'x', url: 'http://127.0.0.1:9' };
  const github = createGithub(nowhere);
  const gitlab = createGitlab(nowhere);
  const brave = createBraveSearch(nowhere);
  const slack = createSlack(nowhere);
  const maps = createGoogleMaps(nowhere);
  const gdrive = createGdrive({ files: { keys: join(root, 'keys'), credentials: join(root, 'none') } });
  for (const number of ODD.filter((one) => one !== '"1"')) {
    for (const [app, name, args] of [
      [files, 'read_text_file', `{"path":${path},"head":${number}}`],
      [files, 'read_text_file', `{"path":${path},"tail":${number}}`],
      [repositories, 'git_log', `{"repo_path":${JSON.stringify(root)},"max_count":${number}}`],
      [repositories, 'git_diff_unstaged', `{"repo_path":${JSON.stringify(root)},"context_lines":${number}}`],
      [createFetch(), 'fetch', `{"url":"https://example.com","max_length":${number}}`],
      [createFetch(), 'fetch', `{"url":"https://example.com","start_index":${number}}`],
      [createAwsKbRetrieval(), 'retrieve_from_aws_kb', `{"query":"q","knowledgeBaseId":"A","n":${number}}`],
      [createPuppeteer(), 'puppeteer_screenshot', `{"name":"a","width":${number}}`],
      [github, 'get_issue', `{"owner":"ann","repo":"tea","issue_number":${number}}`],
      [brave, 'brave_web_search', `{"query":"tea","count":${number}}`],
      [slack, 'slack_list_channels', `{"limit":${number}}`],
      [slack, 'slack_get_channel_history', `{"channel_id":"C1","limit":${number}}`],
      [createEverart(nowhere), 'generate_image', `{"prompt":"x","image_count":${number}}`],
      [gdrive, 'search', `{"query":"tea","page_size":${number}}`],
      [brave, 'brave_web_search', `{"query":"tea","offset":${number}}`],
      [maps, 'maps_search_places', `{"query":"tea","page_token":${number}}`],
      [gitlab, 'search_repositories', `{"search":"tea","page":${number}}`],
      [gitlab, 'create_issue', `{"project_id":"9","title":"x","milestone_id":${number}}`],
      [github, 'list_issues', `{"owner":"ann","repo":"tea","per_page":${number}}`],
    ] as const) {
      const result = await callRaw(app, name, args);
      assert.equal(isRefused(result), true, `${name} ${args}: ${textOf(result)}`);
      assert.doesNotMatch(textOf(result), /under error|could not be reached|has logged in/, `${name} ${args}`);
    }
  }
});

test('invalid times and time zones are rejected with an error message', async () => {
  const app = createTime({ localTimezone: 'UTC' });
  for (const [name, args] of [
    ['get_current_time', '{"timezone":7}'],
    ['get_current_time', '{"timezone":"__proto__"}'],
    ['get_current_time', '{"timezone":"UTC\\u0000"}'],
    ['get_current_time', '{"timezone":"Etc/../UTC"}'],
    ['convert_time', '{"source_timezone":"UTC","time":"1e1:00","target_timezone":"UTC"}'],
    ['convert_time', '{"source_timezone":"UTC","time":"-1:00","target_timezone":"UTC"}'],
    ['convert_time', '{"source_timezone":"UTC","time":"\\u0661\\u0662:00","target_timezone":"UTC"}'],
    ['convert_time', '{"source_timezone":"UTC","time":"12:00","target_timezone":"UTC","date":"9999999-01-01"}'],
    ['convert_time', '{"source_timezone":"UTC","time":"12:00","target_timezone":"UTC","date":"2026-02-30"}'],
  ] as const) {
    const result = await callRaw(app, name, args);
    assert.equal(isRefused(result), true, `${args}: ${textOf(result)}`);
    assert.doesNotMatch(textOf(result), /under error|[\0]/, args);
  }
});

test("the name of a compressed file cannot change its URI's structure", async () => {
  for (const name of [
    '../../x',
    'a/b',
    'a%2fb',
    '\u0000',
    'a\nb',
    '__proto__',
    ' ',
    'x'.repeat(5_000),
    '\ud800',
    '?a=b',
    '#f',
  ]) {
    await using client = await connect(createEverything(), { eras, revision: '2025-11-25' });
    const before = (await client.resources().all()).length;
    const result = await client.result('gzip-file-as-resource', { name, data: 'data:,x' });
    if (result.isError === true) continue;
    const { uri } = result.content[0] as { uri: string };
    const rest = uri.replace('demo://resource/session/', '');
    assert.match(rest, /^[^/?#\s\p{Cc}]+$/u, JSON.stringify(name));
    assert.equal((await client.resources().all()).length, before + 1, JSON.stringify(name));
    assert.equal((await client.read(uri)).contents.length, 1, JSON.stringify(name));
  }
});

test('paths that no system accepts are rejected with an error message, and nothing is written', async () => {
  const root = join(base, 'paths');
  await mkdir(root);
  const app = createFilesystem({ folders: await Folders.of([root]), hardLinks: false, confirm: false });
  for (const name of ['a\u0000b', 'x'.repeat(300), `${'d/'.repeat(3_000)}x`, '\ud800', '..', '.', '']) {
    const path = JSON.stringify(join(root, '/') + name);
    const result = await callRaw(app, 'write_file', `{"path":${path},"content":"x"}`);
    assert.equal(isRefused(result), true, JSON.stringify(name.slice(0, 20)));
    assert.doesNotMatch(textOf(result), /under error/, JSON.stringify(name.slice(0, 20)));
    assert.ok(textOf(result).length < 2_000, `${textOf(result).length}`);
  }
  assert.deepEqual(await readdir(root), []);
});
