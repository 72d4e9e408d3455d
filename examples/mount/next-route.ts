// A route handler of Next: app/mcp/route.ts
import { serveFetch } from 'tenon/http';
import { app } from './app.ts';

// `allowedHosts` are the names the site is called by.
const { fetch } = serveFetch(app, { allowedHosts: ['localhost:3000', 'www.example.com'] });

export { fetch as DELETE, fetch as GET, fetch as OPTIONS, fetch as POST };
