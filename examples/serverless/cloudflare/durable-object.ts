// A Worker whose Durable Object keeps the sessions of legacy clients: wrangler deploy --config wrangler.sessions.jsonc
import { type FetchHandler, serveFetch } from 'tenon/http';
import { app } from '../app.ts';

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

interface Env {
  readonly HOST: string;
  readonly KEY: string;
  readonly MCP: Namespace;
}

/** Serves all clients. It lives on one machine, so it needs no store. */
export class Mcp {
  readonly #handler: FetchHandler;

  constructor(_state: unknown, { HOST, KEY }: Env) {
    this.#handler = serveFetch(app, { allowedHosts: [HOST], keys: [KEY] });
  }

  fetch(request: Request): Promise<Response> {
    return this.#handler.fetch(request);
  }
}

export default {
  // A name for each tenant, instead of this one, would give each its own object.
  fetch: (request: Request, { MCP }: Env): Promise<Response> => MCP.get(MCP.idFromName('everyone')).fetch(request),
};
