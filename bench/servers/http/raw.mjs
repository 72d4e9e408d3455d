// The floor: collects the body, parses, switches, writes one answer, checks nothing.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { description, others, ready, STEPS } from '../../tools.mjs';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const info = { name: 'raw', version: '1' };
const modern = (claim) =>
  claim === undefined ? {} : { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info } };
const known = new Set();

const answer = ({ method, params }, response) => {
  const more = modern(params?._meta?.['io.modelcontextprotocol/protocolVersion']);
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments.text }], ...more };
  if (method === 'tools/list')
    return { tools: ['echo', ...others].map((name) => ({ name, description, inputSchema })), ...more };
  const id = randomUUID();
  known.add(id);
  response.setHeader('mcp-session-id', id);
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: info };
};

const stream = ({ id, params }, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const { progressToken } = params._meta;
  for (let progress = 1; progress <= STEPS; progress++)
    response.write(
      `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total: STEPS } })}\n\n`,
    );
  const result = {
    content: [{ type: 'text', text: 'done' }],
    ...modern(params._meta['io.modelcontextprotocol/protocolVersion']),
  };
  response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const session = request.headers['mcp-session-id'];
    if (session !== undefined && !known.has(session)) return response.writeHead(404).end();
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.params?.name === 'steps') return stream(message, response);
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message, response) });
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(text));
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
