// One node of the cluster: node node.ts. Its settings are variables. Prints its port on stdout, and ends with its stdin.

import process from 'node:process';
import { openBus, openStore } from '@tenon/store';
import { serveHttp } from 'tenon/node';
import { createApp, type Fault } from './app.ts';

const {
  CLUSTER_STORE = '',
  CLUSTER_BUS,
  CLUSTER_EFFECTS,
  CLUSTER_LEASE_MS = '30000',
  CLUSTER_PORT = '0',
  CLUSTER_FAULTS,
} = process.env;

const { port } = await serveHttp(createApp(CLUSTER_EFFECTS, CLUSTER_FAULTS?.split(',') as Fault[] | undefined), {
  port: Number(CLUSTER_PORT),
  // Requests come through the balancer, under its name.
  allowedHosts: ['127.0.0.1', 'localhost'],
  store: await openStore(CLUSTER_STORE, { busyMs: 2_000 }),
  bus: CLUSTER_BUS === undefined ? undefined : await openBus(CLUSTER_BUS, { busyMs: 2_000 }),
  keys: ['a key that all nodes of this cluster share'],
  limits: { leaseMs: Number(CLUSTER_LEASE_MS), toolCallsPerMinute: 1_000_000 },
  log: ({ level, event, message, details }) => {
    if (level === 'error') console.error(process.pid, event, message, String(details ?? ''));
  },
});
console.log(port);
