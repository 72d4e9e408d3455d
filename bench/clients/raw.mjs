// The floor of a client: sends a message, parses the answer, checks nothing.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { drive, server } from './drive.mjs';

const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
let lastId = 0;
const messageOf = (text) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: ++lastId,
    method: 'tools/call',
    params: { _meta: CLAIM, name: 'echo', arguments: { text } },
  });

function callOverHttp({ port }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return (text) =>
    new Promise((resolve, reject) => {
      const body = messageOf(text);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
        'content-length': Buffer.byteLength(body),
      };
      const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).result));
      });
      sent.on('error', reject).end(body);
    });
}

function callOverStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)(result);
      waiting.delete(id);
    }
  });
  return (text) =>
    new Promise((resolve) => {
      const message = messageOf(text);
      waiting.set(lastId, resolve);
      child.stdin.write(`${message}\n`);
    });
}

/** Both in one process: one stringify and one parse in each direction. */
function callInMemory() {
  const answer = (text) => {
    const { id, params } = JSON.parse(text);
    const result = { content: [{ type: 'text', text: params.arguments.text }], resultType: 'complete' };
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  };
  return async (text) => {
    await undefined;
    const answered = answer(messageOf(text));
    await undefined;
    return JSON.parse(answered).result;
  };
}

const call = server.memory ? callInMemory() : server.port === undefined ? callOverStdio(server) : callOverHttp(server);
drive(async (text) => (await call(text)).content[0].text);
