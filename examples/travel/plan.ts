// The complete flow of the documentation: the user chooses a prompt and attaches resources, and the model plans and books with the tools of
// three independent servers.
import { join } from 'node:path';
import {
  type Attachment,
  createHost,
  type DecisionHandler,
  type Host,
  promptMessages,
  type RunOptions,
  type RunResult,
  verifyAudit,
} from '@tenon/host';
import type { Revision } from 'tenon/client';
import { RULES } from './person.ts';
import script, { TRIP } from './script.ts';
import { startServers } from './servers.ts';
import { makeWorkspace } from './workspace.ts';
import { hostTranscript, runTranscript, say, shownTo, type Write } from './transcript.ts';

export interface PlanOptions {
  /** The folder for the servers' data, the user's folders, decisions, and the audit log. */
  readonly folder: string;
  readonly write: Write;
  readonly approve: DecisionHandler;
  readonly ask: DecisionHandler;
  /** Default: the demo's script. */
  readonly model?: RunOptions['model'];
  /** Use only this revision. */
  readonly revision?: Revision;
}

/** The result of the planning. */
export interface Outcome {
  readonly run: RunResult;
  readonly completed: readonly string[];
  readonly trips: readonly { readonly reference: string; readonly from: string; readonly to: string }[];
  readonly events: readonly { readonly title: string; readonly startDate: string; readonly endDate: string }[];
  readonly mails: readonly { readonly subject: string }[];
  readonly audit: Awaited<ReturnType<typeof verifyAudit>>;
  readonly revisions: readonly (string | undefined)[];
}

/** The resources that the user attaches ("User Selects Resources to Include"), without the travel document. */
const ATTACHED = [
  { server: 'calendar', uri: 'calendar://my-calendar/June-2024' },
  { server: 'travel', uri: 'travel://preferences/europe' },
  { server: 'travel', uri: 'travel://past-trips/Spain-2023' },
] as const;

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

async function jsonAt<T>(host: Host, server: string, uri: string): Promise<T> {
  const [content] = (await host.read(server, uri, { by: 'user' })).contents;
  return JSON.parse(content !== undefined && 'text' in content ? content.text! : '{}') as T;
}

/** Step 1: the user chooses a prompt and fills in its arguments, with completion by the server. */
async function choosePrompt(host: Host, write: Write) {
  const { values } = await host.complete(
    'travel',
    { prompt: 'plan-vacation' },
    { argument: 'destination', value: 'Par' },
  );
  say(write, 'you', `/travel__plan-vacation destination=Par…  suggestions: ${values.join(', ') || 'none'}`);
  const args = {
    destination: TRIP.destination,
    departure_date: TRIP.from,
    return_date: TRIP.to,
    budget: String(TRIP.budget),
    travelers: String(TRIP.travelers),
  };
  say(
    write,
    'you',
    `/travel__plan-vacation ${Object.entries(args)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
  );
  const prompt = await host.prompt('travel__plan-vacation', args);
  return { completed: values, messages: promptMessages('travel', prompt) };
}

/** Step 2: the user attaches resources. */
function attach(host: Host, passport: string, write: Write): Promise<Attachment[]> {
  return Promise.all(
    [...ATTACHED, { server: 'travel', uri: passport }].map(async ({ server, uri }) => {
      say(write, 'you', `@${uri}`);
      return { server, uri, result: await host.read(server, uri, { by: 'user' }) };
    }),
  );
}

/** Plans and books the trip, and reads the results. */
export async function planTrip(options: PlanOptions): Promise<Outcome> {
  const { folder, write, approve, ask, revision, model = script } = options;
  const state = join(folder, 'host');
  const { roots, passport } = await makeWorkspace(join(folder, 'workspace'));
  const servers = await startServers(folder, revision);
  try {
    const host = await createHost({
      servers: servers.configs,
      state,
      roots,
      rules: RULES,
      approve: shownTo(write, approve),
      ask: shownTo(write, ask),
      sample: [{ model }],
    });
    host.on(hostTranscript(write));
    await host.start();
    const revisions = host.servers().map((server) => server.revision);
    say(
      write,
      'host',
      [
        counted(host.tools().length, 'tool'),
        counted(host.prompts().length, 'prompt'),
        counted(host.templates().length, 'template'),
      ].join(', '),
    );

    const { completed, messages } = await choosePrompt(host, write);
    const attachments = await attach(host, passport, write);
    // Step 3: the model reads everything, and uses the tools of all servers.
    const run = await host.run({
      model,
      messages,
      attachments,
      onEvent: runTranscript(write),
    });

    const trips = await host.call('travel__listTrips', {}, { by: 'user' });
    const { events } = await jsonAt<Pick<Outcome, 'events'>>(host, 'calendar', 'calendar://events/2024');
    const outbox = await jsonAt<{ messages: Outcome['mails'] }>(host, 'calendar', 'mail://outbox');
    await host.close();
    return {
      run,
      completed,
      trips: tripsIn(trips),
      events,
      mails: outbox.messages,
      audit: await verifyAudit(join(state, 'audit.jsonl')),
      revisions,
    };
  } finally {
    servers.close();
  }
}

/** Older revisions have no structured content; the text contains the same. */
function tripsIn({ structuredContent, content }: Awaited<ReturnType<Host['call']>>): Outcome['trips'] {
  const [block] = content;
  const value = structuredContent ?? JSON.parse(block?.type === 'text' ? block.text : '{}');
  return (value as { trips?: Outcome['trips'] }).trips ?? [];
}
