// Wants a token, and sends whoever asks for one into traps. Its argument says which: `address` (default), an authorization endpoint that is
// script; `shell`, one that is a command; `refuses`, one that sends back with texts that are script; `token`, a token endpoint that does.
import { createServer, type ServerResponse } from 'node:http';
import process from 'node:process';
import { ADDRESSES, CANARY, MARKUP } from '../hostile-strings.ts';
import { listen } from '../serving.ts';

const trap = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? 'address';
const bad = MARKUP.join(' ');

const places = new Map([
  ['address', ADDRESSES[0]],
  ['shell', ADDRESSES.at(-1)],
]);

const json = (response: ServerResponse, status: number, value: object, headers = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

const web = createServer((request, response) => {
  const origin = `http://${request.headers.host}`;
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  request.resume();
  switch (pathname) {
    case '/.well-known/oauth-protected-resource/mcp':
      return json(response, 200, {
        ...{ resource: `${origin}/mcp`, authorization_servers: [origin] },
        ...{ resource_name: bad, resource_documentation: ADDRESSES[0] },
      });
    case '/.well-known/oauth-authorization-server':
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: places.get(trap) ?? `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        service_documentation: ADDRESSES[0],
        op_policy_uri: `http://${CANARY}/policy`,
        scopes_supported: [MARKUP[0]],
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    case '/register':
      return json(response, 201, { client_id: bad, client_name: bad, client_uri: ADDRESSES[0] });
    case '/authorize': {
      const back = new URL(searchParams.get('redirect_uri') ?? origin);
      const outcome: Record<string, string> =
        trap === 'token'
          ? { code: 'code' }
          : { error: 'access_denied', error_description: bad, error_uri: ADDRESSES[0]! };
      for (const [name, value] of Object.entries({ ...outcome, state: searchParams.get('state') ?? '', iss: origin }))
        back.searchParams.set(name, value);
      return response.writeHead(302, { location: back.href }).end();
    }
    case '/token':
      return json(response, 400, { error: 'invalid_grant', error_description: bad, error_uri: ADDRESSES[0] });
    default:
      return json(
        response,
        401,
        { error: bad },
        {
          'www-authenticate': `Bearer error="invalid_token", error_description="${MARKUP[0]!.replaceAll('"', "'")}", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        },
      );
  }
});
listen(web, '/mcp');
