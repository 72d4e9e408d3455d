// No false accusations: real servers and a real client use every feature, and no one is blamed for correct behaviour.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client, CompletionRef, ConnectOptions, Revision, Target } from 'tenon/client';
import { ENDS_WITH_PARENT } from '../../../scripts/lib/ends-with-parent.ts';
import { record, type Recorded, findingTexts } from './recorded.ts';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../../..');
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

type Json = Record<string, unknown>;

/** Answers the questions of one conversation. */
interface User {
  answer(message: string, signal: AbortSignal): Json;
}

/** The conversation of every client in the interoperability suite with the same servers: all features, and some mistakes. */
const script = (await import(new URL('../../sdk/test/interop/script.ts', import.meta.url).href)) as {
  perform(peer: unknown): Promise<unknown>;
  newUser(): User;
  sample(params: unknown): Json;
  readonly roots: readonly { readonly uri: string }[];
};
function fixture(name: string): string {
  return fileURLToPath(new URL(`../../sdk/test/interop/fixtures/${name}`, import.meta.url));
}

function abilitiesOf(user: User): ConnectOptions {
  return {
    elicit: { handler: ({ message }, { signal }) => user.answer(message, signal) as never, url: true },
    sample: { handler: (params) => script.sample(params) as never, tools: true },
    roots: script.roots as never,
  };
}

/** Our client, with the interface that the script needs. */
function peerOf(client: Client, user: User, logs: readonly Json[]) {
  return {
    user,
    revision: client.revision,
    server: client.server,
    capabilities: client.capabilities,
    instructions: client.instructions,
    logs,
    tools: () => client.tools().all(),
    resources: () => client.resources().all(),
    templates: () => client.templates().all(),
    prompts: () => client.prompts().all(),
    async call(name: string, args: Json = {}, { logLevel, ...options }: Json = {}) {
      if (logLevel !== undefined) await client.setLogLevel(logLevel as never);
      return client.result(name, args, options as never);
    },
    read: (uri: string) => client.read(uri),
    prompt: (name: string, args?: Record<string, string>) => client.prompt(name, args),
    complete: (ref: CompletionRef, argument: string, value: string, resolved?: Record<string, string>) =>
      client.complete(ref, { argument, value, resolved }),
    async watch(what: string) {
      const watch = client.watch(
        what === 'tools' || what === 'prompts' || what === 'resources' ? { list: what } : { uri: what },
      );
      await watch.ready;
      const changes = watch[Symbol.asyncIterator]();
      return {
        async next() {
          const { value } = await changes.next();
          const change = value as { uri?: string; list?: string } | undefined;
          return change?.uri ?? change?.list;
        },
        close: async () => watch.close(),
      };
    },
    raw: (method: string, params?: Json) => client.request(method, params as never),
  };
}

function perform(target: Target, transport: 'stdio' | 'http', revision?: Revision): Promise<Recorded> {
  const logs: Json[] = [];
  const user = script.newUser();
  const options = {
    ...abilitiesOf(user),
    onLog: (message: unknown) => logs.push(JSON.parse(JSON.stringify(message)) as Json),
    revision,
  };
  return record(target, transport, (client) => script.perform(peerOf(client, user, logs)), options);
}

/**
 * The deliberate mistakes of the script, and a known violation of servers built with the official SDK: content that the revision
 * lacks.
 */
function isTrue(finding: string, revision: string): boolean {
  return (
    finding.includes('cursor-unknown [client] The client sent resources/list with the cursor "nowhere"') ||
    /^wire-schema \[client\] The request resources\/read .*: \/params\/uri must be a string, got a number$/.test(
      finding,
    ) ||
    (revision <= '2025-03-26' &&
      /^content-block \[server\] .* has the type "(?:audio|resource_link)", which 202/.test(finding))
  );
}

/** Almost all messages are validated, except pings before a revision is negotiated, and redacted messages. */
function isMeasured({ lines, measured }: Recorded): void {
  const messages = lines.filter(({ kind }) => kind === 'message').length;
  assert.ok(measured >= messages * 0.95 && messages > 0, `${measured} of ${messages} messages were measured`);
}

/** Every schema violation must also be reported by another rule. */
function explained(findings: Recorded['findings'], revision: string): string[] {
  return findingTexts(findings, 'info').filter(
    (finding) =>
      finding.startsWith('wire-schema') &&
      !(revision <= '2025-03-26' && finding.endsWith('. The rule content-block accuses it, too')) &&
      !(revision === '2025-06-18' && finding.endsWith('. The rule elicit-shape accuses it, too')),
  );
}

function isClean(recorded: Recorded): void {
  const { findings, failure, lines, revision } = recorded;
  isMeasured(recorded);
  assert.deepEqual(explained(findings, revision!), []);
  assert.equal(failure, undefined);
  assert.ok(lines.length > 200, `${lines.length} lines were recorded`);
  assert.deepEqual(
    findingTexts(findings).filter((finding) => !isTrue(finding, revision!)),
    [],
  );
  // Only warnings about the mistakes of the script, and its time limit that is too short.
  const warnings = findingTexts(findings, 'warning').filter(
    (finding) => !/^(?:unlisted-tool|input-schema) \[client\]/.test(finding) && !givesUp.test(finding),
  );
  assert.deepEqual(warnings, []);
}

const children: (() => unknown)[] = [];
after(() => children.forEach((end) => end()));

/** Starts a server of the interoperability suite on a port. It prints its URL. */
async function startAtPort(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...ENDS_WITH_PARENT, ...args], {
    env: { ...process.env, HTTP: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(() => child.kill('SIGKILL'));
  const [text] = (await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    once(child, 'exit').then(() => assert.fail('The server did not start')),
  ])) as [string];
  return text.trim();
}

const servers = [
  { name: 'official v1', args: [fixture('official-v1-server.mjs')], revisions: [undefined, ...LEGACY] },
  { name: 'official v2', args: [fixture('official-v2-server.mjs')], revisions: [undefined, '2026-07-28', ...LEGACY] },
  {
    name: 'ours',
    args: ['--conditions=tenon-source', fixture('tenon-server.ts')],
    revisions: [undefined, '2026-07-28', ...LEGACY],
  },
] as const;

describe('no one is blamed over stdio', { concurrency: 2 }, () => {
  for (const { name, args, revisions } of servers)
    for (const revision of revisions)
      it(`${name}, ${revision ?? 'whatever both know'}`, async () => {
        const recorded = await perform({ command: process.execPath, args, graceMs: 500 }, 'stdio', revision);
        if (revision !== undefined) assert.equal(recorded.revision, revision);
        isClean(recorded);
      });
});

// One at a time, because they share servers, whose tools change for all clients at once.
describe('no one is blamed over HTTP', { concurrency: 1 }, () => {
  for (const { name, args, revisions } of servers) {
    let address: Promise<string> | undefined;
    const start = (): Promise<string> => (address ??= startAtPort(args));
    for (const revision of revisions)
      it(`${name}, ${revision ?? 'whatever both know'}`, async () =>
        isClean(await perform(await start(), 'http', revision)));
    if (name !== 'official v2')
      it(`${name}, with the two URLs of 2024-11-05`, async () =>
        isClean(await perform((await start()).replace(/mcp$/, 'sse'), 'http')));
  }
});

/** Uses everything that a server like the reference server offers. */
async function exercise(client: Client): Promise<void> {
  const names = new Set((await client.tools().all()).map(({ name }) => name));
  const call = async (name: string, args: Json = {}, options: Json = {}): Promise<void> => {
    if (names.has(name)) await client.result(name, args, options as never);
  };
  await call('echo', { message: 'Grüße 🍮' });
  await call('get-sum', { a: 2, b: 40 });
  await call('get-structured-content', { location: 'Chicago' });
  await call('get-tiny-image');
  await call('get-annotated-message', { messageType: 'error', includeImage: true });
  await call('get-resource-reference', { resourceType: 'Blob', resourceId: 3 });
  if (client.revision >= '2025-06-18') await call('get-resource-links', { count: 2 });
  await call('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onProgress: () => {} });
  await call('trigger-sampling-request', { prompt: 'Say hi' });
  await call('trigger-elicitation-request');
  await call('get-roots-list');
  await call('toggle-simulated-logging');
  await call('toggle-simulated-logging');
  await client
    .result(
      'trigger-long-running-operation',
      { duration: 5, steps: 5 } as never,
      { signal: AbortSignal.timeout(200) } as never,
    )
    .catch(() => {});
  for (const { uri } of (await client.resources().all()).slice(0, 5)) await client.read(uri);
  await client.templates().all();
  for (const { name, arguments: given = [] } of await client.prompts().all()) {
    const values = Object.fromEntries(
      given.map(({ name }) => [name, name === 'resourceId' ? '1' : name === 'resourceType' ? 'Text' : 'Sales']),
    );
    await client.prompt(name, values);
  }
}

/** The reference server uses arrays in forms in every revision that has forms; the first of those does not have them. */
const asksForLists = 'elicit-shape [server] A question of the server has fields that are neither';

/** The script cancels these calls: neither side is at fault. */
const givesUp =
  /^timeout \[unknown\] .* answer tools\/call (?:slow|trigger-long-running-operation), then its time was up$/;

function isCalm(recorded: Recorded, atLeast = 50): void {
  const { findings, failure, lines, revision } = recorded;
  isMeasured(recorded);
  assert.deepEqual(explained(findings, revision!), []);
  assert.equal(failure, undefined);
  assert.ok(lines.length > atLeast, `${lines.length} lines were recorded`);
  const all = [...findingTexts(findings), ...findingTexts(findings, 'warning')];
  // The script gives up one call.
  const others = all.filter((finding) => !givesUp.test(finding));
  assert.deepEqual(
    others.filter((finding) => revision !== '2025-06-18' || !finding.startsWith(asksForLists)),
    [],
  );
}

const { elicit: _, ...able } = abilitiesOf(script.newUser());
const answering: ConnectOptions = { ...able, answers: { '*': 'decline' } };

describe('no one is blamed with reference servers', { concurrency: 2 }, () => {
  const official = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
  for (const revision of LEGACY)
    it(`server-everything, ${revision}`, async () => {
      const target = { command: process.execPath, args: [official, 'stdio'], graceMs: 500 };
      isCalm(await record(target, 'stdio', exercise, { ...answering, revision }));
    });

  for (const way of ['streamableHttp', 'sse'] as const)
    it(`server-everything over ${way}`, async () => {
      const probe = createServer().listen(0, '127.0.0.1');
      await once(probe, 'listening');
      const { port } = probe.address() as AddressInfo;
      probe.close();
      const child = spawn(process.execPath, [...ENDS_WITH_PARENT, official, way], {
        env: { PATH: process.env['PATH'], PORT: String(port) },
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      children.push(() => child.kill('SIGKILL'));
      await new Promise<void>((resolve, reject) => {
        child.stderr.setEncoding('utf8').on('data', (said: string) => said.includes(String(port)) && resolve());
        child.once('exit', () => reject(new Error('server-everything did not start')));
      });
      const url = `http://127.0.0.1:${port}/${way === 'sse' ? 'sse' : 'mcp'}`;
      isCalm(await record(url, 'http', exercise, answering));
    });

  const everything = { command: process.execPath, args: [join(root, 'servers/everything/bin/server-everything.js')] };
  for (const revision of ['2026-07-28', ...LEGACY] as const)
    it(`our everything, ${revision}`, async () =>
      isCalm(await record(everything, 'stdio', exercise, { ...answering, revision })));

  for (const name of ['filesystem', 'memory', 'sequential-thinking'] as const)
    it(`the official ${name}`, async () => {
      const args = [
        require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`),
        ...(name === 'filesystem' ? [root] : []),
      ];
      isCalm(await record({ command: process.execPath, args }, 'stdio', (client) => client.tools().all()), 5);
    });
});
