// A Worker that keeps nothing between requests: wrangler deploy
import { type FetchHandler, serveFetch } from 'tenon/http';
import { app } from '../app.ts';

/** The settings of the Worker, from wrangler.jsonc and from `wrangler secret put KEY`. */
interface Env {
  readonly HOST: string;
  readonly KEY: string;
}

// Made by the first request, because a Worker has its settings only then. It is the same for all later requests.
let handler: FetchHandler | undefined;

export default {
  fetch(request: Request, { HOST, KEY }: Env): Promise<Response> {
    // The next request may go to another machine, so a call that asks the user is continued with the key alone.
    handler ??= serveFetch(app, { allowedHosts: [HOST], keys: [KEY], sessions: false });
    return handler.fetch(request);
  },
};
