// A stand-in for the models of hosts: it asks for one tool, and says what the tool answered. It notes what the host offered and returned.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Turn } from '../packages/host/test/models/model-server.ts';
import { FORMATS, type Format } from './formats.ts';

/** The call that the model asks for. */
export interface Wanted {
  readonly server: string;
  readonly tool: string;
  readonly args: object;
}

/** What came of it. */
export interface Seen {
  /** How the model got to know the tool: in a list of all tools, or from a search that the host offers. */
  tool?: 'listed' | 'found by search';
  /** What the host returned for the call. */
  result?: string;
}

export interface Model extends AsyncDisposable {
  /** The origin; the paths are those of the model APIs. */
  readonly url: string;
  readonly seen: Seen;
}

const SEARCH = /^tool_?search$/i;
/** Calls a tool by its name that a search has found. */
const BRIDGE = 'tool_call';

/** The turns of the model, whatever the format. */
function turns({ server, tool, args }: Wanted, seen: Seen): (format: Format, body: never) => Turn {
  // Hosts put the name of the server before that of the tool, each with a separator of its own.
  const full = new RegExp(String.raw`[\w-]*${server}[^a-zA-Z]+${tool}\b`);
  let searched = false;
  let called = false;
  function call(name: string, input: object): Turn {
    return { calls: [{ id: `call_${name.replace(/\W/g, '_')}`, name, pieces: [JSON.stringify(input)] }] };
  }
  function callTool(how: NonNullable<Seen['tool']>, name: string, input: object): Turn {
    seen.tool = how;
    called = true;
    return call(name, input);
  }
  return (format, body) => {
    const names = format.tools(body).map(({ name }) => name);
    const { text: result } = format.results(body).at(-1) ?? {};
    if (called && result !== undefined) {
      seen.result ??= result;
      return { text: [`The tool says: ${result}`] };
    }
    const offered = names.find((name) => full.exec(name)?.[0] === name);
    if (offered !== undefined && !called) return callTool(searched ? 'found by search' : 'listed', offered, args);
    const search = names.find((name) => SEARCH.test(name));
    if (search !== undefined && !searched) {
      searched = true;
      return call(search, { query: `+${server} ${tool}`, max_results: 5 });
    }
    const [found] = full.exec(result ?? '') ?? [];
    if (found !== undefined && !called && names.includes(BRIDGE))
      return callTool('found by search', BRIDGE, { name: found, arguments: args });
    // Titles, warm-ups, and whatever else a host asks its model.
    return { text: ['ok'] };
  };
}

/** Starts a model on a free port of this machine. */
export async function startModel(wanted: Wanted): Promise<Model> {
  const seen: Seen = {};
  const turn = turns(wanted, seen);
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, format] = FORMATS.find(([path]) => path.test(pathname)) ?? [];
    if (format === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    const answer = turn(format, JSON.parse(body) as never);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([...format.events(answer), ...format.end(answer)].join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
