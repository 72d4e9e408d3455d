// Starts a server from its sources: node start.ts <name> [arguments …]
import process from 'node:process';

const [name = '', ...argv] = process.argv.slice(2);
const { main } = (await import(`../../${name}/src/main.ts`)) as { main: (argv: readonly string[]) => Promise<void> };
await main(argv);
