// The command line of the clients of this folder, and what they print.
import process from 'node:process';

/** `[--call <tool> <json>] <url>`, or `-- <command>` in the place of the URL. */
export function target() {
  const words = process.argv.slice(2);
  const call = words[0] === '--call' ? { tool: words[1], args: JSON.parse(words[2]) } : undefined;
  const rest = call === undefined ? words : words.slice(3);
  return {
    call,
    url: rest[0] === '--' ? undefined : rest[0],
    command: rest[0] === '--' ? rest.slice(1) : undefined,
    env: process.env,
  };
}

/** Prints the names of tools, and whatever a call gave. */
export function finish(tools, result) {
  console.log(JSON.stringify({ tools, result }));
}
