// The ways to connect to a server: within a program, on a byte stream as in stdio, and over HTTP.
import { PassThrough } from 'node:stream';
import { type Client, connect, type ConnectOptions, type ContractOf } from '../../src/entries/client.ts';
import { serve, type Server, type ServeOptions } from '../../src/entries/index.ts';
import { serveHttp, streamChannel } from '../../src/entries/node.ts';

type Open = <App extends Server>(
  app: App,
  options?: ConnectOptions,
  serving?: ServeOptions,
) => Promise<Client<ContractOf<App>>>;

export const WAYS: Readonly<Record<'memory' | 'stdio' | 'http', Open>> = {
  memory: (app, options, serving) => connect(app, { ...options, serve: serving ?? {} }) as never,
  stdio: (app, options, serving) => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    serve(app, streamChannel(up, down), serving);
    return connect(streamChannel(down, up), options) as never;
  },
  http: async (app, options, serving) => {
    const served = await serveHttp(app, { ...serving, port: 0, signals: false, log: () => {} });
    const client = await connect(served.url, options);
    void client.closed.then(() => served.close());
    return client as never;
  },
};
