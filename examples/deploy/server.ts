// A server for production. Settings that differ between machines come from the environment.
//   PUBLIC_URL       the URL that clients use, such as https://mcp.example.com/mcp
//   ISSUER           the authorization server that issues their tokens
//   HOST, PORT       where to listen: 127.0.0.1 and 3000 by default
//   NOTICE_MS        how long a stopping server still accepts requests, until the load balancer sends no more
//   DRAIN_MS         how long running calls may then take to finish
//   KEEP_ALIVE_MS    how often a quiet stream gets a comment, so that no proxy takes it for dead
//   TENON_STORE, TENON_BUS, TENON_KEYS_FILE   what several nodes share; `serveHttp` reads these by itself
import process from 'node:process';
import { jwt, protectedResource } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { app } from './app.ts';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is missing`);
  return value;
}

const {
  HOST: host = '127.0.0.1',
  PORT = '3000',
  NOTICE_MS = '5000',
  DRAIN_MS = '15000',
  KEEP_ALIVE_MS = '15000',
} = process.env;
const resource = required('PUBLIC_URL');
const issuer = required('ISSUER');

const { url } = await serveHttp(app, {
  host,
  port: Number(PORT),
  // In a container, every request comes from outside of it.
  expose: host === '0.0.0.0',
  allowedHosts: [new URL(resource).hostname],
  // Only behind a proxy that sets it: otherwise callers choose the address by which they are limited.
  addressHeader: 'x-forwarded-for',
  auth: protectedResource({ resource, authorizationServers: [issuer], verify: jwt({ issuer }) }),
  noticeMs: Number(NOTICE_MS),
  drainMs: Number(DRAIN_MS),
  limits: { keepAliveMs: Number(KEEP_ALIVE_MS) },
  // One line of JSON for each entry. Errors have no members of their own, so their stack is written.
  log: (entry) => console.error(JSON.stringify(entry, (_, value) => (value instanceof Error ? value.stack : value))),
});
console.error(`Serving ${resource} at ${url}`);
