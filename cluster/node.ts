// One node of the cluster: node node.ts. Its settings are variables. Prints its port on stdout, and that of its protected endpoint if it has
// one, and ends with its stdin.

import process from 'node:process';
import { openBus, openStore } from '@tenon/store';
import type { Limits } from 'tenon';
import { type AuthRequest, memoryStore } from 'tenon/http';
import { serveHttp, type ServeHttpOptions } from 'tenon/node';
import { createApp, type Fault } from './app.ts';
import { forgetLogins, protect } from './protected.ts';

const {
  CLUSTER_STORE,
  CLUSTER_BUS,
  CLUSTER_EFFECTS,
  CLUSTER_LIMITS = '{}',
  CLUSTER_PORT = '0',
  CLUSTER_FAULTS,
  CLUSTER_USERS,
  CLUSTER_RESOURCE = '',
  CLUSTER_ISSUER,
} = process.env;

const faults = CLUSTER_FAULTS?.split(',') as Fault[] | undefined;
const app = createApp(CLUSTER_EFFECTS, faults);
const keys = ['a key that all nodes of this cluster share'];
const store = CLUSTER_STORE === undefined ? memoryStore() : await openStore(CLUSTER_STORE, { busyMs: 2_000 });
const options: ServeHttpOptions = {
  // Requests come through the balancer, under its name.
  allowedHosts: ['127.0.0.1', 'localhost'],
  store,
  bus: CLUSTER_BUS === undefined ? undefined : await openBus(CLUSTER_BUS, { busyMs: 2_000 }),
  keys,
  // The balancer asks every node four times a second.
  noticeMs: 1_000,
  limits: { toolCallsPerMinute: 10_000_000, sessions: 100_000, ...(JSON.parse(CLUSTER_LIMITS) as Partial<Limits>) },
  log: ({ level, event, message, details }) => {
    if (level === 'error') console.error(process.pid, event, message, String(details ?? ''));
  },
};
// Users who are left out must not make a server public, so `auth` may not be undefined.
const users = CLUSTER_USERS === undefined ? {} : { auth: (call: AuthRequest) => ({ id: call.header('x-user') ?? '' }) };
const ports = [(await serveHttp(app, { ...options, ...users, port: Number(CLUSTER_PORT) })).port];
if (CLUSTER_ISSUER !== undefined) {
  const gatekeeper = protect({ resource: CLUSTER_RESOURCE, issuer: CLUSTER_ISSUER }, store, keys);
  const guard = faults?.includes('forgets-logins') === true ? forgetLogins(gatekeeper) : gatekeeper;
  ports.push((await serveHttp(app, { ...options, auth: guard, port: 0 })).port);
}
console.log(ports.join(' '));
