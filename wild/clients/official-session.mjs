// A session of an official client: prints what it found as JSON.
import { finish, target } from './target.mjs';

/** Runs the session with the classes of one version of the client. */
export async function runSession({ Client, StdioTransport, HttpTransport }) {
  const { url, command, env, call } = target();
  const client = new Client({ name: 'wild', version: '1.0.0' });
  await client.connect(
    url === undefined
      ? new StdioTransport({ command: command[0], args: command.slice(1), env })
      : new HttpTransport(new URL(url)),
  );
  const { tools } = await client.listTools();
  const result = call === undefined ? undefined : await client.callTool({ name: call.tool, arguments: call.args });
  finish(
    tools.map(({ name }) => name),
    result,
  );
  await client.close();
}
