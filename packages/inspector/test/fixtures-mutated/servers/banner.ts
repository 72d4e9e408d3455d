// Prints on stdout what is no protocol: as it starts, around every message, and in one tool even on the line of the answer itself.
import { serveRaw, text, toolMethods, usual } from '../raw.ts';
import process from 'node:process';

console.log('Server listening on port 3000');
console.log('\u001b[32m✔\u001b[0m Ready in 12 ms');
console.log(JSON.stringify({ level: 30, time: 1_766_000_000_000, msg: 'listening' }));

const tools = [
  { name: 'hello', description: 'Says hello', run: () => text('Hello') },
  {
    name: 'glued',
    description: 'Prints a text without an end of line right before the answer, which nobody can read then',
    run() {
      process.stdout.write('Working... ');
      return text('Nobody sees this');
    },
  },
];

serveRaw([...usual({ info: { name: 'banner', version: '1.0.0' } }), ...toolMethods(tools)], {
  before: (line) => console.log(`--> ${line.length} bytes`),
});
