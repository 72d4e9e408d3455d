// A server that wants tokens, and beside it an authorization server (oidc-provider) with a page to log in and a page to agree.
import { server, tool } from 'tenon';
import { jwt, protectedResource } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { announce, freePort } from '../serving.ts';

const app = server({
  name: 'protected',
  version: '1.0.0',
  tools: {
    whoami: tool({ description: 'Who is logged in', readOnly: true }, (_, { principal }) => principal?.id ?? 'nobody'),
    write: tool({ description: 'Needs a scope more', scopes: ['notes:write'] }, () => 'Written'),
  },
});

/** The authorization server of the examples, which belong to no package. */
interface Examples {
  startAuthority(options: {
    readonly resources: ReadonlyMap<string, readonly string[]>;
    readonly lifeS?: number;
  }): Promise<{ readonly issuer: string }>;
}
const place = new URL('../../../../../examples/auth/authority.ts', import.meta.url).href;
const { startAuthority } = (await import(place)) as Examples;

const port = await freePort();
const resource = `http://127.0.0.1:${port}/mcp`;
const scopesSupported = ['notes:read', 'notes:write'];
const { issuer } = await startAuthority({ resources: new Map([[resource, scopesSupported]]) });
const auth = protectedResource({
  resource,
  authorizationServers: [issuer],
  verify: jwt({ issuer }),
  scopes: ['notes:read'],
  scopesSupported,
});
const { url } = await serveHttp(app, { port, signals: false, auth });
announce(url);
