// For the tests of the benchmark: it answers rightly for a while, and then as REFUSES says.
import { createServer } from 'node:http';
import process from 'node:process';
import { ready } from '../../tools.mjs';

const RIGHT = 20;
let answered = 0;

function answerTo(id) {
  const result = { content: [{ type: 'text', text: 'hello world' }] };
  if (++answered <= RIGHT) return { jsonrpc: '2.0', id, result };
  const how = process.env['REFUSES'];
  if (how === 'error') return { jsonrpc: '2.0', id, error: { code: -32603, message: 'Too busy' } };
  if (how === 'text') return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'something else' }] } };
  return { jsonrpc: '2.0', id: how === 'id' ? id + 1 : id, result };
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => void (text += chunk));
  request.on('end', () => {
    const answer = answerTo(JSON.parse(text).id);
    const refused = answered > RIGHT && process.env['REFUSES'] === 'status';
    response.writeHead(refused ? 503 : 200, { 'content-type': 'application/json' });
    response.end(refused ? 'Come back later' : JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
