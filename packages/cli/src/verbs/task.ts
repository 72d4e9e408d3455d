import { isObject } from '@tenon/values/is-object';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { waitForTask } from '../session/call-tool.ts';
import type { Session } from '../session/session.ts';
import { type VerbContext, withServer } from '../session/session.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { printCallResult, toolError } from './call.ts';

type Act = (session: Session, screen: Screen, id: string) => Promise<void>;

/** Prints the answer to the latest request of a method. */
function printAnswer({ observer }: Session, screen: Screen, method: string): void {
  const text = observer.resultOf(method) ?? '{}';
  screen.result({ json: () => text, text: () => printable(JSON.stringify(JSON.parse(text), undefined, 2)) });
}

/** A task by its id. Only its server knows the tool that it belongs to. */
function taskOf({ client }: Session, id: string) {
  return client.task({ tool: 'task', taskId: id });
}

const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  [
    'show',
    async (session, screen, id) => {
      await (await taskOf(session, id)).status();
      printAnswer(session, screen, 'tasks/get');
    },
  ],
  [
    'wait',
    async (session, screen, id) => {
      const task = await taskOf(session, id);
      await waitForTask(task, session, screen);
      const result = printCallResult(session, screen, task);
      if (result?.['isError'] === true) throw toolError('the task', result);
    },
  ],
  [
    'cancel',
    async (session, screen, id) => {
      await (await taskOf(session, id)).cancel();
      printAnswer(session, screen, 'tasks/cancel');
    },
  ],
]);

/** Prints all tasks of this caller (2025-11-25). */
async function listTasks({ client, request }: Session, screen: Screen): Promise<void> {
  const tasks: Record<string, unknown>[] = [];
  let cursor: unknown;
  for (let pages = 1; ; pages++) {
    const page = await client.request('tasks/list', cursor === undefined ? undefined : ({ cursor } as never), request);
    const { tasks: listed, nextCursor } = page as { readonly tasks?: unknown; readonly nextCursor?: unknown };
    if (Array.isArray(listed)) tasks.push(...listed.filter(isObject));
    if (typeof nextCursor !== 'string' || tasks.length >= MAX_LISTED) break;
    if (nextCursor === cursor || pages === MAX_PAGES) throw endlessList(pages);
    cursor = nextCursor;
  }
  screen.result({
    json: () => JSON.stringify({ tasks }),
    text: () => tasks.map((task) => printable(lineOf(task))).join('\n'),
  });
}

/** The maximum number of listed tasks. */
const MAX_LISTED = 10_000;
const MAX_PAGES = 1_000;

function endlessList(pages: number): Failure {
  return new Failure('protocol', 'endless-list', `The list of tasks does not end: it goes on after ${pages} pages`, {
    blame: 'server',
    fix: 'tenon task show <id> <server> shows one task',
  });
}

function lineOf({ taskId, status, statusMessage }: Record<string, unknown>): string {
  return [taskId, status, statusMessage].filter((part) => typeof part === 'string').join('  ');
}

/** `tenon task list|show|wait|cancel [id]` */
export async function task(line: CommandLine, context: VerbContext): Promise<void> {
  const [, act = '', id] = line.words;
  if (act === 'list') return withServer(line, context, (session) => listTasks(session, context.screen));
  const run = ACTS.get(act);
  if (run === undefined || id === undefined)
    throw usage(
      run === undefined ? 'Which action?' : 'Which task?',
      'tenon task list <server>, or tenon task show|wait|cancel <id> <server>',
    );
  return withServer(line, context, (session) => run(session, context.screen, id));
}
