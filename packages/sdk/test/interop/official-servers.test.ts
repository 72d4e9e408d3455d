// Our client with the servers of the official TypeScript SDK, over stdio, on every revision they support.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEraMemory } from '../../src/entries/client.ts';
import { comparable, expectedReport, type Pairing, type Revision } from './expected.ts';
import { fixture } from './official-client.ts';
import { perform, type Report } from './script.ts';
import { connectTapped, type Tapped } from './tenon-client.ts';

const legacy: readonly Revision[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

interface Case {
  readonly server: 'v1' | 'v2';
  /** Undefined: any revision that both sides have. */
  readonly pinned: Revision | undefined;
  readonly revision: Revision;
}

const cases: readonly Case[] = [
  { server: 'v1', pinned: undefined, revision: '2025-11-25' },
  ...legacy.map((revision): Case => ({ server: 'v1', pinned: revision, revision })),
  { server: 'v2', pinned: undefined, revision: '2026-07-28' },
  ...(['2026-07-28', ...legacy] as const).map((revision): Case => ({ server: 'v2', pinned: revision, revision })),
];

function commandOf(server: 'v1' | 'v2') {
  return {
    command: process.execPath,
    args: [fixture(`official-${server}-server.mjs`)],
    graceMs: 500,
  };
}

describe('our client on official servers', { concurrency: 2 }, () => {
  for (const { server, pinned, revision } of cases) {
    const pairing: Pairing = { client: 'tenon', server, revision };
    describe(`our client ${pinned === undefined ? '' : `pinned to ${pinned} `}↔ official ${server} server`, () => {
      let tapped: Tapped;
      let report: Report;
      before(async () => {
        const eras = createEraMemory();
        tapped = await connectTapped(commandOf(server), pinned === undefined ? { eras } : { eras, revision: pinned });
        report = await perform(tapped.peer);
      });
      after(() => tapped.client.close());

      it(`negotiates ${revision} with one process`, () => {
        assert.equal(tapped.client.revision, revision);
        assert.equal(tapped.processes(), 1);
        const opening = tapped.sent.slice(0, 2);
        if (revision === '2026-07-28') assert.equal(opening[0], 'server/discover');
        else if (pinned === undefined) assert.deepEqual(opening, ['server/discover', 'initialize']);
        else assert.equal(opening[0], 'initialize');
        assert.equal(tapped.sent.includes('initialize'), revision !== '2026-07-28');
      });

      it('does everything that both sides support', () => {
        assert.deepEqual(comparable(report, pairing), comparable(expectedReport(pairing), pairing));
      });

      it('sends nothing that the official schema of the revision rejects, and reports no problems', () => {
        assert.deepEqual(tapped.problems(), []);
        assert.deepEqual(tapped.complaints, []);
      });
    });
  }
});

describe('our client on an official server it has met before', () => {
  it('[VERS-31] does not ask a legacy server for its era a second time', async () => {
    const eras = createEraMemory();
    for (const opening of ['server/discover', 'initialize']) {
      await using tapped = await connectTapped(commandOf('v1'), { eras });
      assert.equal(tapped.client.revision, '2025-11-25');
      assert.equal(tapped.sent[0], opening);
    }
  });
});

describe('our client when an official server sends it requests', () => {
  it('[PING-1] answers a ping', async () => {
    await using tapped = await connectTapped(commandOf('v1'));
    assert.equal(await tapped.client.call('ping'), '{}');
  });

  it('cancels a question when the server times out, and continues', async () => {
    await using tapped = await connectTapped(commandOf('v1'));
    await assert.rejects(tapped.client.call('impatient'), { name: 'ToolError', message: /timed out/i });
    assert.equal(tapped.peer.user.withdrawn, 1);
    assert.equal(await tapped.client.call('echo', { text: 'still here' }), 'still here');
    assert.deepEqual(tapped.problems(), []);
  });
});
