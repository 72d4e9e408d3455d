// The server program behind nginx and Caddy, with the configuration of this folder: TLS, two nodes that share a Redis, and clients of an old and the
// newest revision.
// A process of its own: it adds an authority that this process trusts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { connect, type ConnectOptions, type Revision } from 'tenon/client';
import { freePort } from '../../scripts/lib/free-port.ts';
import { startRedis } from '../../scripts/lib/redis-server.ts';
import { until } from '../../scripts/lib/until.ts';
import { type app, NEWS } from './app.ts';
import { startIssuer } from '../../scripts/lib/token-issuer.ts';
import { type NodeProcess, startNode } from './fixtures/node-process.ts';
import { caddy, nginx, type Proxy } from './fixtures/proxies.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const satisfies readonly Revision[];
/** How long a proxy waits for a quiet server. The server sends comments much more often. */
const TIMEOUT_S = 8;

const folder = mkdtempSync(join(tmpdir(), 'tenon-deploy-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', ...subject, '-keyout', key, '-out', certificate], {
  stdio: 'pipe',
});
const trusted = getCACertificates();
setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')]);
after(() => setDefaultCACertificates(trusted));

const issuer = await startIssuer();
const redis = await startRedis();
after(() => redis.stop());

/** Sends a request for this path and this name to the proxy, as programs do that do not come from its own pages. */
function get(port: number, path: string, host: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, servername: 'localhost', headers: { host } };
    request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode, body }));
    })
      .once('error', reject)
      .end();
  });
}

/** A setting of two seconds, for a machine that is busy with other tests. */
function patient(setting: string): Readonly<Record<string, string>> {
  return { [`${setting} 2s`]: `${setting} 60s` };
}

const kinds = [
  {
    name: 'nginx',
    make: nginx,
    replaced: patient('proxy_connect_timeout'),
    short: { 'proxy_read_timeout 60s': `proxy_read_timeout ${TIMEOUT_S}s` },
    // It passes the name on, and the server refuses it.
    wrongHost: /host .evil.example. is not served/,
  },
  // It has no site of that name, so it answers with nothing.
  {
    name: 'Caddy',
    make: caddy,
    replaced: { ...patient('health_timeout'), ...patient('lb_try_duration') },
    short: {},
    wrongHost: /^$/,
  },
] as const;

describe('a deployed server', { concurrency: kinds.length }, () => {
  for (const [index, { name, make, replaced, short, wrongHost }] of kinds.entries())
    describe(`behind ${name}`, { concurrency: 1 }, () => {
      let port = 0;
      let url = '';
      let proxy: Proxy | undefined;
      const ports: number[] = [];
      const nodes: NodeProcess[] = [];

      before(async () => {
        port = await freePort();
        url = `https://localhost:${port}/mcp`;
        ports.push(await freePort(), await freePort());
        const shared = {
          PUBLIC_URL: url,
          ISSUER: issuer.issuer,
          KEEP_ALIVE_MS: '300',
          NOTICE_MS: '8000',
          TENON_STORE: `${redis.address}/${index}`,
          TENON_KEYS: 'a key that both nodes of this test share',
        };
        nodes.push(...(await Promise.all(ports.map((each) => startNode({ ...shared, PORT: String(each) })))));
        proxy = make({ port, nodes: ports, certificate, key, replaced });
        await proxy.start();
      });
      after(async () => {
        await proxy?.kill();
        for (const { child, ended } of nodes) {
          child.kill('SIGKILL');
          await ended;
        }
      });

      function open(options: ConnectOptions) {
        const token = issuer.sign({ aud: url, sub: 'ann' });
        return connect<typeof app>(url, {
          ...options,
          headers: { ...options.headers, authorization: `Bearer ${token}` },
        });
      }

      describe('serves clients of every era', { concurrency: true }, () => {
        for (const revision of REVISIONS) {
          test(`progress arrives while the call runs, and the call can be cancelled, on ${revision}`, async () => {
            await using client = await open({ revision });
            const cancel = new AbortController();
            // The call ends only because its progress has arrived.
            const call = client.call('follow', {}, { signal: cancel.signal, onProgress: () => cancel.abort() });
            await assert.rejects(call, { name: 'AbortError' });
          });

          test(`a large body passes, on ${revision}`, async () => {
            await using client = await open({ revision });
            assert.equal(await client.call('count', { text: 'word '.repeat(800_000) }), '800000 words');
          });
        }

        test('the official SDKs get progress, and are asked in a call', async () => {
          const headers = { authorization: `Bearer ${issuer.sign({ aud: url, sub: 'ann' })}` };
          const target = [new URL(url), { requestInit: { headers } }] as const;
          const answer = () => ({ action: 'accept' as const, content: { sure: true } });
          const info = { name: 'official', version: '1' };
          const capabilities = { elicitation: {} };

          const first = new ClientV1(info, { capabilities });
          first.setRequestHandler(ElicitRequestSchema, answer);
          await first.connect(new TransportV1(...target) as never);
          const cancel = new AbortController();
          const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
          await assert.rejects(first.callTool({ name: 'follow', arguments: {} }, undefined, options), /abort/i);
          const call = { name: 'publish', arguments: { headline: 'official' } };
          const expected = [{ type: 'text', text: 'Published: official' }];
          assert.deepEqual((await first.callTool(call)).content, expected);
          await first.close();

          const second = new v2.Client(info, { capabilities, versionNegotiation: { mode: 'auto' } });
          second.setRequestHandler('elicitation/create', answer);
          await second.connect(new v2.StreamableHTTPClientTransport(...target));
          assert.deepEqual((await second.callTool(call)).content, expected);
          await second.close();
        });

        test('a client without a token is told where to get one, under the public name', async () => {
          const { status, headers } = await fetch(url, { method: 'POST' });
          assert.equal(status, 401);
          const metadata = `https://localhost:${port}/.well-known/oauth-protected-resource/mcp`;
          assert.ok(headers.get('www-authenticate')?.includes(`resource_metadata="${metadata}"`));
          assert.deepEqual(await (await fetch(metadata)).json(), {
            resource: url,
            authorization_servers: [issuer.issuer],
            bearer_methods_supported: ['header'],
          });
        });

        test('another host is refused, and the probes are not public', async () => {
          for (const path of ['/health', '/ready', '/']) assert.equal((await get(port, path, 'localhost')).status, 404);
          assert.match((await get(port, '/mcp', 'evil.example')).body, wrongHost);
        });
      });

      describe('keeps streams open', { concurrency: true }, () => {
        // Only here: on a machine that is busy, any answer may take longer.
        before(async () => {
          await proxy?.kill();
          proxy = make({ port, nodes: ports, certificate, key, replaced: { ...replaced, ...short } });
          await proxy.start();
        });

        for (const revision of REVISIONS)
          test(`a stream that is quiet for longer than the timeout of the proxy stays open, a question is asked in a call, and the change arrives on that stream, on ${revision}`, async () => {
            let streams = 0;
            const counting: typeof fetch = (input, init) => {
              if (init?.method === 'GET' || String(init?.body).includes('subscriptions/listen')) streams++;
              return fetch(input, init);
            };
            await using client = await open({ revision, fetch: counting, answers: { sure: { sure: true } } });
            const watch = client.watch({ uri: NEWS });
            await watch.ready;
            const before = streams;
            await sleep(1_250 * TIMEOUT_S);
            assert.equal(await client.call('publish', { headline: revision }), `Published: ${revision}`);
            for await (const change of watch) {
              assert.deepEqual(change, { uri: NEWS, missed: false });
              break;
            }
            assert.equal(streams, before);
          });
      });

      test('no call fails while a node is stopped, and a call that waits for its user ends elsewhere or before', async (t) => {
        const asked: (() => void)[] = [];
        const waiting = (revision: Revision) =>
          open({
            revision,
            // nginx closes idle connections when it reads its configuration again. A request that is just then sent on one would be lost.
            headers: { connection: 'close' },
            elicit: () =>
              new Promise((resolve) => asked.push(() => resolve({ action: 'accept', content: { sure: true } }))),
          });
        const clients = await Promise.all([...REVISIONS, ...REVISIONS].map((revision) => waiting(revision)));
        t.after(() => Promise.all(clients.map((client) => client.close())));
        const calls = clients.map((client) => client.call('publish', { headline: 'late' }));
        // Awaited at the end.
        for (const each of calls) each.catch(() => {});
        await until(() => asked.length === calls.length);

        const [node] = nodes;
        const [stopped] = ports;
        proxy!.takeOut?.(stopped!);
        node!.child.kill('SIGTERM');
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
        const isDraining = async (): Promise<boolean> => {
          const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
          const init = { method: 'POST', body, headers };
          const status = await fetch(`http://localhost:${stopped}/mcp`, init).then(
            (found) => found.status,
            () => 503,
          );
          return status === 503;
        };
        // The stopped node refuses new calls, but no client notices.
        for (let answered = false; node!.child.exitCode === null && node!.child.signalCode === null;) {
          for (const client of clients) assert.equal(await client.call('count', { text: 'a b' }), '2 words');
          await sleep(50);
          if (!answered && (await isDraining())) {
            answered = true;
            for (const answer of asked) answer();
          }
        }
        assert.deepEqual(await Promise.all(calls), Array(calls.length).fill('Published: late'));
        assert.deepEqual(await node!.ended, [null, 'SIGTERM']);
      });
    });
});
