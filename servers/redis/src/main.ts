import process from 'node:process';
import { run, type ServerCommand } from '../../shared/command.ts';
import { DEFAULT_ADDRESS, RedisConnection } from './connection.ts';
import { createRedis } from './redis.ts';

const command: ServerCommand = {
  name: 'redis',
  about: 'keys and values of a Redis database',
  words: '[redis://host:port/database]',
  options: {
    'read-only': { type: 'boolean', about: 'offer only the tools that change nothing' },
    'no-confirm': { type: 'boolean', about: 'delete keys without asking the user' },
  },
  create(given) {
    const [address = process.env['REDIS_URL'] ?? DEFAULT_ADDRESS, ...others] = given.words;
    if (others.length > 0) throw new Error('There is one address, not several');
    return createRedis(new RedisConnection(address), {
      readOnly: given.has('read-only'),
      confirm: !given.has('no-confirm'),
    });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
