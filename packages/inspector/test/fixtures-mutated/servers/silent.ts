// Reads and never answers. With `--calls` it answers everything but calls of tools.
import process from 'node:process';
import { serveRaw, toolMethods, usual } from '../raw.ts';

const tools = [{ name: 'never', description: 'Is never answered', run: () => undefined }];

if (process.argv.includes('--calls'))
  serveRaw([...usual({ info: { name: 'silent', version: '1.0.0' } }), ...toolMethods(tools)]);
else process.stdin.resume();
