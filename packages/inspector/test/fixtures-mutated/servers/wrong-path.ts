// Serves MCP at /mcp, and pages of HTML everywhere else. The address it says is one of the others.
import { createServer } from 'node:http';
import { server, tool } from 'tenon';
import { nodeHandler } from 'tenon/http';
import { listen } from '../serving.ts';

const app = server({ name: 'wrong-path', version: '1.0.0', tools: { hello: tool({}, () => 'Hello') } });
const { handle } = nodeHandler(app);

const page = (title: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body><pre>${title}</pre></body>\n</html>\n`;

const web = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/mcp') return handle(request, response);
  const found = pathname === '/';
  response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
  return response.end(page(found ? 'Welcome' : `Cannot ${request.method} ${pathname}`));
});
listen(web, '/api');
