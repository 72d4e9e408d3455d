import process from 'node:process';
import { createInterface } from 'node:readline';
import { AuthError } from '../../protocol/auth-error.ts';

/** Asks on the terminal for the URL to which the browser was redirected. Writes to stderr, because stdout is for results. */
export function askOnTerminal({ href }: URL, problem: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const how = `Open this address in a browser, on any machine, and log in:\n\n${href}\n\nThe browser ends at a page that does not load.`;
    lines.once('close', () =>
      reject(
        new AuthError(
          'login-incomplete',
          'authorization',
          'No address was pasted: stdin ended. A program can write the address to stdin',
        ),
      ),
    );
    lines.once('line', (answer) => {
      resolve(answer);
      lines.close();
    });
    process.stderr.write(`${problem ?? how}\nPaste its address here: `);
  });
}
