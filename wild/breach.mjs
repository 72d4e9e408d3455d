// Stands between Tenon and a server over stdio, and breaks one rule in what the server says.
//   node breach.mjs <breach> <command> …
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [breach, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
/** The methods of the requests that have no answer yet, by id. */
const asked = new Map();

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** What becomes of an answer: what is said in its place. `method`: of the request it answers. */
const breaches = {
  'stdout-noise': (message, method) => {
    if (method === 'tools/list') process.stdout.write('[info] 1 request served\n');
    say(message);
  },
  'not-json-rpc': ({ jsonrpc, ...message }, method) => say(method === 'tools/list' ? message : { jsonrpc, ...message }),
  'duplicate-response': (message, method) => {
    say(message);
    if (method === 'tools/list') say(message);
  },
  'unknown-response': (message, method) => {
    if (method === 'tools/list') say({ jsonrpc: '2.0', id: 987_654, result: {} });
    say(message);
  },
  'response-shape': (message, method) =>
    say(method === 'tools/list' ? { ...message, error: { code: -32_603, message: 'both' } } : message),
  'id-type-changed': (message, method) =>
    say(method === 'tools/list' ? { ...message, id: String(message.id) } : message),
  'id-null': (message, method) => {
    if (method === 'tools/list') say({ jsonrpc: '2.0', id: null, result: {} });
    say(message);
  },
  'list-shape': (message, method) => {
    if (method !== 'tools/list') return say(message);
    say({ ...message, result: { ...message.result, tools: [...message.result.tools, 'a tool'] } });
  },
  'progress-unknown': (message, method) => {
    if (method === 'tools/list')
      say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'nobody', progress: 1 } });
    say(message);
  },
  'log-shape': (message, method) => {
    if (method === 'tools/list')
      say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'loud', data: 'x' } });
    say(message);
  },
  'error-shape': (message, method) =>
    say(method === 'tools/list' ? { jsonrpc: '2.0', id: message.id, error: { message: 'no code' } } : message),
  'cursor-loop': (message, method) =>
    say(method === 'tools/list' ? { ...message, result: { ...message.result, nextCursor: 'again' } } : message),
  'wrong-revision': (message, method) => {
    if (method === 'tools/list') say({ jsonrpc: '2.0', id: 'q', method: 'tools/list', params: {} });
    say(message);
  },
};

const act = breaches[breach];
if (act === undefined) throw new Error(`There is no breach ${breach}`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && method !== undefined) asked.set(id, method);
    child.stdin.write(`${line}\n`);
  })
  .on('close', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  const method = message.method === undefined ? asked.get(message.id) : undefined;
  if (method === undefined) say(message);
  else act(message, method);
});
child.on('exit', (code) => process.exit(code ?? 0));
