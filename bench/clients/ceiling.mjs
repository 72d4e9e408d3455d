// The ceiling of a client: what a careful programmer would write by hand for this one call, with the checks that answers need.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { answer, checkClaim, envelope, isObject, MOST, readMessage } from '../servers/ceiling.mjs';
import { drive, server } from './drive.mjs';

const REQUEST_MS = 60_000;
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
let lastId = 0;
function messageOf(id, text) {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { _meta: CLAIM, name: 'echo', arguments: { text } },
  });
}

/** The result of a response, checked; a response with an error throws. */
function resultOf(message) {
  if (isObject(message.error)) throw new Error(`${message.error.code}: ${message.error.message}`);
  const { result } = message;
  if (!isObject(result)) throw new Error('The response has no result');
  if (result.resultType !== 'complete') throw new Error('The result is not complete');
  if (!Array.isArray(result.content)) throw new Error('The result has no content');
  for (const item of result.content)
    if (!isObject(item) || typeof item.type !== 'string' || (item.type === 'text' && typeof item.text !== 'string'))
      throw new Error('The content is malformed');
  return result;
}

function isResponse(message) {
  return isObject(message) && message.jsonrpc === '2.0' && message.method === undefined;
}

/** The response to a request in the body of an HTTP answer. */
function responseIn(type, text, id) {
  const messages = type.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => JSON.parse(data))
    : [JSON.parse(text)];
  const response = messages.find((message) => isResponse(message) && message.id === id);
  if (response === undefined) throw new Error('There is no response in the answer');
  return response;
}

/** Calls that wait for an answer, with one clock for all of them. */
function waitingCalls() {
  const waiting = new Map();
  setInterval(() => {
    const oldest = performance.now() - REQUEST_MS;
    for (const [id, { began, reject }] of waiting)
      if (began < oldest && waiting.delete(id)) reject(new Error('The request timed out'));
  }, 1_000).unref();
  const settle = (message) => {
    if (!isResponse(message)) return;
    const call = waiting.get(message.id);
    if (call === undefined) return;
    waiting.delete(message.id);
    try {
      call.resolve(resultOf(message));
    } catch (error) {
      call.reject(error);
    }
  };
  return { waiting, settle };
}

function callOverHttp({ port }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { waiting } = waitingCalls();
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
      const id = ++lastId;
      const body = messageOf(id, text);
      const headers = [...fields, ['content-length', Buffer.byteLength(body)]];
      const options = { port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers };
      const fail = (error) => {
        waiting.delete(id);
        sent.destroy();
        reject(error);
      };
      const sent = request(options, (response) => {
        const { statusCode, headers: received } = response;
        const chunks = [];
        let size = 0;
        response.on('data', (chunk) => {
          size += chunk.length;
          if (size > MOST) fail(new Error('The answer is too large'));
          else chunks.push(chunk);
        });
        response.on('end', () => {
          waiting.delete(id);
          try {
            if (statusCode !== 200) throw new Error(`The server answered with status ${statusCode}`);
            const whole = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString();
            resolve(resultOf(responseIn(received['content-type'] ?? '', whole, id)));
          } catch (error) {
            reject(error);
          }
        });
        response.on('error', fail);
      });
      sent.on('error', fail);
      waiting.set(id, { reject: fail, began: performance.now() });
      sent.end(body);
    });
}

function callOverStdio({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { waiting, settle } = waitingCalls();
  const fail = (error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.on('error', fail).on('close', () => fail(new Error('The server ended')));
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n', rest.length); end !== -1; end = text.indexOf('\n', start)) {
      try {
        settle(JSON.parse(text.slice(start, end)));
      } catch {
        // A line that is not JSON is no message, and concerns no call.
      }
      start = end + 1;
    }
    rest = text.slice(start);
    if (rest.length > MOST) child.kill();
  });
  let out = '';
  const flush = () => {
    child.stdin.write(out);
    out = '';
  };
  return (text) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      if (out === '') process.nextTick(flush);
      out += `${messageOf(id, text)}\n`;
      waiting.set(id, { resolve, reject, began: performance.now() });
    });
}

/** Both in one process. Texts are handed over, so that neither side holds an object of the other. */
function callInMemory() {
  const { waiting, settle } = waitingCalls();
  const serve = (text) => {
    const message = readMessage(JSON.parse(text));
    const outcome = message.refused ?? checkClaim(message) ?? answer(message, () => {});
    const answered = envelope(message.id, outcome);
    queueMicrotask(() => settle(JSON.parse(answered)));
  };
  return (text) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject, began: performance.now() });
      const message = messageOf(id, text);
      queueMicrotask(() => serve(message));
    });
}

const call = server.memory ? callInMemory() : server.port === undefined ? callOverStdio(server) : callOverHttp(server);
drive(async (text) => (await call(text)).content[0].text);
