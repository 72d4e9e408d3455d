// Drives one server over stdio with a fixed number of calls in flight, checks every answer, and tells what a call cost the server.
import type { Readable } from 'node:stream';
import { type Running, startProgram, warmed } from './measured.ts';
import { Answers, type Call, FIRST_ID, INITIALIZE, requestOf } from './messages.ts';

export interface StdioLoad {
  readonly server: string;
  /** Path of the Node that runs it. */
  readonly node: string;
  readonly era: 'modern' | 'legacy';
  readonly call: Call;
  readonly inFlight: number;
  /** Calls before the first that is measured. */
  readonly warmUp: number;
}

/** Gives each line of a stream, without its end, together with the others that arrived with it. */
export function onLines(stream: Readable, take: (lines: readonly string[]) => void): void {
  let rest: string[] = [];
  stream.setEncoding('latin1').on('data', (chunk: string) => {
    const pieces = chunk.split('\n');
    const last = pieces.pop()!;
    if (pieces.length > 0) {
      const lines = [rest.join('') + pieces[0]!, ...pieces.slice(1)];
      rest = [last];
      take(lines);
    } else rest.push(last);
  });
}

/** Starts a load, with a server that is warm. */
export async function openStdio({ server, node, era, call, inFlight, warmUp }: StdioLoad): Promise<Running> {
  const measured = startProgram(`servers/stdio/${server}`, { node });
  const { stdin, stdout } = measured;
  const modern = era === 'modern';
  const read = (line: string): unknown[] => [JSON.parse(Buffer.from(line, 'latin1').toString())];
  const answers = new Answers({ call, modern, tools: 0 }, read);

  const [before, after] = JSON.stringify(requestOf(call, modern, FIRST_ID)).split(String(FIRST_ID));
  let lastId = FIRST_ID;
  const open = new Set<number>();
  let left = 0;
  let over = (): void => {};
  let failed: (error: Error) => void = () => {};
  const send = (count: number): void => {
    let text = '';
    for (let index = 0; index < count; index++) {
      open.add(++lastId);
      text += `${before}${lastId}${after}\n`;
    }
    stdin.write(text);
  };
  const takeAnswer = (line: string): void => {
    let id = answers.idOf(line);
    if (id === undefined) {
      id = (JSON.parse(line) as { id: number }).id;
      answers.check(line, id);
    }
    if (!open.delete(id)) throw new Error(`Nothing is open with this id: ${line.slice(0, 600)}`);
  };
  let onLine = (lines: readonly string[]): void => {
    try {
      for (const line of lines) takeAnswer(line);
    } catch (error) {
      return failed(error as Error);
    }
    const more = Math.min(lines.length, left);
    left -= more;
    if (more > 0) send(more);
    else if (open.size === 0) over();
  };
  const drive = (count: number): Promise<void> => {
    const done = new Promise<void>((resolve, reject) => {
      over = resolve;
      failed = reject;
      const first = Math.min(inFlight, count);
      left = count - first;
      send(first);
    });
    return done;
  };

  const begin = async (): Promise<void> => {
    const drivesCalls = onLine;
    const initialized = new Promise<void>((resolve, reject) => {
      onLine = ([line = '']) => {
        onLine = drivesCalls;
        if ('result' in (JSON.parse(line) as object)) resolve();
        else reject(new Error(`initialize was refused: ${line}`));
      };
    });
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: INITIALIZE })}\n`);
    await initialized;
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  };
  let begun = modern;
  const run = async (calls: number): Promise<void> => {
    if (!begun) await begin();
    begun = true;
    await drive(calls);
  };
  onLines(stdout, (lines) => onLine(lines));
  return warmed(measured, { name: server, warmUp, run, close: measured.kill });
}
