import type { Decision, Item, SamplingResponseItem, SamplingRequestItem } from '@tenon/host';
import type { Console } from './console.ts';
import { answerQuestion } from './form.ts';
import { cut, paint, wholeText } from './paint.ts';
import { reviewSampled, reviewSample } from './sampling.ts';

type Approval = Exclude<Item, { kind: 'question' } | SamplingRequestItem | SamplingResponseItem>;

function titled(title: string, lines: readonly string[]): string[] {
  return [
    `${paint('dim', `  ${title.padEnd(10)}`)} ${lines[0] ?? ''}`,
    ...lines.slice(1).map((line) => `             ${line}`),
  ];
}

/** An argument of a command, quoted if its start and end would not be visible otherwise. */
function word(text: string): string {
  const line = cut(text, 10_000);
  return line === '' || /[\s"'\\$`]/.test(line) ? JSON.stringify(line) : line;
}

function differenceLines(difference: readonly string[]): string[] {
  return difference.map((line) =>
    paint(line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'reset', `    ${cut(line, 2_000)}`),
  );
}

/** Everything that the user decides about, never shortened, because they cannot approve what they cannot see. */
function detailsOf(item: Approval): string[] {
  switch (item.kind) {
    case 'start': {
      const { target, variables, changed, source } = item;
      const where =
        'command' in target
          ? [
              ...titled('command', [[target.command, ...target.args].map(word).join(' ')]),
              ...(target.cwd === undefined ? [] : titled('folder', [word(target.cwd)])),
              ...(target.env.length === 0 ? [] : titled('variables', [target.env.map(word).join(', ')])),
            ]
          : [
              ...titled('address', [word(target.url)]),
              ...(target.headers.length === 0 ? [] : titled('headers', [target.headers.map(word).join(', ')])),
            ];
      return [
        ...where,
        ...(variables.length === 0
          ? []
          : titled(
              'it gets',
              variables.map((name) => cut(name, 500)),
            )),
        ...(source === undefined ? [] : titled('named in', [word(source)])),
        ...changed.map((change) => paint('yellow', `  changed since you approved it: ${cut(change, 1_000)}`)),
      ];
    }
    case 'call':
      return [
        ...titled('tool', [
          `${cut(item.tool, 100)}${item.tool.endsWith(`__${item.title}`) ? '' : paint('dim', `  ${cut(item.title, 100)}`)}`,
        ]),
        ...titled('arguments', wholeText(JSON.stringify(item.arguments, undefined, 2))),
      ];
    case 'read':
      return titled('resource', [word(item.uri)]);
    case 'changed':
      return [...titled('tool', [cut(item.tool, 100)]), ...differenceLines(item.difference)];
    case 'changed-server':
      return differenceLines(item.difference);
  }
}

const TITLES = {
  start: (server: string) => `Start '${server}'?`,
  call: (server: string) => `Allow the model to call a tool of '${server}'?`,
  read: (server: string) => `Allow the model to read from '${server}'?`,
  changed: (server: string) => `A tool of '${server}' has changed since you approved it. Allow it?`,
  'changed-server': (server: string) =>
    `'${server}' has changed its description since you approved it. Give the model its new instructions?`,
};

const APPROVALS = [
  { value: 'once', label: 'Yes, this once' },
  { value: 'session', label: 'Yes, until I quit' },
  { value: 'always', label: 'Yes, always' },
] as const;

const REFUSALS = [
  { value: 'no', label: 'No' },
  { value: 'why', label: 'No, and say why' },
] as const;

async function decide(console: Console, item: Approval, signal: AbortSignal): Promise<Decision> {
  console.lines([
    '',
    paint('bold', TITLES[item.kind](cut(item.server, 100))),
    ...item.warnings.map((warning) => paint('yellow', `  ! ${warning}`)),
    ...detailsOf(item),
  ]);
  const isChange = item.kind === 'changed' || item.kind === 'changed-server';
  const yes = isChange ? [{ value: 'once' as const, label: 'Yes, as it is now' }] : APPROVALS;
  const no = item.kind === 'call' ? REFUSALS : REFUSALS.slice(0, 1);
  const answer = await console.choose('Your decision', [...yes, ...no], {
    signal,
    // Preselect No where a mistake would start a program, or where Enter was probably meant for something else.
    initial: item.kind === 'start' || isChange || console.isTyping() ? 'no' : 'once',
  });
  signal.throwIfAborted();
  if (answer === undefined || answer === 'no') return { allow: false };
  if (answer !== 'why') return { allow: true, scope: answer };
  const { text } = await console.line({
    above: [paint('bold', 'Why not? The reason is sent to the model.')],
    signal,
  });
  return { allow: false, reason: text.trim() === '' ? undefined : text };
}

/** Asks the user to decide. Rejects with the signal's reason. */
export function decideAt(console: Console, item: Item, signal: AbortSignal): Promise<Decision> {
  if (item.kind === 'question') return answerQuestion(console, item, signal);
  if (item.kind === 'sample') return reviewSample(console, item, signal);
  if (item.kind === 'sampled') return reviewSampled(console, item, signal);
  return decide(console, item, signal);
}
