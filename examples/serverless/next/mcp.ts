// The handler of both routes.
import process from 'node:process';
import { jwt, protectedResource } from 'tenon/auth';
import { serveFetch } from 'tenon/http';
import { app } from '../app.ts';

const { PUBLIC_URL = 'http://localhost:3000/mcp', ISSUER = 'https://as.example.com', MCP_KEY } = process.env;

export const mcp = serveFetch(app, {
  allowedHosts: [new URL(PUBLIC_URL).hostname],
  auth: protectedResource({ resource: PUBLIC_URL, authorizationServers: [ISSUER], verify: jwt({ issuer: ISSUER }) }),
  // Vercel puts the client's address there, and removes what the client wrote.
  addressHeader: 'x-forwarded-for',
  // The next request may go to another instance, so a call that asks the user is continued with the key alone.
  keys: MCP_KEY === undefined ? undefined : [MCP_KEY],
  sessions: false,
});
