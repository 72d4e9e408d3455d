import type { Task } from 'tenon/client';
import { callTool } from '../session/call-tool.ts';
import { unknownArguments } from '../command-line/unknown-arguments.ts';
import { buildCallArguments, parseArguments } from '../command-line/arguments.ts';
import type { CommandLine } from '../command-line/command-line.ts';
import { isObject } from '@tenon/values/is-object';
import { blockText, toolText } from '../terminal/content-text.ts';
import { explain } from '../session/explain.ts';
import { Failure, usage } from '../failure/failure.ts';
import { memberText } from '@tenon/inspector/json';
import { collect, type CollectedList, KINDS, offers } from '../session/lists.ts';
import { nearest } from '@tenon/values/nearest';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Session, withServer, type VerbContext } from '../session/session.ts';

const MAX_EVIDENCE_LENGTH = 2_000;

const TOOLS = KINDS.find(({ name }) => name === 'tools')!;

/** The tools, if they can be listed. Tools that are not listed can be called, too, because this is a debugging tool. */
async function listTools(session: Session, screen: Screen): Promise<CollectedList | undefined> {
  if (!offers(session, TOOLS)) return undefined;
  try {
    return await collect(session, TOOLS);
  } catch (error) {
    const failure = explain(error, session.observer);
    if (failure.code !== 'rpc_error' && failure.code !== 'protocol_violation') throw failure;
    screen.warn(`the tools could not be listed, so the arguments are sent as text: ${failure.message}`);
    return undefined;
  }
}

/** The result as the server sent it: in the answer to the call, or in the last answer about its task. Undefined if none arrived. */
function resultText({ observer, client }: Session, task: Task | undefined): string | undefined {
  if (task?.id === undefined) return observer.resultOf('tools/call');
  if (client.era === 'legacy') return observer.resultOf('tasks/result') ?? observer.resultOf('tasks/get');
  const state = observer.resultOf('tasks/get');
  return state && (memberText(state, 'result') ?? state);
}

/** Prints the result as the server sent it, and returns it. */
export function printCallResult(
  session: Session,
  screen: Screen,
  task: Task | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const text = resultText(session, task);
  if (text === undefined) return undefined;
  const result: unknown = JSON.parse(text);
  screen.result({
    json: () => text,
    text: () => (isObject(result) ? toolText(result, memberText(text, 'structuredContent')) : text),
  });
  return isObject(result) ? result : undefined;
}

export function toolError(name: string, result: Readonly<Record<string, unknown>>): Failure {
  const [first] = Array.isArray(result['content']) ? result['content'] : [];
  const reason = first === undefined ? 'it gives no reason' : oneLine(blockText(first), 300);
  return new Failure('tool', 'tool_error', `The tool ${oneLine(name, 100)} failed: ${reason}`, { blame: 'tool' });
}

function cancelledTask(name: string): Failure {
  const message = `The task that ${oneLine(name, 100)} was called as was cancelled by the server`;
  return new Failure('tool', 'tool_error', message, { blame: 'tool' });
}

/** Adds to the failure of a tool call the violating content, or a similar tool name. */
function explained(error: unknown, name: string, tools: CollectedList | undefined, session: Session): unknown {
  const failure = explain(error, session.observer);
  if (failure.code === 'internal') return error;
  if (failure.code === 'protocol_violation') {
    const result = session.observer.resultOf('tools/call');
    const structured = result && memberText(result, 'structuredContent');
    if (structured === undefined) return failure;
    const evidence = `structuredContent: ${structured.slice(0, MAX_EVIDENCE_LENGTH)}`;
    return new Failure('protocol', failure.code, failure.message, { ...failure.details, evidence });
  }
  const names = (tools?.entries ?? []).map((tool) => String(tool['name']));
  if (failure.code !== 'rpc_error' || tools === undefined || names.includes(name)) return failure;
  const near = nearest(name, names);
  const fix =
    near === undefined
      ? `The list of tools has no ${oneLine(name, 100)}; see tenon list tools.`
      : `Did you mean ${oneLine(near, 100)}?`;
  return new Failure('refused', failure.code, failure.message, { ...failure.details, blame: 'you', fix });
}

/** `tenon call <tool> [name=text | name:=json …]` */
export async function call(line: CommandLine, context: VerbContext): Promise<void> {
  const { screen } = context;
  const [, name, ...words] = line.words;
  if (name === undefined) throw usage('Which tool?', 'tenon call <tool> name=text number:=1 -- <command>');
  const typed = parseArguments(words);
  const all = line.value('args');
  // Validate the JSON before a server is started.
  buildCallArguments(
    typed.filter(({ json }) => json),
    all,
    undefined,
  );
  await withServer(line, context, async (session) => {
    const tools = await listTools(session, screen);
    const tool = tools?.entries.find((one) => one['name'] === name);
    const schema = tool?.['inputSchema'];
    const args = buildCallArguments(typed, all, schema);
    for (const message of unknownArguments(args, schema)) screen.warn(`${oneLine(name, 100)} ${message}`);
    let fault: unknown;
    let task: Task | undefined;
    try {
      await callTool(session, screen, name, args, (created) => (task = created));
    } catch (error) {
      fault = error;
    }
    // An invalid result is printed, too, because the server sent it.
    const result = printCallResult(session, screen, task);
    if ((fault as Error | undefined)?.name === 'ToolError') throw cancelledTask(name);
    if (fault !== undefined) throw explained(fault, name, tools, session);
    if (result?.['isError'] === true) throw toolError(name, result);
  });
}
