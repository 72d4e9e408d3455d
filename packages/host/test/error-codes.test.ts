// The codes of the host's errors, each in a situation in which a user gets it.
import { join } from 'node:path';
import { prompt, server } from 'tenon';
import { provoke } from '../../../scripts/lib/error-codes.ts';
import { answerPending, createHost, parseServers, resolveServer, type ServerConfig } from '../src/index.ts';
import type { ErrorCode } from '../src/values/error-codes.ts';
import { folder, rawServer, started, until, yes } from './kit.ts';

const source = { file: '/project/.mcp.json', trust: 'project' } as const;

function parse(text: string) {
  return parseServers(text, { file: 'servers.json', trust: 'user' });
}

function withEnvFile(envFile: string, more: Partial<ServerConfig> = {}) {
  return resolveServer({ alias: 'x', launch: { kind: 'stdio', command: 'node', args: [], env: {}, envFile }, ...more });
}

provoke<ErrorCode<'ConfigError'>>('ConfigError', {
  'unreadable-file': () => withEnvFile('/tenon/no/such/file'),
  'too-large': () => parse('['.repeat(10_000)),
  'invalid-syntax': () => parse('{ "mcpServers" }'),
  'invalid-config': () => parse('[]'),
  'unusable-server': () =>
    resolveServer({ alias: 'x', launch: { kind: 'stdio', command: 'node', args: ['${TENON_NOT_SET}'], env: {} } }),
  'outside-project': () => withEnvFile('/tenon/elsewhere', { source }),
});

const greeting = server({ name: 'greeting', version: '1', prompts: { hi: prompt({}, () => 'Hi') } });

provoke<ErrorCode<'DeniedError'>>('DeniedError', {
  denied: async () => {
    await using host = await started({ servers: { x: greeting }, rules: [{ effect: 'deny', server: 'x' }] });
    await host.prompt('x__hi');
  },
});

provoke<ErrorCode<'DecisionError'>>('DecisionError', {
  'invalid-decision': async () => void (await answerPending(await folder(), 'any', { allow: 'yes' } as never)),
});

provoke<ErrorCode<'HostError'>>('HostError', {
  'host-closed': async () => {
    const host = await createHost({ servers: {} });
    await host.close();
    await host.start();
  },
  'unknown-server': async () => {
    await using host = await started({ servers: {}, approve: yes });
    await host.read('unknown', 'x:y');
  },
  'unknown-prompt': async () => {
    await using host = await started({ servers: { x: greeting }, approve: yes });
    await host.prompt('x__bye');
  },
  'not-running': async () => {
    const { command, args } = await rawServer([]);
    const servers = { x: { command, args } };
    await using host = await started({ servers, approve: ({ kind }) => ({ allow: kind !== 'start' }) });
    await host.read('x', 'x:y');
  },
  'server-changed': async () => {
    const file = join(await folder(), 'server.mjs');
    const { command, args } = await rawServer([], {}, file);
    await using host = await started({
      servers: [{ alias: 'x', idleMs: 100, launch: { kind: 'stdio', command, args, env: {} } }],
      async approve({ kind }) {
        if (kind === 'read') {
          await until(() => host.servers()[0]!.state === 'idle');
          await rawServer([], { says: 'another program' }, file);
        }
        return { allow: true };
      },
    });
    await host.read('x', 'x:y');
  },
});
