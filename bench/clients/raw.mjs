// The floor of a client: sends a message, parses the answer, checks nothing, and does whatever makes it faster.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { drive, server } from './drive.mjs';

const CLAIM =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}';
let lastId = 0;
function messageOf(text) {
  return `{"jsonrpc":"2.0","id":${++lastId},"method":"tools/call","params":{"_meta":${CLAIM},"name":"echo","arguments":{"text":${JSON.stringify(text)}}}}`;
}

function callOverHttp({ port }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const fields = [
    ['host', `127.0.0.1:${port}`],
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
    ['mcp-protocol-version', '2026-07-28'],
    ['mcp-method', 'tools/call'],
    ['mcp-name', 'echo'],
  ];
  return (text) =>
    new Promise((resolve, reject) => {
      const body = messageOf(text);
      const headers = [...fields, ['content-length', body.length]];
      const options = { port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers };
      const sent = request(options, (response) => {
        let answer = '';
        // All texts of the benchmark are ASCII.
        response.on('data', (chunk) => void (answer += chunk.latin1Slice()));
        response.on('end', () => resolve(JSON.parse(answer).result));
      });
      sent.on('error', reject).end(body);
    });
}

function callOverStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('latin1').on('data', (chunk) => {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const { id, result } = JSON.parse(text.slice(start, end));
      waiting.get(id)(result);
      waiting.delete(id);
      start = end + 1;
    }
    rest = text.slice(start);
  });
  let out = '';
  /** Everything that is said in one turn is one write. */
  const flush = () => {
    child.stdin.write(out, 'latin1');
    out = '';
  };
  return (text) =>
    new Promise((resolve) => {
      if (out === '') process.nextTick(flush);
      out += `${messageOf(text)}\n`;
      waiting.set(lastId, resolve);
    });
}

/** Both in one process: objects are handed over, and each side waits for its turn. */
function callInMemory() {
  const answer = ({ arguments: { text } }) => ({ content: [{ type: 'text', text }], resultType: 'complete' });
  return async (text) => {
    await undefined;
    const result = answer({ name: 'echo', arguments: { text } });
    await undefined;
    return result;
  };
}

const call = server.memory ? callInMemory() : server.port === undefined ? callOverStdio(server) : callOverHttp(server);
drive(async (text) => (await call(text)).content[0].text);
