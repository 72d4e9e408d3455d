// What a client does, in plain JavaScript that any runtime runs. Gives how many things were right; throws at the first that is not.
import { memoryTokens, oauth, protectedResource } from 'tenon/auth';
import { connect } from 'tenon/client';

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

function same(what, found, expected) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

/** `alone`: the server keeps nothing between requests. */
export async function check(url, options = {}, alone = false) {
  let right = 0;
  const auth = oauth({ browser: { open: () => Promise.reject(new Error('nobody is asked')) }, store: memoryTokens() });
  const is = (what, found, expected) => {
    same(what, found, expected);
    right++;
  };
  for (const revision of alone ? REVISIONS.slice(0, 1) : REVISIONS) {
    const client = await connect(url, {
      ...options,
      auth,
      revision,
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    try {
      is('the revision', client.revision, revision);
      const names = (await client.tools().all()).map(({ name }) => name);
      is('the tools', names.includes('add') && names.includes('plain'), true);
      // Structured content came with 2025-06-18; before, the text has the same.
      const sum = await client.call('add', { a: 2, b: 40 });
      is('a call', typeof sum === 'string' ? JSON.parse(sum) : sum, { sum: 42 });
      is('a plain schema', await client.call('plain', { text: 'abc' }), 'plain abc');
      const refused = await client.call('plain', { text: 'too long' }).catch((error) => error.name);
      is('wrong arguments', refused, 'ToolError');
      const seen = [];
      await client.call('steps', {}, { onProgress: ({ progress }) => seen.push(progress) });
      is('progress', seen, [1, 2, 3]);
      if (revision >= '2025-06-18') is('a question', await client.call('ask'), 'Hello, Ada');
      if (alone) continue;
      const watch = client.watch({ list: 'tools' });
      await watch.ready;
      await client.call('grow');
      for await (const change of watch) {
        is('a change', change.list, 'tools');
        break;
      }
      is('a tool that is new', await client.call('grown'), 'new');
      await client.call('shrink');
    } finally {
      await client.close();
    }
  }
  const gate = protectedResource({
    resource: 'https://mcp.example.com/mcp',
    authorizationServers: ['https://as.example.com'],
    verify: () => undefined,
  });
  const denied = await gate.authenticate({ method: 'POST', path: '/mcp', header: () => undefined });
  is('a server that wants a token', denied.status, 401);
  return right;
}
