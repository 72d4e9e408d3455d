// A server on a real port, and helpers to send it requests.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type LogEntry, type Revision } from '../../src/entries/index.ts';
import { serveHttp, type ServedHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import { makeApp } from './app.ts';
import { beginSession, fieldsOf, type LegacySession, modernBody } from './requests.ts';
import { type Answer, type Fields, send } from './send.ts';

export * from './requests.ts';

export interface Stage extends Omit<ServedHttp, 'close'> {
  readonly made: ReturnType<typeof makeApp>;
  readonly log: LogEntry[];
  count(name: string): number;
  close(): Promise<void>;
  /** A modern request. */
  modern(
    method: string,
    params?: { name?: string; uri?: string; [key: string]: unknown },
    more?: Fields,
    meta?: object,
  ): Promise<Answer>;
  call(name: string, args?: object, more?: Fields, meta?: object): Promise<Answer>;
  /** Begins a legacy session and initializes it. */
  session(revision?: Revision, capabilities?: object, more?: Fields): Promise<LegacySession>;
  /** Does the server still work? Every test case ends with this. */
  checkWorks(): Promise<void>;
}

/** Serves on a free port until the test file has ended. */
export async function stage(options: ServeHttpOptions = {}, made = makeApp()): Promise<Stage> {
  const log: LogEntry[] = [];
  const served = await serveHttp(made.app, {
    port: 0,
    signals: false,
    drainMs: 200,
    log: (entry) => void log.push(entry),
    ...options,
  });
  after(() => served.close());
  const modern: Stage['modern'] = (method, params = {}, more = {}, meta = {}) =>
    send(served.url, 'POST', fieldsOf(method, params.name ?? params.uri, more), modernBody(method, params, meta));
  return {
    ...served,
    made,
    log,
    count: (name) => made.counts.get(name) ?? 0,
    modern,
    call: (name, args = {}, more = {}, meta = {}) => modern('tools/call', { name, arguments: args }, more, meta),
    session: (revision, capabilities, more) => beginSession(served.url, revision, capabilities, more),
    async checkWorks() {
      const answer = await modern('tools/call', { name: 'echo', arguments: { v: 'well' } });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.result.content[0].text, '"well"');
      assert.equal(
        /SECRETPW|node_modules|\.ts:\d/.test(JSON.stringify(log.filter(({ event }) => event !== 'handler-failed'))),
        false,
      );
    },
  };
}

/** An error that no test waits for fails the test file. */
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => {
    console.error(`${event}:`, error);
    process.exitCode = 1;
  });
}
