// Dies in the middle of a call, in the way its argument says.
import process from 'node:process';
import { type RawTool, serveRaw, text, toolMethods, usual } from '../raw.ts';

const ways = new Map<unknown, (id: string | number) => void>([
  [
    'exit',
    () => {
      process.stderr.write('TypeError: cannot read properties of undefined\n');
      process.exit(7);
    },
  ],
  ['signal', () => process.kill(process.pid, 'SIGKILL')],
  [
    'half',
    (id) => {
      process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"te`);
      process.exit(7);
    },
  ],
  ['clean', () => process.exit(0)],
]);

const tools: RawTool[] = [
  {
    name: 'die',
    description: 'Ends this server before the answer',
    inputSchema: { type: 'object', properties: { how: { enum: [...ways.keys()], default: 'exit' } } },
    run: ({ how = 'exit' }, { id }) => ways.get(how)?.(id) ?? text('That is no way to die'),
  },
  { name: 'live', description: 'Answers', run: () => text('Still here') },
];

serveRaw([...usual({ info: { name: 'dies', version: '1.0.0' } }), ...toolMethods(tools)]);
