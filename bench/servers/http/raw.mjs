// The floor: the least that these answers cost on node:http. It checks nothing, keeps nothing, and does whatever makes it faster: every
// answer is one write with its length, headers are an array, and texts that are always the same are made once. All texts of the benchmark
// are ASCII, so a character is a byte, in and out.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { BIG, description, others, page, ready, STEPS } from '../../tools.mjs';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = JSON.stringify(
  ['echo', 'steps', 'big', ...others].map((name) => ({ name, description, inputSchema })),
).slice(1, -1);
const contents = JSON.stringify({ contents: [{ uri: page.uri, mimeType: page.mimeType, text: page.text }] }).slice(
  1,
  -1,
);
/** What a modern result has besides. */
const MORE = ',"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raw","version":"1"}}';

function resultOf({ method, params }) {
  if (method === 'tools/list') return `"tools":[${tools}]`;
  if (method === 'resources/read') return contents;
  const text = params.name === 'big' ? BIG : params.arguments.text;
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}

function eventsOf({ id, params }, more) {
  const step = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(params._meta.progressToken)},"total":${STEPS},"progress":`;
  let events = '';
  for (let progress = 1; progress <= STEPS; progress++) events += `${step}${progress}}}\n\n`;
  return `${events}event: message\ndata: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"done"}]${more}}}\n\n`;
}

function send(response, type, text) {
  response.writeHead(200, ['content-type', type, 'content-length', String(text.length)]);
  response.end(text, 'latin1');
}

function begin({ id, params }, response) {
  const result = {
    protocolVersion: params.protocolVersion,
    capabilities: {},
    serverInfo: { name: 'raw', version: '1' },
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id, result });
  response.writeHead(200, [
    'content-type',
    'application/json',
    'content-length',
    text.length,
    'mcp-session-id',
    randomUUID(),
  ]);
  response.end(text);
}

function answer(message, response) {
  const { id, method, params } = message;
  if (id === undefined) return response.writeHead(202).end();
  if (method === 'initialize') return begin(message, response);
  const more = params._meta?.[VERSION] === undefined ? '' : MORE;
  if (params.name === 'steps') return send(response, 'text/event-stream', eventsOf(message, more));
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${resultOf(message)}${more}}}`;
  return send(response, 'application/json', text);
}

const server = createServer((request, response) => {
  // The headers are never looked at: Node makes the object only when it is asked for.
  let text = '';
  request.on('data', (chunk) => void (text += chunk.latin1Slice()));
  request.on('end', () => answer(JSON.parse(text), response));
});
server.listen(0, '127.0.0.1', () => ready(server.address().port));
