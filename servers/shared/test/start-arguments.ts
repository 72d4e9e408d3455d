import { join } from 'node:path';

/** The arguments that servers need to start, by the name of the server. `folder`: a folder for their files. */
export function startArguments(folder: string): Readonly<Record<string, readonly string[]>> {
  return {
    filesystem: [folder],
    git: [folder],
    memory: ['--file', join(folder, 'm.jsonl')],
    // It connects when it is first used.
    postgres: ['postgres://localhost/none'],
    sqlite: ['--write', '--db-path', join(folder, 'p.db')],
  };
}
