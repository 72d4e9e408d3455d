// Tests with a machine that is suspended for an hour.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { server, tool } from 'tenon';
import { revisions } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import type { ServerConfig } from '../src/index.ts';
import { until } from './kit.ts';

const SLEEPER = fileURLToPath(new URL('fixtures/sleeper.ts', import.meta.url));

/** The network between a host and a server, which can be cut. Counts concurrent connection attempts of the host. */
async function networkTo(first: string) {
  let target = first;
  let connecting = 0;
  let most = 0;
  const passOn = (): Server =>
    createServer(async (from, to) => {
      let body = '';
      for await (const chunk of from) body += String(chunk);
      const begins = /"method":"(?:initialize|server\/discover)"/.test(body);
      if (begins) most = Math.max(most, ++connecting);
      to.once('close', () => void (begins && connecting--));
      const { host: _host, connection: _connection, ...headers } = from.headers;
      const onward = request(new URL(from.url!, target), { method: from.method!, headers }, (answer) => {
        to.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(to);
      });
      onward.on('error', () => to.destroy());
      to.once('close', () => onward.destroy());
      onward.end(body);
    });
  let network = passOn();
  const listen = async (port: number): Promise<void> =>
    void (await once(network.listen(port, '127.0.0.1'), 'listening'));
  await listen(0);
  const { port } = network.address() as AddressInfo;
  return {
    url: new URL(new URL(target).pathname, `http://127.0.0.1:${port}`).href,
    most: () => most,
    cut() {
      network.closeAllConnections();
      network.close();
      most = 0;
    },
    async mend(next: string) {
      target = next;
      network = passOn();
      await listen(port);
    },
  };
}

test(
  '[F-80] after an hour of suspension with all connections cut, every server is available again, with one attempt at a time',
  { skip: process.platform === 'win32' ? 'Windows freezes no processes' : false },
  async () => {
    let slow = 0;
    const app = server({
      name: 'web',
      tools: { now: tool({}, () => 'here'), slow: tool({}, () => (slow++, new Promise<never>(() => {}))) },
    });
    const [served, next] = await Promise.all([
      serveHttp(app, { port: 0, drainMs: 100 }),
      serveHttp(app, { port: 0, drainMs: 100 }),
    ]);
    const networks = await Promise.all(revisions.map(() => networkTo(served.url)));
    const servers = revisions.map((revision, index): ServerConfig => ({
      alias: `s${index}`,
      launch: { kind: 'http', url: networks[index]!.url, headers: {} },
      revision,
    }));
    const child = spawn(process.execPath, [SLEEPER, JSON.stringify(servers)], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      assert.deepEqual(
        JSON.parse((await lines.next()).value as string),
        revisions.map(() => 'ready'),
      );
      // One call of each server is in progress.
      await until(() => slow === servers.length);
      child.kill('SIGSTOP');
      for (const network of networks) network.cut();
      child.stdin.write('wake\n');
      child.kill('SIGCONT');
      // The network returns a little later than the machine, and the server has lost its sessions.
      assert.equal((await lines.next()).value, '"in vain"');
      for (const network of networks) await network.mend(next.url);
      const tries = JSON.parse((await lines.next()).value as string) as Record<string, number>;
      assert.deepEqual(Object.keys(tries).sort(), servers.map(({ alias }) => alias).sort());
      // At most one every tenth of a second, for ten seconds.
      for (const [alias, count] of Object.entries(tries)) assert.ok(count < 100, `${alias} was tried ${count} times`);
      for (const [index, network] of networks.entries()) {
        const begins = revisions[index] === '2026-07-28' ? 0 : 1;
        assert.equal(network.most(), begins, `${network.most()} at a time with ${revisions[index]}`);
      }
    } finally {
      child.kill('SIGKILL');
      for (const network of networks) network.cut();
      await Promise.all([served.close(), next.close()]);
    }
  },
);
