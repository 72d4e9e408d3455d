import { serveFetch } from 'tenon/http';
import { app } from './app.mjs';
import { check } from './checks.mjs';

// What outlives a request needs a place that does: a Durable Object. A plain Worker serves what stands alone.
const alone = serveFetch(app, { sessions: false });

export class Mcp {
  #handler = serveFetch(app);

  fetch(request) {
    return this.#handler.fetch(request);
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const object = env.MCP.get(env.MCP.idFromName('one'));
    if (pathname === '/mcp') return object.fetch(request);
    if (pathname === '/alone') return alone.fetch(request);
    // Here, too, the client runs: against the server in the object.
    const own = { fetch: (input, init) => object.fetch(input, init) };
    return new Response(String(await check('http://localhost/mcp', own)));
  },
};
