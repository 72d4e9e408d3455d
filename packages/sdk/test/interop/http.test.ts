// Our client and server with the official SDKs over Streamable HTTP and HTTP+SSE, on every revision they share.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEraMemory } from '../../src/entries/client.ts';
import { comparable, expectedReport, type Maker, type Pairing, type Revision } from './expected.ts';
import { type AtPort, fixture, runOfficialClientAt, startAtPort, tenonServer } from './official-client.ts';
import { perform, type Report } from './script.ts';
import { connectTapped, type Tapped } from './tenon-client.ts';

const LEGACY: readonly Revision[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** The running servers, by their maker and their revisions. */
const servers = new Map<string, Promise<AtPort>>();
after(async () => {
  for (const server of servers.values()) await (await server.catch(() => undefined))?.stop();
});

/** A server on a port. It serves one client after the other, because tools that are added and removed change for all clients at once. */
function serverOf(maker: Maker, revisions?: string): Promise<AtPort> {
  const key = `${maker} ${revisions ?? ''}`;
  let server = servers.get(key);
  if (server === undefined) {
    const program = maker === 'tenon' ? tenonServer : [process.execPath, fixture(`official-${maker}-server.mjs`)];
    server = startAtPort(program, revisions === undefined ? {} : { REVISIONS: revisions });
    servers.set(key, server);
  }
  return server;
}

interface OurClient {
  readonly server: 'v1' | 'v2';
  readonly revision: Revision;
  readonly pinned?: Revision;
  readonly sse?: true;
}

const OUR_CLIENT: readonly OurClient[] = [
  { server: 'v1', revision: '2025-11-25' },
  ...LEGACY.map((revision): OurClient => ({ server: 'v1', revision, pinned: revision })),
  { server: 'v1', revision: '2025-11-25', sse: true },
  { server: 'v1', revision: '2024-11-05', pinned: '2024-11-05', sse: true },
  { server: 'v2', revision: '2026-07-28' },
  ...(['2026-07-28', ...LEGACY] as const).map((revision): OurClient => ({ server: 'v2', revision, pinned: revision })),
];

describe('our client on official servers at a URL', { concurrency: 1 }, () => {
  for (const { server, revision, pinned, sse } of OUR_CLIENT) {
    const pairing: Pairing = { client: 'tenon', server, revision, http: true };
    const way = sse === undefined ? 'Streamable HTTP' : 'HTTP+SSE';
    describe(`our client ${pinned === undefined ? '' : `pinned to ${pinned} `}↔ official ${server} server over ${way}`, () => {
      let tapped: Tapped;
      let report: Report;
      before(async () => {
        const at = await serverOf(server);
        const eras = createEraMemory();
        tapped = await connectTapped(sse === undefined ? at.url : at.sse, {
          eras,
          revision: pinned,
        });
        report = await perform(tapped.peer);
      });
      after(() => tapped?.client.close());

      it(`negotiates ${revision} and does everything that both sides support`, () => {
        assert.equal(tapped.client.revision, revision);
        assert.deepEqual(comparable(report, pairing), comparable(expectedReport(pairing), pairing));
      });

      it('sends nothing that the official schema of the revision rejects, and reports no problems', () => {
        // A client that falls back to HTTP+SSE starts over there, including ids.
        const anew = /the id 1 was used before in .*"initialize"/;
        const problems = tapped.problems().filter((problem) => sse === undefined || !anew.test(problem));
        assert.deepEqual(problems, []);
        assert.deepEqual(tapped.complaints, []);
      });
    });
  }
});

interface TheirClient {
  readonly client: 'v1' | 'v2';
  readonly revision: Revision;
  /** How the client connects, and to which revisions our server is limited. */
  readonly env: Readonly<Record<string, string>>;
  readonly sse?: true;
}

const THEIR_CLIENT: readonly TheirClient[] = [
  { client: 'v1', revision: '2025-11-25', env: {} },
  { client: 'v1', revision: '2025-11-25', env: {}, sse: true },
  ...LEGACY.slice(1).map((revision): TheirClient => ({ client: 'v1', revision, env: { REVISIONS: revision } })),
  { client: 'v1', revision: '2024-11-05', env: { REVISIONS: '2024-11-05' }, sse: true },
  ...LEGACY.map((revision): TheirClient => ({ client: 'v2', revision, env: { MODE: revision } })),
  { client: 'v2', revision: '2025-11-25', env: { MODE: 'legacy' }, sse: true },
  { client: 'v2', revision: '2026-07-28', env: { MODE: '2026-07-28' } },
  { client: 'v2', revision: '2026-07-28', env: { MODE: 'auto' } },
  { client: 'v2', revision: '2025-11-25', env: { MODE: 'auto', REVISIONS: '2025-11-25' } },
];

describe('official clients on our server at a URL', { concurrency: 1 }, () => {
  for (const { client, revision, env, sse } of THEIR_CLIENT) {
    const pairing: Pairing = { client, server: 'tenon', revision, http: true };
    const how = [...Object.values(env), sse === undefined ? 'over Streamable HTTP' : 'over HTTP+SSE'].join(', ');
    it(`official ${client} client (${how}) ↔ our server`, async () => {
      const at = await serverOf('tenon', env['REVISIONS']);
      const report = await runOfficialClientAt(client, sse === undefined ? at.url : at.sse, env);
      assert.equal(report['revision'], revision);
      assert.deepEqual(comparable(report, pairing), comparable(expectedReport(pairing), pairing));
    });
  }
});
