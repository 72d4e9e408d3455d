// node client.mjs <url> [alone]
import { check } from './checks.mjs';

const { argv, exit } = globalThis.process;
console.log(await check(argv[2], {}, argv[3] === 'alone'));
exit(0);
