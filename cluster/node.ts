// One node of the cluster: node node.ts. Its settings are variables. Prints its port on stdout, and that of its protected endpoint if it has
// one, and ends with its stdin.

import process from 'node:process';
import { openBus, openStore } from '@tenon/store';
import type { Limits } from 'tenon';
import { serveHttp, type ServeHttpOptions } from 'tenon/node';
import { createApp, type Fault } from './app.ts';
import { forgetLogins, protect } from './protected.ts';

const {
  CLUSTER_STORE = '',
  CLUSTER_BUS,
  CLUSTER_EFFECTS,
  CLUSTER_LIMITS = '{}',
  CLUSTER_PORT = '0',
  CLUSTER_FAULTS,
  CLUSTER_RESOURCE = '',
  CLUSTER_ISSUER,
} = process.env;

const faults = CLUSTER_FAULTS?.split(',') as Fault[] | undefined;
const app = createApp(CLUSTER_EFFECTS, faults);
const keys = ['a key that all nodes of this cluster share'];
const store = await openStore(CLUSTER_STORE, { busyMs: 2_000 });
const options: ServeHttpOptions = {
  // Requests come through the balancer, under its name.
  allowedHosts: ['127.0.0.1', 'localhost'],
  store,
  bus: CLUSTER_BUS === undefined ? undefined : await openBus(CLUSTER_BUS, { busyMs: 2_000 }),
  keys,
  // The balancer asks every node four times a second.
  noticeMs: 1_000,
  limits: { toolCallsPerMinute: 1_000_000, ...(JSON.parse(CLUSTER_LIMITS) as Partial<Limits>) },
  log: ({ level, event, message, details }) => {
    if (level === 'error') console.error(process.pid, event, message, String(details ?? ''));
  },
};
const ports = [(await serveHttp(app, { ...options, port: Number(CLUSTER_PORT) })).port];
if (CLUSTER_ISSUER !== undefined) {
  const gatekeeper = protect({ resource: CLUSTER_RESOURCE, issuer: CLUSTER_ISSUER }, store, keys);
  const auth = faults?.includes('forgets-logins') === true ? forgetLogins(gatekeeper) : gatekeeper;
  ports.push((await serveHttp(app, { ...options, port: 0, auth })).port);
}
console.log(ports.join(' '));
