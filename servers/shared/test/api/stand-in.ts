// A server in place of a service. It checks every request and every answer with the description of the service, and can fail in all ways that
// matter.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Description, KnownRequest } from './description.ts';
import { LocalServer } from './local-server.ts';

/** A failure: an answer, a connection that is cut, or no answer at all. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'cut'
  | 'hang';

export interface ReceivedRequest extends KnownRequest {
  readonly headers: IncomingMessage['headers'];
}

/** What a service answers. */
export interface ServiceReply {
  readonly status: number;
  /** The members of the answer that matter. The stand-in fills in all others. */
  readonly values?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An answer that is not JSON. */
  readonly bytes?: Uint8Array;
  /** An error as JSON, which descriptions usually do not cover. */
  readonly error?: unknown;
}

/** What a service answers to each operation. */
export type Routes<World> = Readonly<Record<string, (world: World, request: ReceivedRequest) => ServiceReply>>;

export interface StandInOptions<World> {
  readonly description: Description;
  /** Makes the state that the answers come from. */
  readonly createWorld: () => World;
  readonly routes: Routes<World>;
  /** The part of an answer that the service sends, if requests can ask for some of its members only. Default: all of it. */
  readonly partOf?: (body: unknown, request: KnownRequest) => unknown;
}

function etagOf(text: string): string {
  return `"${createHash('sha1').update(text).digest('hex')}"`;
}

/** The body of a request: JSON, or the members of a form. */
function bodyOf({ headers }: IncomingMessage, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = Buffer.from(bytes).toString();
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
}

function fail(fault: Fault, response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"id"');
    setImmediate(() => response.destroy());
    return;
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...fault.headers };
  response.writeHead(fault.status, headers).end(fault.body ?? '');
}

export class StandIn<World> extends LocalServer {
  world: World;
  received: ReceivedRequest[] = [];
  /** What is wrong according to the description. */
  problems: string[] = [];
  /** The failures of the next requests. */
  faults: Fault[] = [];
  /** Called with each request, before the faults. What it gives is answered. */
  onRequest: (request: ReceivedRequest) => Fault | undefined = () => undefined;
  /** Called after an answer is made, to change the state between pages. */
  onAnswer: (request: KnownRequest) => void = () => {};
  /** The JSON of pages that are no part of the API, and their status if it is not 200. Undefined: there is no such page. */
  onPage: (path: string, body: unknown) => { readonly status?: number; readonly [name: string]: unknown } | undefined =
    () => undefined;
  /** Whether answers have ETags. */
  hasEtags = true;
  readonly #options: StandInOptions<World>;

  constructor(options: StandInOptions<World>) {
    super();
    this.#options = options;
    this.world = options.createWorld();
  }

  /** Starts again with a new state. Pages stay. */
  reset(): void {
    Object.assign(this, {
      world: this.#options.createWorld(),
      received: [],
      problems: [],
      faults: [],
      onRequest: () => undefined,
      onAnswer: () => {},
      hasEtags: true,
    });
  }

  /** The operations that were requested. */
  get operations(): string[] {
    return this.received.map(({ operation }) => operation);
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      this.problems.push((error as Error).message);
      response.writeHead(500).end();
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { description } = this.#options;
    const bytes = await buffer(request);
    const body = bodyOf(request, bytes);
    const page = this.onPage(request.url!, body);
    if (page !== undefined) {
      const { status = 200, ...values } = page;
      return void fail({ status, body: JSON.stringify(values) }, response);
    }
    const found = description.requestOf(request.method!, new URL(request.url!, this.url), body);
    if (found === undefined) throw new Error(`The description does not know ${request.method} ${request.url}`);
    const known = { ...found, headers: request.headers };
    this.received.push(known);
    this.problems.push(...description.problemsOfRequest(known).map((problem) => `${known.operation}: ${problem}`));
    const fault = this.onRequest(known) ?? this.faults.shift();
    if (fault !== undefined) return void fail(fault, response);
    this.#reply(known, response);
  }

  #reply(known: ReceivedRequest, response: ServerResponse): void {
    const { description, routes, partOf = (whole: unknown) => whole } = this.#options;
    const { status, values, headers = {}, bytes, error } = routes[known.operation]!(this.world, known);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (bytes !== undefined)
      return void response.writeHead(status, { 'content-type': 'application/octet-stream' }).end(bytes);
    if (error !== undefined) return void fail({ status, body: JSON.stringify(error) }, response);
    const schema = description.replySchema(known.operation, status);
    const body = schema === undefined ? undefined : description.sampleWith(schema, values);
    this.problems.push(...description.problemsOfReply(known.operation, status, body));
    const text = JSON.stringify(partOf(body, known)) ?? '';
    const etag = etagOf(text);
    if (this.hasEtags && status === 200) response.setHeader('etag', etag);
    this.onAnswer(known);
    if (this.hasEtags && status === 200 && known.headers['if-none-match'] === etag)
      return void response.writeHead(304).end();
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
  }
}
