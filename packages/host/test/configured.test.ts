// Servers from configurations, before and after their variables are filled in.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import type { ClientAuth } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { type HostOptions, type Item, type Login, parseServers } from '../src/index.ts';
import { changesBetween, fingerprintOf } from '../src/servers/fingerprint.ts';
import { fixture, FIXTURE, folder, PATIENT, rawServer, started, textOf, until } from './kit.ts';

const RULES = [{ effect: 'allow', act: ['start', 'call'] }] as const;

test('roots of a configuration are sent with their variables filled in', async () => {
  const { command, args } = await rawServer([{ name: 'act' }], {
    more: `if (method === 'tools/call') { globalThis.call = id; return send({ id: 'r', method: 'roots/list' }); }
      if (id === 'r') return send({ id: globalThis.call, result: { content: [{ type: 'text', text: JSON.stringify(JSON.parse(line).result.roots) }] } });`,
  });
  const project = await folder();
  await using host = await started({
    servers: [{ alias: 'one', launch: { kind: 'stdio', command, args, env: {} }, roots: ['${workspaceFolder}/docs'] }],
    folder: project,
    rules: RULES,
  });
  assert.match(textOf(await host.call('one__act', {})), new RegExp(`"file://${project}/docs"`));
});

for (const given of [{ 'X-Mine': 'a', 'X-Both': 'a' }, () => ({ 'X-Mine': 'a', 'X-Both': 'a' })]) {
  test(`headers of the program, as ${typeof given}, are sent together with those of a configuration`, async () => {
    const seen: unknown[] = [];
    const served = await serveHttp(server({ name: 'web' }), {
      port: 0,
      auth: ({ header }) => {
        seen.push([header('x-mine'), header('x-both'), header('x-own')]);
        return { id: 'ada' };
      },
    });
    try {
      const launch = { kind: 'http', url: served.url, headers: { 'x-both': 'b', 'x-own': 'b' } } as const;
      await using one = await started({
        servers: [{ alias: 'one', launch }],
        connect: () => ({ headers: given }),
        rules: RULES,
      });
      assert.deepEqual(seen[0], ['a', 'b', 'b']);
      assert.equal(one.servers()[0]!.state, 'ready');
      seen.length = 0;
      await using two = await started({
        servers: { two: served.url },
        connect: () => ({ headers: given }),
        rules: RULES,
      });
      assert.deepEqual(seen[0], ['a', 'a', undefined]);
      assert.equal(two.servers()[0]!.state, 'ready');
    } finally {
      await served.close();
    }
  });
}

test('[A-82] a server needs a new approval after its env file outside the working folder has changed', async () => {
  const [state, project] = [await folder(), await folder()];
  await mkdir(join(project, 'inner'));
  for (const cwd of [undefined, 'inner']) {
    const file = join(project, cwd ?? '.', '.env');
    await writeFile(file, 'GIVEN=1\n');
    const items: Item[] = [];
    const open = async (): Promise<string> => {
      await using host = await started({
        state,
        folder: project,
        servers: [
          {
            alias: `one${cwd}`,
            launch: {
              kind: 'stdio',
              command: process.execPath,
              args: [FIXTURE],
              env: {},
              envFile: '.env',
              cwd,
            },
          },
        ],
        approve(item) {
          if (item.kind === 'start') items.push(item);
          return { allow: true, scope: 'always' };
        },
      });
      return textOf(await host.call(`one${cwd}__environment`, {}));
    };
    assert.match(await open(), /GIVEN/);
    await open();
    assert.equal(items.length, 1);
    await writeFile(file, 'NODE_NO_WARNINGS=1\n');
    assert.match(await open(), /NODE_NO_WARNINGS/);
    assert.equal(items.length, 2);
    assert.ok(items[1]?.kind === 'start');
    assert.deepEqual(items[1].changed, ['file of variables .env changed']);
  }
});

test('the person is asked for an input once, and not again at a restart', async () => {
  const asked: string[] = [];
  await using host = await started({
    servers: [{ alias: 'one', launch: { kind: 'stdio', ...fixture('plain', { TOKEN: '${input:token}' }) } }],
    input: (id) => {
      asked.push(id);
      return `token ${asked.length}`;
    },
    rules: RULES,
    limits: PATIENT,
  });
  await host.call('one__die', {});
  await until(() => host.servers()[0]!.state === 'starting');
  await until(() => host.servers()[0]!.state === 'ready');
  assert.equal(asked.length, 1);
  // The input may be the reason for the failure, so it is asked for again.
  await host.restart('one');
  assert.equal(asked.length, 2);
});

async function guarded(work: (url: string) => Promise<void>): Promise<void> {
  const app = server({ name: 'web', tools: { now: tool({}, () => 'here') } });
  const served = await serveHttp(app, {
    port: 0,
    auth: ({ header }) => (header('authorization') === 'Bearer me' ? { id: 'ada' } : { status: 401, message: 'Who?' }),
  });
  try {
    await work(served.url);
  } finally {
    await served.close();
  }
}

async function configured(url: string, oauth: object): Promise<HostOptions['servers']> {
  const text = JSON.stringify({ mcpServers: { web: { url, oauth } } });
  const { servers, problems } = await parseServers(text, { file: '.mcp.json', trust: 'user' });
  assert.deepEqual(problems, []);
  return servers;
}

test('the login settings of a configuration are used', () =>
  guarded(async (url) => {
    const seen: Login[] = [];
    const auth: ClientAuth = { credentials: () => ({ authorization: 'Bearer me' }), challenged: async () => false };
    const oauth = {
      clientId: '${HOST_TEST_ID}',
      clientSecret: 's',
      issuer: 'https://auth.example',
      scopes: 'read write',
      callbackPort: 8931,
    };
    await using host = await started({
      servers: await configured(url, oauth),
      variables: { HOST_TEST_ID: 'abc' },
      rules: RULES,
      login(login) {
        seen.push(login);
        return auth;
      },
    });
    assert.deepEqual(seen, [
      {
        client: { id: 'abc', secret: 's', issuer: 'https://auth.example' },
        scopes: ['read', 'write'],
        callbackPort: 8931,
      },
    ]);
    assert.equal(textOf(await host.call('web__now', {})), 'here');
  }));

test('login settings that are not used are reported', () =>
  guarded(async (url) => {
    const { createHost } = await import('../src/index.ts');
    await using host = await createHost({ servers: await configured(url, { clientId: 'abc' }), rules: RULES });
    const problems: string[] = [];
    host.on((event) => event.kind === 'problem' && problems.push(`${event.server}: ${event.message}`));
    await host.start();
    await host.restart('web');
    assert.equal(problems.filter((problem) => /^web: .*"oauth".* are not used/.test(problem)).length, 1);
  }));

test('[A-82] a server needs a new approval after the program found through PATH in its env file has changed', async () => {
  const project = await folder();
  const launch = { kind: 'stdio', command: 'serve-it', args: [], env: {}, envFile: '.env' } as const;
  await mkdir(join(project, 'bin'));
  await writeFile(join(project, '.env'), `PATH=${join(project, 'bin')}\n`);
  await writeFile(join(project, 'bin', 'serve-it'), '1', { mode: 0o755 });
  const before = await fingerprintOf(launch, launch, project);
  await writeFile(join(project, 'bin', 'serve-it'), '2');
  assert.deepEqual(changesBetween(before.parts, (await fingerprintOf(launch, launch, project)).parts), [
    'program changed',
  ]);
});
