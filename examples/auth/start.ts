// A complete local login: an authorization server, a protected server, and a client whose user logs in with the
// browser. Run it:   npm run auth
import { AuthError, loopback, oauth } from 'tenon/auth';
import { connect, ConnectionError } from 'tenon/client';
import process from 'node:process';
import { startAuthority } from './authority.ts';
import { type app, SCOPES, serveNotes } from './server.ts';

const RESOURCE = 'http://127.0.0.1:4001/mcp';

const { issuer, ...authority } = await startAuthority({ port: 4000, resources: new Map([[RESOURCE, SCOPES]]) });
const server = await serveNotes(RESOURCE, issuer);
console.log(`Authorization server  ${issuer}`);
console.log(`Protected server      ${server.url}`);

try {
  await using client = await connect<typeof app>(server.url, {
    auth: oauth({
      name: 'Login example',
      browser: loopback({ show: ({ href }) => console.log(`\nYour browser opens. If it does not: ${href}\n`) }),
    }),
  });
  console.log(`Logged in as          ${await client.call('whoami')}`);
  // Writing requires one more scope, so the user is asked again.
  console.log(`Wrote a note          ${await client.call('write', { text: 'Buy bread' })}`);
  console.log(`Notes                 ${await client.call('list')}`);
} catch (error) {
  const why = error instanceof ConnectionError && error.cause instanceof AuthError ? error.cause : (error as Error);
  console.error(why.message);
  process.exitCode = 1;
}

if (process.stdin.isTTY) {
  console.log('\nPress Ctrl+C to stop. Log in from another terminal:');
  console.log(`  npx tenon login ${server.url}\n  npx tenon call write text="Buy apples" --auth -- ${server.url}`);
  await new Promise((resolve) => process.once('SIGINT', resolve));
}
await server.close();
await authority.close();
