import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../src/entries/client.ts';
import { serveFetch } from '../src/entries/http.ts';
import { server, tool } from '../src/entries/index.ts';
import { nodeHandler } from '../src/entries/http.ts';
import { serveHttp } from '../src/entries/node.ts';

const app = server({ name: 'x' });
/** An object that a JavaScript program may pass. */
const misspelt = { tiemout: 5 } as object;

test('a misspelt option of a server over HTTP is named, before it listens', async () => {
  await assert.rejects(serveHttp(app, misspelt), { name: 'TypeError', message: /'tiemout'; options are .*\bport\b/ });
  for (const serve of [nodeHandler, serveFetch])
    assert.throws(() => serve(app, misspelt), { name: 'TypeError', message: /'tiemout'; options are path, / });
});

test('a misspelt option of a client is named, before it connects', async () => {
  await assert.rejects(connect(app, misspelt), { name: 'TypeError', message: /'tiemout'; options are .*\btimeout\b/ });
  await assert.rejects(connect('http://127.0.0.1:1', misspelt), { name: 'TypeError', message: /'tiemout'/ });
});

test('a misspelt option of a tool or a server is named', () => {
  assert.throws(() => server({ name: 'x', ...misspelt }), { message: /unknown option 'tiemout'/ });
  assert.throws(() => server({ name: 'x', tools: { a: tool(misspelt, () => '') } }), {
    message: /unknown option 'tiemout'/,
  });
});
