import { textIn } from './message-text.ts';
import { cut, firstLines, paint } from './paint.ts';
import { TextFlow } from './text-flow.ts';
import type { Message } from './types.ts';

/** Messages of the user with which the shown part of a conversation begins. */
const SHOWN_TURNS = 3;
const MAX_LINES = 30;

/** The text of a model, as it was shown when it arrived. */
function answerLines(text: string, columns: () => number): string[] {
  const flow = new TextFlow(columns);
  const lines = (flow.add(text) + flow.end()).split('\n');
  const left = lines.length - MAX_LINES;
  return left > 1 ? [...lines.slice(0, MAX_LINES), paint('dim', `… ${left} more lines`)] : lines;
}

function messageLines(message: Message, columns: () => number): string[] {
  if (message.role === 'tool' || message.role === 'system') return [];
  const text = textIn(message);
  if (message.role === 'user') return text === '' ? [] : ['', ...firstLines(text, 10).map((line) => `› ${line}`)];
  const calls =
    typeof message.content === 'string'
      ? []
      : message.content.flatMap((part) =>
          part.type === 'tool-call' ? [`${paint('cyan', '●')} ${paint('dim', cut(part.toolName, 100))}`] : [],
        );
  return [...(text === '' ? [] : ['', ...answerLines(text, columns)]), ...calls];
}

/** The end of a conversation, as lines of a terminal: what the user and the model said, and which tools were called. */
export function historyLines(messages: readonly Message[], columns: () => number): string[] {
  const turns = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const first = turns.at(-SHOWN_TURNS) ?? 0;
  const earlier = first === 0 ? [] : [paint('dim', `… ${first} earlier messages`)];
  return [...earlier, ...messages.slice(first).flatMap((message) => messageLines(message, columns))];
}
