// Servers in separate processes that share a store, and the requests that are sent to them.

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ENDS_WITH_PARENT } from '../../../scripts/lib/ends-with-parent.ts';

const running = new Set<ServerProcess>();

/** A server in its own process. */
export class ServerProcess {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly url: Promise<string>;
  readonly ended: Promise<void>;

  constructor({ address, effectsFile, leaseMs }: Place, diesAt = '') {
    const args = [...ENDS_WITH_PARENT, join(import.meta.dirname, 'fixtures/server.ts'), address, effectsFile];
    this.process = spawn(process.execPath, [...args, String(leaseMs), diesAt], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.stdin.on('error', () => {});
    running.add(this);
    this.ended = new Promise((resolve) =>
      this.process.on('close', () => {
        running.delete(this);
        resolve();
      }),
    );
    this.url = new Promise((resolve, reject) => {
      createInterface({ input: this.process.stdout }).once('line', resolve);
      void this.ended.then(() => reject(new Error('The server ended before it listened')));
    });
    this.url.catch(() => {});
  }

  /** Ends it as abruptly as a power cut. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }
}

/** The files that servers share. */
export interface Place {
  readonly address: string;
  readonly effectsFile: string;
  readonly leaseMs: number;
  /** How many times each effect happened, by its name. */
  effects(): ReadonlyMap<string, number>;
  /** `diesAt`: it kills itself at a moment of storing something, such as `before task/`. */
  start(diesAt?: string): ServerProcess;
}

const folder = mkdtempSync(join(tmpdir(), 'tenon-store-'));
let places = 0;

/** A new store, and a new file of effects. */
export function newPlace(leaseMs = 30_000): Place {
  const effectsFile = join(folder, `${++places}.txt`);
  writeFileSync(effectsFile, '');
  const place: Place = {
    address: `sqlite:${join(folder, `${places}.db`)}`,
    effectsFile,
    leaseMs,
    effects() {
      const counts = new Map<string, number>();
      for (const line of readFileSync(effectsFile, 'utf8').split('\n').slice(0, -1))
        counts.set(line, (counts.get(line) ?? 0) + 1);
      return counts;
    },
    start: (diesAt) => new ServerProcess(place, diesAt),
  };
  return place;
}

/** Ends all servers, and removes their files. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((server) => server.kill()));
  rmSync(folder, { recursive: true, force: true });
}

const JSON_FIELDS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const TASKS = 'io.modelcontextprotocol/tasks';
let lastId = 0;

/** A JSON-RPC response. */
export interface Reply {
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A request of 2026-07-28, by a client that accepts tasks. */
export function modernRequest(method: string, params: Readonly<Record<string, unknown>>): RequestInit {
  const name = params['name'] ?? params['taskId'];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { [TASKS]: {} } },
  };
  return {
    method: 'POST',
    headers: {
      ...JSON_FIELDS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: meta } }),
  };
}

/** Sends a request, and reads the response to it. Rejects if the connection breaks. */
export async function send(url: string, request: RequestInit): Promise<Reply> {
  const response = await fetch(url, request);
  const text = await response.text();
  if (response.headers.get('content-type')?.startsWith('application/json') === true) return JSON.parse(text) as Reply;
  const messages = [...text.matchAll(/^data: ?(.+)$/gm)].map(([, json]) => JSON.parse(json!) as Reply);
  const reply = messages.findLast((message) => 'result' in message || 'error' in message);
  assert.ok(reply, `no response in: ${response.status} ${text}`);
  return reply;
}

export function modern(url: string, method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
  return send(url, modernRequest(method, params));
}

/** A session of a client of 2025-11-25, at any of the servers. */
export class Session {
  readonly id: string;

  private constructor(id: string) {
    this.id = id;
  }

  static async begin(url: string): Promise<Session> {
    const capabilities = { elicitation: {} };
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const response = await fetch(url, { method: 'POST', headers: JSON_FIELDS, body });
    assert.equal(response.status, 200, await response.text());
    const session = new Session(response.headers.get('mcp-session-id')!);
    const noted = await fetch(url, session.message({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    assert.equal(noted.status, 202);
    return session;
  }

  get headers(): Record<string, string> {
    return { ...JSON_FIELDS, 'mcp-session-id': this.id, 'mcp-protocol-version': '2025-11-25' };
  }

  message(message: object): RequestInit {
    return { method: 'POST', headers: this.headers, body: JSON.stringify(message) };
  }

  request(url: string, method: string, params: object = {}): Promise<Reply> {
    return send(url, this.message({ jsonrpc: '2.0', id: ++lastId, method, params }));
  }
}
