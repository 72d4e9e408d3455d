// Real programs that violate the protocol, end, or do not exist: the right side is blamed, with evidence.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { Client } from 'tenon/client';
import { fakeClock } from 'tenon/testing';
import { tapStdio } from '../src/record/stdio-tap.ts';
import type { Finding } from '../src/rules/finding.ts';
import { command, listening } from './fixtures/launch.ts';
import { judged, record, type Recorded } from './recorded.ts';

function of({ findings }: Recorded, rule: string): readonly Finding[] {
  return findings.filter((finding) => finding.rule === rule);
}

/** The only finding of a rule, and the texts that it cites. */
function one(recorded: Recorded, rule: string): Finding & { readonly cited: readonly string[] } {
  const found = of(recorded, rule);
  assert.equal(found.length, 1, JSON.stringify(recorded.findings.map((finding) => [finding.rule, finding.message])));
  return { ...found[0]!, cited: found[0]!.evidence.map((n) => recorded.lines[n - 1]!.text) };
}

/** All errors, with the side that is blamed. */
function errors({ findings }: Recorded): string[] {
  return [
    ...new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule, blame }) => `${rule} ${blame}`)),
  ];
}

function call(name: string, args: Record<string, unknown> = {}) {
  return (client: Client) =>
    client
      .tools()
      .all()
      .then(() => client.result(name, args));
}

describe('who is to blame', { concurrency: 2 }, () => {
  it('structured content that violates its schema: the server, although the client reports the error', async () => {
    const recorded = await record(command('wrong-output'), 'stdio', call('forecast', { city: 'Oslo' }));
    assert.match(String(recorded.failure), /output schema/);
    assert.deepEqual(errors(recorded), ['output-schema server']);
    const { message, cited } = one(recorded, 'output-schema');
    assert.match(message, /structuredContent of forecast violates its own outputSchema: celsius/);
    assert.match(cited[0]!, /"outputSchema"/);
    assert.match(cited[1]!, /"forecast"/);
    assert.match(cited[2]!, /"structuredContent"/);
  });

  it('structured content that is missing: the server', async () => {
    const recorded = await record(command('wrong-output'), 'stdio', call('missing', { city: 'Oslo' }));
    assert.deepEqual(errors(recorded), ['output-missing server']);
  });

  it('noise on stdout: the server, with each line and what it is', async () => {
    const recorded = await record(command('banner'), 'stdio', call('hello'));
    assert.equal(recorded.failure, undefined);
    assert.deepEqual(errors(recorded), ['stdout-noise server']);
    const messages = of(recorded, 'stdout-noise').map(({ message }) => message);
    assert.match(messages[0]!, /a banner: "Server listening on port 3000"/);
    assert.match(messages[1]!, /coloured output for a terminal: "\\u001b\[32m✔/);
    assert.match(messages[2]!, /a line of a structured log/);
  });

  it('an answer swallowed by noise: the server, not a slow answer', async () => {
    const clock = fakeClock();
    let answered = (): void => {};
    const noise = new Promise<void>((resolve) => (answered = resolve));
    const act = async (client: Client): Promise<void> => {
      const result = client.result('glued' as never, {} as never, { timeout: 500 } as never);
      result.catch(() => {});
      await noise;
      await clock.advance(500);
      await result;
    };
    const recorded = await record(command('banner'), 'stdio', act, {
      clock,
      onTrace: ({ kind, text }) => kind === 'junk' && text.startsWith('Working...') && answered(),
    });
    assert.match(String(recorded.failure), /TimeoutError/);
    assert.ok(
      of(recorded, 'stdout-noise').some(({ message }) =>
        /a message behind other text: "Working\.\.\. \{/.test(message),
      ),
    );
  });

  it('a flood of logs: the sender', async () => {
    // In the time of the trace all of them come within a second, however slow the machine is.
    const recorded = await record(command('flood'), 'stdio', call('flood', { count: 5_000 }), {}, 0.001);
    assert.equal(recorded.failure, undefined);
    const { blame, severity, message } = one(recorded, 'flood');
    assert.deepEqual([blame, severity], ['server', 'info']);
    assert.match(message, /most of them notifications\/message/);
    assert.deepEqual(errors(recorded), []);
  });

  it('a damaged argument: the client', async () => {
    const recorded = await record(command('official-v1'), 'stdio', async (client) => {
      await client.tools().all();
      await client.request('tools/call', { name: 'add', arguments: { a: null, b: '2' } }).catch(() => {});
    });
    const { blame, message } = one(recorded, 'input-schema');
    assert.equal(blame, 'client');
    assert.match(
      message,
      /arguments of add violate its inputSchema: a: must be a number, got null; b: must be a number, got a string\. a is null: JSON writes NaN/,
    );
    assert.deepEqual(errors(recorded), []);
  });

  it('a server that ends at its start: the server, with its exit code and last output', async () => {
    const recorded = await record(command('exits'), 'stdio', async () => {});
    assert.equal(recorded.revision, undefined);
    const [finding] = recorded.findings.filter(({ severity }) => severity === 'error');
    assert.match(finding?.rule ?? '', /^(?:exited|exit-during-request)$/);
    assert.equal(finding!.blame, 'server');
    assert.match(
      finding!.message,
      /exited with code 3 before .*Its stderr: "Reading configuration \| DATABASE_URL missing"/,
    );
    assert.ok(finding!.evidence.some((n) => recorded.lines[n - 1]!.kind === 'exit'));
  });

  it('a program that does not exist: the client, which was told to start it', async () => {
    const { lines, diagnosis, sink } = judged();
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const tap = tapStdio({ command: 'no-such-program-anywhere', args: [], env: {}, name: 'it', sink, ...streams });
    await assert.rejects(tap, { name: 'TapError' });
    diagnosis.end();
    const [finding, ...others] = diagnosis.findings;
    assert.deepEqual(
      [finding?.rule, finding?.blame, finding?.severity, others],
      ['not-started', 'client', 'error', []],
    );
    assert.match(finding!.message, /there is no such program, or no such folder.*no-such-program-anywhere/);
    assert.equal(lines[finding!.evidence[0]! - 1]?.kind, 'note');
  });

  it('a server that dies in a call: the server, with the call', async () => {
    const recorded = await record(command('dies', 'exit'), 'stdio', async (client) => {
      const [tool] = await client.tools().all();
      await client.result(tool!.name, { how: 'exit' });
    });
    const { blame, severity, message } = one(recorded, 'exit-during-request');
    assert.deepEqual([blame, severity], ['server', 'error']);
    assert.match(message, /exited with code 7 before it answered tools\/call .*TypeError: cannot read properties/);
  });

  it('a port on which nothing listens: the transport, in plain words', async () => {
    const recorded = await record('http://127.0.0.1:9/mcp', 'http', async () => {});
    assert.deepEqual(errors(recorded), ['unreachable transport']);
    assert.match(
      one(recorded, 'unreachable').message,
      /http:\/\/127.0.0.1:9\/mcp was not reached: nothing listens there/,
    );
  });

  it('a host that does not exist: the transport', async () => {
    const recorded = await record('http://no-such-host.invalid/mcp', 'http', async () => {});
    assert.deepEqual(errors(recorded), ['unreachable transport']);
    assert.match(one(recorded, 'unreachable').message, /there is no such host|could not be looked up/);
  });

  it('a path without a server: unknown, with the page found there', async () => {
    await using served = await listening('wrong-path');
    const recorded = await record(served.url, 'http', async () => {});
    assert.deepEqual(errors(recorded), ['wrong-path unknown']);
    assert.match(
      one(recorded, 'wrong-path').message,
      /answers with 404 and a web page, and without a message: ".*Cannot/,
    );
  });

  it('a silent server: unknown, because nothing shows why', async () => {
    const recorded = await record(
      command('silent', '--calls'),
      'stdio',
      (client) => client.result('never' as never, {} as never, { timeout: 500 } as never),
      { revision: '2025-11-25' },
    );
    assert.match(String(recorded.failure), /TimeoutError/);
    assert.deepEqual(errors(recorded), []);
    assert.deepEqual(
      recorded.findings.filter(({ blame }) => blame === 'server'),
      [],
    );
  });

  it('a slow server: only its duration is reported', async () => {
    // The trace runs 20 times as fast: half a second is ten seconds, and five are slow.
    const recorded = await record(command('slow', '500'), 'stdio', call('wait'), { revision: '2025-11-25' }, 20);
    assert.equal(recorded.failure, undefined);
    assert.deepEqual(errors(recorded), []);
    assert.ok(of(recorded, 'slow-answer').every(({ severity, blame }) => severity === 'info' && blame === 'server'));
    assert.ok(of(recorded, 'slow-answer').length > 0);
  });

  it('hostile words of a server come out inert', async () => {
    const recorded = await record(command('hostile'), 'stdio', (client) => client.tools().all());
    for (const { message, fix = '', subject = '' } of recorded.findings)
      for (const text of [message, fix, subject])
        assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});
