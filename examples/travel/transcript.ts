// Prints the transcript: each question and each decision, with the server, its revision and the time taken.
import { basename } from 'node:path';
import { styleText } from 'node:util';
import type { DecisionHandler, HostEvent, Item, RunEvent } from '@tenon/host';

export type Write = (line: string) => void;

const MAX_LENGTH = 150;

/** Text of a model or server on one line, with control characters made visible. */
export function oneLine(text: string, maxLength = MAX_LENGTH): string {
  const flat = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')
    .trim();
  return flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
}

const WIDTH = 9;
function line(who: string, text: string): string {
  return `${styleText('bold', who.padEnd(WIDTH), { stream: process.stdout })} ${text}`;
}
function faint(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}
function milliseconds(ms: number | undefined): string {
  return ms === undefined ? '' : faint(`${Math.round(ms)} ms`);
}

function shownItem(item: Item): string {
  switch (item.kind) {
    case 'start':
      return 'command' in item.target
        ? `May ${item.server} start? ${[item.target.command, ...item.target.args].map((part) => basename(part)).join(' ')}`
        : `May ${item.server} be connected to? ${item.target.url}`;
    case 'call':
      return `May ${item.title} of ${item.server} be called? ${oneLine(JSON.stringify(item.arguments))}`;
    case 'question':
      return `${item.server} asks: ${oneLine(item.message, 300)}`;
    case 'sample':
      return `May ${item.server} ask the model ${item.model}? At most ${item.request.maxTokens} tokens`;
    case 'sampled':
      return `May ${item.server} have the answer? ${oneLine(JSON.stringify(item.result.content))}`;
    default:
      return `May this be? ${item.kind} of ${item.server}`;
  }
}

/** Prints the events of a host. */
export function hostTranscript(write: Write): (event: HostEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'decided': {
        const { act, target, server, allow, why } = event.record;
        if (act !== 'start') write(line('', faint(`${act} ${oneLine(target, 60)}: ${allow ? 'yes' : 'no'}, ${why}`)));
        else write(line('', faint(`start ${server}: ${allow ? 'yes' : 'no'}, ${why}`)));
        break;
      }
      case 'server': {
        const { alias, state, revision, problem, startMs } = event.server;
        if (state === 'ready') write(line(alias, `ready, revision ${revision}  ${milliseconds(startMs)}`));
        if (state === 'failed') write(line(alias, `failed: ${oneLine(problem ?? '')}`));
        break;
      }
      case 'called':
        write(line(event.server, `${event.tool} ${event.isError ? 'failed' : 'answered'}  ${milliseconds(event.ms)}`));
        break;
      case 'problem':
        write(line(event.server, `! ${oneLine(event.message)}`));
        break;
      default:
    }
  };
}

/** Prints a request for approval before it is decided. */
export function shownTo(write: Write, decide: DecisionHandler): DecisionHandler {
  return (item, context) => {
    write(line('host', shownItem(item)));
    for (const warning of item.warnings) write(line('', faint(`! ${warning}`)));
    return decide(item, context);
  };
}

/** Prints the text and the calls of a model. */
export function runTranscript(write: Write): (event: RunEvent) => void {
  let said = '';
  const flush = (): void => {
    if (said !== '') write(line('model', oneLine(said, 400)));
    said = '';
  };
  return (event) => {
    if (event.type === 'text') said += event.text;
    else flush();
    if (event.type === 'call')
      write(line('model', `→ ${event.tool} ${faint(oneLine(JSON.stringify(event.arguments)))}`));
    if (event.type === 'result') {
      const [block] = event.result.content;
      write(line('', `← ${oneLine(block?.type === 'text' ? block.text : (block?.type ?? 'nothing'))}`));
    }
    if (event.type === 'end' && event.end !== 'done') write(line('model', `ended: ${event.end} ${event.reason ?? ''}`));
  };
}

/** Prints a line of the user, or a heading. */
export function say(write: Write, who: string, text: string): void {
  write(line(who, text));
}
