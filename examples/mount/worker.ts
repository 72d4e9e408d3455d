// A Worker (workerd, Cloudflare), and a server of Bun: both call the `fetch` of the default export. With Deno: deno serve worker.ts
// A Worker keeps nothing between requests, so legacy clients get no sessions here: durable-object.ts gives them some.
import { serveFetch } from 'tenon/http';
import { app } from './app.ts';

export default serveFetch(app, { allowedHosts: ['localhost', '127.0.0.1', 'mcp.example.com'], sessions: false });
