import type { RunEvent, RunResult } from '@tenon/host';
import type { CallToolResult } from 'tenon/client';
import { blockText } from '../terminal/content-text.ts';
import type { CompletedCall } from './call-lines.ts';
import { cut, firstLines, paint, widthOf } from './paint.ts';
import { TextFlow } from './text-flow.ts';
import { wrapped } from './wrapped.ts';
import { EMPTY_ANSWER, detectEmptyAnswer } from './empty-answer.ts';

/** Shows a conversation on a terminal. Escapes all text of the model and the servers. */
export interface Renderer {
  /** Prints lines, wrapped between words. The caller makes them safe for a terminal. */
  lines(lines: readonly string[]): void;
  /** Shows a status on a line that is overwritten; undefined removes it. */
  status(text: string | undefined): void;
  run(event: RunEvent): void;
  over(call: CompletedCall): void;
  ended(result: RunResult): void;
  /** Holds back all output until `resume`, while the user is asked something. */
  pause(): void;
  resume(): void;
}

const CLEAR_LINE = '\r\u001b[K';
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const RESULT_LINES = 6;
const BAR = 20;

/** `[██████░░░░] 30% half way`; without a total, the progress as a number. */
export function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  const said = message === undefined ? '' : ` ${cut(message, 200)}`;
  if (total === undefined || total <= 0) return `${progress}${said}`;
  const part = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(part * BAR);
  return `[${'█'.repeat(full)}${'░'.repeat(BAR - full)}] ${Math.round(part * 100)}%${said}`;
}

function resultText({ content, structuredContent }: CallToolResult): string {
  return content.length > 0 || structuredContent === undefined
    ? content.map(blockText).join('\n')
    : JSON.stringify(structuredContent, undefined, 2);
}

/** A completed call: the tool, the time its server took, and the first lines of its result. */
function overLines({ tool, revision, ms, isError, result }: CompletedCall, columns: number): string[] {
  const facts = [tool, revision, ms === undefined ? undefined : `${Math.round(ms)} ms`].filter(
    (fact) => fact !== undefined,
  );
  const head = `${isError ? paint('red', '  ✗') : paint('green', '  ✓')} ${paint('dim', facts.map((fact) => cut(fact, 100)).join(' · '))}`;
  const text = resultText(result);
  return [
    head,
    ...firstLines(text, RESULT_LINES, columns * 2).map((line) => paint(isError ? 'red' : 'dim', `    ${line}`)),
  ];
}

export function createRenderer(write: (text: string) => void, columns: () => number): Renderer {
  let atStart = true;
  /** Whether the output ends with a line break, including what is held back. */
  let endsLine = true;
  let waiting: string | undefined;
  let isShown = false;
  let frame = 0;
  let paused = 0;
  let kept: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const isEmptyAnswer = detectEmptyAnswer();
  const flow = new TextFlow(columns);

  const clear = (): void => {
    if (isShown) write(CLEAR_LINE);
    isShown = false;
  };
  const draw = (): void => {
    if (waiting === undefined || paused > 0 || !atStart) return;
    const sign = FRAMES[frame++ % FRAMES.length]!;
    write(`${CLEAR_LINE}${paint('cyan', sign)} ${paint('dim', cut(waiting, 500).slice(0, columns() - 3))}`);
    isShown = true;
  };
  const out = (text: string): void => {
    if (text === '') return;
    endsLine = text.endsWith('\n');
    if (paused > 0) return void kept.push(text);
    clear();
    write(text);
    atStart = text.endsWith('\n');
    draw();
  };
  const lines = (list: readonly string[]): void => {
    if (list.length === 0) return;
    out(flow.end());
    out(`${endsLine ? '' : '\n'}${list.map((line) => wrapped(line, columns())).join('\n')}\n`);
  };
  const status = (text: string | undefined): void => {
    waiting = text;
    clearInterval(timer);
    timer = undefined;
    if (text === undefined) return clear();
    draw();
    timer = setInterval(draw, FRAME_MS);
    timer.unref();
  };

  const called = (tool: string, args: unknown): string => {
    const head = `${paint('cyan', '●')} ${paint('bold', cut(tool, 100))} `;
    return head + paint('dim', cut(JSON.stringify(args) ?? '', Math.max(20, columns() * 2 - widthOf(head))));
  };

  return {
    lines,
    status,
    run(event) {
      if (event.type === 'step') status('Waiting for the model. Ctrl-C stops it.');
      if (event.type === 'text') out(flow.add(event.text));
      if (event.type === 'call') {
        lines([called(event.tool, event.arguments)]);
        status(`Calling ${event.tool}. Ctrl-C stops it.`);
      }
      if (event.type === 'progress')
        status(`${event.tool} ${progressText(event.progress, event.total, event.message)}`);
      if (isEmptyAnswer(event)) lines([paint('yellow', EMPTY_ANSWER)]);
    },
    over(call) {
      lines(overLines(call, columns()));
    },
    ended({ end, reason }) {
      status(undefined);
      out(flow.end());
      if (!endsLine) out('\n');
      if (end === 'cancelled') lines([paint('yellow', 'Stopped.')]);
      else if (end !== 'done') lines([paint('yellow', cut(reason ?? end, 1_000))]);
    },
    pause() {
      if (paused === 0) {
        clear();
        if (!atStart) write('\n');
        atStart = endsLine = true;
      }
      paused++;
    },
    resume() {
      paused--;
      if (paused > 0) return;
      const text = kept.join('');
      kept = [];
      out(text);
    },
  };
}
