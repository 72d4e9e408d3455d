import type { Decision, QuestionItem } from '@tenon/host';
import type { Console } from './console.ts';
import { countProblem, type Field, fieldsOf, problemOf, shownValue, type Value } from './fields.ts';
import { cut, paint, wholeText } from './paint.ts';

/** The user left the form without answering. */
class CancelledError extends Error {}

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new CancelledError();
  return answer;
}

/** The note about an empty field: its default is sent, which the client fills in, or nothing. */
function emptyNote(field: Field): string {
  if (field.initial !== undefined) return ` (empty: ${shownValue(field.initial, field)})`;
  return field.required ? '' : ' (may be left empty)';
}

function headOf(field: Field): string {
  return [
    `${cut(field.title, 100)}${field.kind === 'text' || field.kind === 'number' || field.initial === undefined ? emptyNote(field) : ''}`,
    field.description === undefined ? undefined : cut(field.description, 500),
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

const EMPTY = '\u0000empty';

async function askText(
  console: Console,
  field: Field,
  now: Value | undefined,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const { outcome, text } = await console.line({
    above: headOf(field)
      .split('\n')
      .map((line, index) => paint(index === 0 ? 'bold' : 'dim', line)),
    initial: now === undefined ? '' : String(now),
    check: (typed) => problemOf(typed, field),
    signal,
  });
  if (outcome !== 'submitted') throw new CancelledError();
  if (text === '') return field.initial;
  return field.kind === 'number' ? Number(text) : text;
}

async function askOne(
  console: Console,
  field: Field,
  now: Value | undefined,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const isBoolean = field.kind === 'boolean';
  const choices = isBoolean
    ? [
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]
    : field.choices.map(({ value, title }) => ({ value, label: title }));
  const all =
    field.required || field.initial !== undefined ? choices : [...choices, { value: EMPTY, label: '(leave it empty)' }];
  // Without a default, Enter alone must not agree to anything.
  const unanswered = field.required ? 'false' : EMPTY;
  const initial = now === undefined ? (isBoolean ? unanswered : undefined) : String(now);
  const chosen = given(await console.choose<string>(headOf(field), all, { signal, initial }));
  if (chosen === EMPTY) return undefined;
  return isBoolean ? chosen === 'true' : chosen;
}

async function askSeveral(
  console: Console,
  field: Field,
  now: Value | undefined,
  signal: AbortSignal,
): Promise<Value | undefined> {
  let initial = Array.isArray(now) ? now : [];
  let problem: string | undefined;
  const choices = field.choices.map(({ value, title }) => ({ value, label: title }));
  for (;;) {
    const message = [headOf(field), problem].filter((part) => part !== undefined).join('\n');
    const chosen = given(await console.several(message, choices, { initial, signal }));
    problem = countProblem(chosen, field);
    if (problem === undefined)
      return chosen.length === 0 && !field.required && field.initial === undefined ? undefined : chosen;
    initial = chosen;
  }
}

/** A list without choices is typed as one line, separated by commas. */
async function askList(
  console: Console,
  field: Field,
  now: Value | undefined,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const partsOf = (text: string): string[] =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  const { outcome, text } = await console.line({
    above: [paint('bold', headOf(field)), paint('dim', 'Several, separated by commas')],
    initial: Array.isArray(now) ? now.join(', ') : '',
    check: (typed) => countProblem(partsOf(typed), field),
    signal,
  });
  if (outcome !== 'submitted') throw new CancelledError();
  const parts = partsOf(text);
  return parts.length === 0 && !field.required && field.initial === undefined ? undefined : parts;
}

function askField(
  console: Console,
  field: Field,
  now: Value | undefined,
  signal: AbortSignal,
): Promise<Value | undefined> {
  if (field.kind === 'one' || field.kind === 'boolean') return askOne(console, field, now, signal);
  if (field.kind === 'several') return (field.choices.length > 0 ? askSeveral : askList)(console, field, now, signal);
  return askText(console, field, now, signal);
}

type Values = Map<string, Value | undefined>;

/** Shows the values that would be sent, and lets the user change them. */
async function review(
  console: Console,
  fields: readonly Field[],
  values: Values,
  signal: AbortSignal,
): Promise<'send' | 'decline'> {
  for (;;) {
    console.lines([
      '',
      paint('bold', 'This will be sent:'),
      ...fields.map(
        (field) => `  ${paint('dim', `${cut(field.title, 100)}:`)} ${shownValue(values.get(field.name), field)}`,
      ),
    ]);
    const action = given(
      await console.choose(
        'Send it?',
        [
          { value: 'send', label: 'Send' },
          ...(fields.length > 0 ? [{ value: 'change' as const, label: 'Change something' }] : []),
          { value: 'decline', label: 'Decline', hint: 'the server is told that you declined' },
        ],
        { signal },
      ),
    );
    if (action !== 'change') return action;
    const name = given(
      await console.choose<string>(
        'Change what?',
        fields.map((field) => ({ value: field.name, label: field.title })),
        { signal },
      ),
    );
    const field = fields.find((one) => one.name === name)!;
    values.set(name, await askField(console, field, values.get(name), signal));
  }
}

async function fill(console: Console, { form }: QuestionItem, signal: AbortSignal): Promise<Decision> {
  const fields = fieldsOf(form!.schema, form!.defaults);
  const values: Values = new Map();
  for (const field of fields) values.set(field.name, await askField(console, field, field.initial, signal));
  if ((await review(console, fields, values, signal)) === 'decline') return { allow: false };
  const content = [...values].filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return { allow: true, content: Object.fromEntries(content) };
}

async function visit(console: Console, { page }: QuestionItem, signal: AbortSignal): Promise<Decision> {
  console.lines([paint('bold', 'Open this in your browser, if you trust it:'), paint('underline', page!.url)]);
  given(await console.choose('tenon does not open it.', [{ value: 'done', label: 'Done' }], { signal }));
  return { allow: true };
}

/** A time, such as `2026-11-27 10:15`, in the time zone of the user. */
function dayAndTime(at: number): string {
  // The Swedish notation.
  return new Date(at).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' });
}

function headLines({ server, tool, message, warnings, page, resumed, at }: QuestionItem): string[] {
  return [
    '',
    paint('bold', `${cut(server, 100)} asks${tool === undefined ? '' : ` (for ${cut(tool, 100)})`}:`),
    ...(resumed === true ? [paint('yellow', `! From an earlier chat: this was first asked on ${dayAndTime(at)}`)] : []),
    ...warnings.map((warning) => paint('yellow', `! ${warning}`)),
    ...wholeText(message.slice(0, 5_000)).map((line) => `  ${line}`),
    ...(page === undefined ? [] : [`  Page: ${cut(page.url, 10_000)}`, `  Host: ${cut(page.host, 500)}`]),
  ];
}

/** Lets the user answer an elicitation: a form, or a page to open. */
export async function answerQuestion(console: Console, item: QuestionItem, signal: AbortSignal): Promise<Decision> {
  console.lines(headLines(item));
  const yes = item.page === undefined ? 'Answer' : 'I agree to open it';
  try {
    const action = given(
      await console.choose(
        'What now?',
        [
          { value: 'accept', label: yes },
          { value: 'decline', label: 'Decline', hint: 'the server is told that you declined' },
          { value: 'cancel', label: 'Cancel', hint: 'the server is told that you did not answer' },
        ],
        { signal },
      ),
    );
    if (action === 'accept') return await (item.page === undefined ? fill : visit)(console, item, signal);
    return action === 'decline' ? { allow: false } : { allow: false, cancel: true };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CancelledError) return { allow: false, cancel: true };
    throw error;
  }
}
