// A Worker whose Durable Object keeps sessions and subscriptions. One object serves everybody; a name for each tenant would part them.
import { type FetchHandler, serveFetch } from 'tenon/http';
import { app } from './app.ts';

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

export class Mcp {
  readonly #handler: FetchHandler = serveFetch(app, { allowedHosts: ['mcp.example.com'] });

  fetch(request: Request): Promise<Response> {
    return this.#handler.fetch(request);
  }
}

export default {
  fetch: (request: Request, { MCP }: { MCP: Namespace }): Promise<Response> =>
    MCP.get(MCP.idFromName('everybody')).fetch(request),
};
