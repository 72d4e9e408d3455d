import type { Decision, SamplingResponseItem, SamplingRequestItem } from '@tenon/host';
import type { SampleParams, SampleResult } from 'tenon/client';
import { blockText } from '../terminal/content-text.ts';
import type { Console } from './console.ts';
import { cut, paint, wholeText } from './paint.ts';

function textOf(content: SampleResult['content']): string {
  return [content].flat().map(blockText).join('\n');
}

function indented(text: string): string[] {
  return wholeText(text).map((line) => `    ${line}`);
}

function toolLines({ tools = [] }: SampleParams): string[] {
  if (tools.length === 0) return [];
  return [
    paint('dim', '  with these tools, which the server runs'),
    ...tools.flatMap(({ name, description = '' }) => indented(description === '' ? name : `${name}: ${description}`)),
  ];
}

function requestLines(request: SampleParams): string[] {
  const { systemPrompt, messages, maxTokens } = request;
  return [
    ...(systemPrompt === undefined ? [] : [paint('dim', '  system'), ...indented(systemPrompt)]),
    ...messages.flatMap(({ role, content }) => [paint('dim', `  ${role}`), ...indented(textOf(content))]),
    ...toolLines(request),
    paint('dim', `  at most ${maxTokens} tokens`),
  ];
}

/** Lets the user edit the text; undefined if they cancel. */
async function rewrite(console: Console, what: string, text: string, signal: AbortSignal): Promise<string | undefined> {
  const above = [paint('bold', what), paint('dim', 'Ctrl-J inserts a line break.')];
  const { outcome, text: written } = await console.line({ above, initial: text, signal });
  signal.throwIfAborted();
  return outcome === 'submitted' ? written : undefined;
}

/** The request with its last message replaced. */
function withLast(request: SampleParams, text: string): SampleParams {
  const { messages } = request;
  const last = messages.at(-1);
  if (last === undefined) return request;
  return { ...request, messages: [...messages.slice(0, -1), { ...last, content: { type: 'text', text } }] };
}

function endsWithResults({ messages }: SampleParams): boolean {
  return [messages.at(-1)?.content ?? []].flat().some(({ type }) => type === 'tool_result');
}

/** Asks the user to approve or edit a sampling request. */
export async function reviewSample(
  console: Console,
  item: SamplingRequestItem,
  signal: AbortSignal,
): Promise<Decision> {
  let { request } = item;
  for (;;) {
    console.lines([
      '',
      paint('bold', `'${cut(item.server, 100)}' asks to use the model ${cut(item.model, 100)}:`),
      ...item.warnings.map((warning) => paint('yellow', `  ! ${warning}`)),
      ...requestLines(request),
      ...(item.context === undefined ? [] : [paint('dim', '  with this context'), ...indented(item.context)]),
    ]);
    const answer = await console.choose(
      'Allow it?',
      [
        { value: 'once', label: 'Yes, and show me the answer first' },
        { value: 'session', label: 'Yes, until I quit, without asking again' },
        // The user may not change the results of tools.
        ...(endsWithResults(request) ? [] : [{ value: 'change' as const, label: 'Edit the request' }]),
        { value: 'no', label: 'No' },
      ],
      { signal },
    );
    signal.throwIfAborted();
    if (answer === undefined || answer === 'no') return { allow: false };
    if (answer !== 'change') return { allow: true, scope: answer, request };
    const before = textOf(request.messages.at(-1)?.content ?? []);
    const after = await rewrite(console, 'The last message', before, signal);
    if (after !== undefined) request = withLast(request, after);
  }
}

/** Asks the user to approve or edit the model's answer before the server gets it. */
export async function reviewSampled(
  console: Console,
  item: SamplingResponseItem,
  signal: AbortSignal,
): Promise<Decision> {
  let { result } = item;
  for (;;) {
    console.lines([
      '',
      paint('bold', `The model answered '${cut(item.server, 100)}':`),
      ...indented(textOf(result.content)),
    ]);
    const answer = await console.choose(
      'Send it to the server?',
      [
        { value: 'once', label: 'Yes' },
        { value: 'change', label: 'Edit it first' },
        { value: 'no', label: 'No' },
      ],
      { signal },
    );
    signal.throwIfAborted();
    if (answer === undefined || answer === 'no') return { allow: false };
    if (answer === 'once') return { allow: true, result };
    const after = await rewrite(console, 'The answer', textOf(result.content), signal);
    if (after !== undefined) result = { ...result, content: { type: 'text', text: after } };
  }
}
