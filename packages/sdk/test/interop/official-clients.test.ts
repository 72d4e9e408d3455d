// The clients of the official TypeScript SDK with our server, over stdio, on every revision they support.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { comparable, expectedReport, type Pairing, type Revision } from './expected.ts';
import { fixture, judgeServer, type Run, runOfficialClient, runProgram, tenonServer } from './official-client.ts';

const legacy: readonly Revision[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

interface Case extends Pairing {
  readonly title: string;
  readonly client: 'v1' | 'v2';
  /** How the client connects, and to which revisions our server is limited. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes?: number;
}

const cases: readonly Case[] = [
  { title: 'official v1 client', client: 'v1', server: 'tenon', revision: '2025-11-25', env: {} },
  // This client offers only its newest revision; a server that does not support it answers with another.
  ...legacy.slice(1).map((revision): Case => ({
    title: `official v1 client, server narrowed to ${revision}`,
    client: 'v1',
    server: 'tenon',
    revision,
    env: { REVISIONS: revision },
  })),
  ...legacy.map((revision): Case => ({
    title: `official v2 client that offers ${revision}`,
    client: 'v2',
    server: 'tenon',
    revision,
    env: { MODE: revision },
  })),
  {
    title: 'official v2 client pinned to 2026-07-28',
    client: 'v2',
    server: 'tenon',
    revision: '2026-07-28',
    env: { MODE: '2026-07-28' },
    processes: 2,
  },
  {
    title: 'official v2 client in auto mode',
    client: 'v2',
    server: 'tenon',
    revision: '2026-07-28',
    env: { MODE: 'auto' },
    processes: 2,
  },
  {
    title: 'official v2 client in auto mode, server narrowed to 2025-11-25',
    client: 'v2',
    server: 'tenon',
    revision: '2025-11-25',
    env: { MODE: 'auto', REVISIONS: '2025-11-25' },
    processes: 2,
  },
];

describe('official clients on our server', { concurrency: 2 }, () => {
  for (const { title, env, processes = 1, ...pairing } of cases) {
    describe(`${title} ↔ our server`, () => {
      let run: Run;
      before(async () => {
        run = await runOfficialClient(pairing.client, tenonServer, env);
      });

      it(`negotiates ${pairing.revision}`, () => {
        assert.equal(run.report['revision'], pairing.revision);
        // The SDK of version 2 probes the era with a separate process before it starts the one it uses.
        assert.equal(run.conversations.length, processes);
        assert.equal(judgeServer(run.conversations.at(-1)!).revision, pairing.revision);
      });

      it('does everything that both sides support', () => {
        assert.deepEqual(comparable(run.report, pairing), comparable(expectedReport(pairing), pairing));
      });

      it('receives nothing that the official schema of the revision rejects', () => {
        for (const conversation of run.conversations) assert.deepEqual(judgeServer(conversation).problems, []);
      });
    });
  }
});

describe('official clients that have no revision in common with our server', () => {
  const modernOnly = { REVISIONS: '2026-07-28' };

  it('[VERS-33] the v1 client learns which revisions the server supports', async () => {
    await assert.rejects(runOfficialClient('v1', tenonServer, modernOnly), /-32022[\s\S]*2026-07-28/);
  });

  it('the v2 client fails when it is pinned to 2026-07-28 and the server is older', async () => {
    const older = { MODE: '2026-07-28', REVISIONS: '2025-11-25' };
    await assert.rejects(runOfficialClient('v2', tenonServer, older), /ERA_NEGOTIATION_FAILED|-32022|pin/i);
  });
});

describe('our server, when it is stopped,', () => {
  it('ends the subscriptions of the official v2 client with a result', async () => {
    const { stdout } = await runProgram([fixture('official-v2-listener.mjs'), ...tenonServer]);
    assert.equal(stdout, 'graceful');
  });
});

describe('the expectations', () => {
  // A control without our code: the official SDK decides what the script has to return.
  for (const [client, env, revision] of [
    ['v1', {}, '2025-11-25'],
    ['v2', { MODE: 'auto' }, '2026-07-28'],
  ] as const) {
    it(`hold between the official ${client} client and server`, async () => {
      const pairing: Pairing = { client, server: client, revision };
      const { report } = await runOfficialClient(
        client,
        [process.execPath, fixture(`official-${client}-server.mjs`)],
        env,
      );
      assert.deepEqual(comparable(report, pairing), comparable(expectedReport(pairing), pairing));
    });
  }
});
