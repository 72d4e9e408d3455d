// A recorded conversation with a real server, and its findings.
import { connect, type Client, type ConnectOptions, type Target } from 'tenon/client';
import { turns, until } from '../../../scripts/lib/until.ts';
import { createRecorder } from '../src/record/recorder.ts';
import { createRedactor } from '../src/record/redact.ts';
import { createDiagnosis } from '../src/rules/diagnosis.ts';
import type { Finding } from '../src/rules/finding.ts';
import { everyRule } from '../src/session/every-rule.ts';
import type { SessionHead, TraceLine } from '../src/trace/line.ts';
import type { TraceSink } from '../src/trace/node/trace-writer.ts';
import { createTraceIndex } from '../src/trace/trace-index.ts';

export interface Recorded {
  readonly lines: readonly TraceLine[];
  readonly findings: readonly Finding[];
  /** Undefined: connecting failed. */
  readonly revision: string | undefined;
  readonly failure: unknown;
  /** The number of messages validated against the official schema of their revision. */
  readonly measured: number;
}

/**
 * Returns whether everything has ended: after a client has closed, the ends of processes and of HTTP exchanges are still to come.
 */
function isOver(lines: readonly TraceLine[]): boolean {
  const count = (is: (line: TraceLine) => boolean): number => lines.filter(is).length;
  const isProcess = lines.some(({ about }) => about?.transport === 'stdio');
  return (
    (!isProcess || count(({ kind }) => kind === 'open') === count(({ kind }) => kind === 'exit')) &&
    count(({ http }) => http?.part === 'request') === count(({ http }) => http?.part === 'end')
  );
}

/**
 * A trace in memory that is diagnosed as it grows. `faster`: the factor by which its clock is faster than that of the machine.
 */
export function judged(faster = 1) {
  const lines: TraceLine[] = [];
  const index = createTraceIndex();
  let measured = 0;
  const diagnosis = createDiagnosis(undefined, { rules: everyRule(() => measured++) });
  const began = performance.now();
  const sink = {
    append(given: Omit<TraceLine, 'n' | 'at'>): TraceLine {
      const line: TraceLine = { n: lines.length + 1, at: (performance.now() - began) * faster, ...given };
      lines.push(line);
      diagnosis.see(line, index.add(line), index);
      return line;
    },
  };
  // The writers of lines need only this part of a sink.
  return { lines, diagnosis, sink: sink as unknown as TraceSink, measured: () => measured };
}

/** Connects, calls `act`, closes, and diagnoses the trace, even if connecting fails. */
export async function record(
  target: Target,
  transport: SessionHead['transport'],
  act: (client: Client) => Promise<unknown>,
  options: ConnectOptions = {},
  faster = 1,
): Promise<Recorded> {
  const { lines, diagnosis, sink, measured } = judged(faster);
  const about = typeof target === 'string' ? target : 'a command';
  const recorder = createRecorder(
    sink,
    's',
    { name: 'it', transport, target: about, recorder: 'client' },
    createRedactor(),
  );
  let client: Client | undefined;
  let failure: unknown;
  try {
    client = await connect(target, {
      ...options,
      onTrace(entry) {
        recorder.onTrace(entry);
        options.onTrace?.(entry);
      },
    });
    await act(client);
  } catch (error) {
    failure = error;
  } finally {
    await client?.close();
  }
  await until(
    () => isOver(lines),
    () => `the end of everything in ${lines.map(({ kind, text }) => `${kind} ${text}`.slice(0, 100)).join('\n')}`,
  );
  await turns();
  recorder.flush();
  diagnosis.end();
  return { lines, findings: diagnosis.findings, revision: client?.revision, failure, measured: measured() };
}

/** Findings as text, for comparison. */
export function findingTexts(findings: readonly Finding[], severity: Finding['severity'] = 'error'): string[] {
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ rule, blame, message }) => `${rule} [${blame}] ${message}`);
}
