// A store in a cluster of two nodes of Redis, by the address of the node that does not have its keys.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Redis } from 'ioredis';
import { openStore } from '@tenon/store';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { startRedis } from '../../../scripts/lib/redis-server.ts';
import { until } from '../../../scripts/lib/until.ts';

async function startNode() {
  // By default it is 10,000 above the port of a node, where the system takes ports for connections.
  const clusterPort = String(await freePort());
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '60000', '--cluster-port', clusterPort];
  return { ...(await startRedis(settings)), clusterPort };
}

const nodes = await Promise.all([startNode(), startNode()]);
const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
after(async () => {
  for (const client of clients) client.disconnect();
  for (const node of nodes) await node.stop();
});

test('a store in a cluster has all its keys on one node, which is found from every node', async () => {
  const [owner, other] = clients as [Redis, Redis];
  await owner.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await owner.call('CLUSTER', 'MEET', '127.0.0.1', String(nodes[1]!.port), nodes[1]!.clusterPort);
  const isUp = async (client: Redis) => /cluster_state:ok/.test(String(await client.call('CLUSTER', 'INFO')));
  await until(async () => (await isUp(owner)) && (await isUp(other)));
  const stores = await Promise.all(nodes.map(({ address }) => openStore(address)));
  const [a, b] = stores as [(typeof stores)[0], (typeof stores)[0]];
  assert.equal(await b.append('log', 1, 1e9), 1);
  assert.equal(await a.append('log', 2, 1e9), 2);
  assert.equal(await b.add('added', 1, 1e9, 'owner'), true);
  assert.deepEqual(await a.keys('', undefined, 5), ['added']);
  assert.deepEqual([await owner.dbsize(), await other.dbsize()], [8, 0]);
  for (const store of stores) await store.close();
});
