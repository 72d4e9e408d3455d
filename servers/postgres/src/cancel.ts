// Cancels the running statement of a connection, with a cancel request on a connection of its own:
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
import type { Client } from 'pg';

/** How long to wait until the server has accepted the request, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The members of a client and of its connection that the declarations of the driver leave out. */
interface CancellableClient {
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
}
interface RawConnection {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  once(event: 'connect' | 'sslconnect' | 'end', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  readonly stream: { destroy(): void };
}

/** Resolves when the request was sent and the server has closed its connection, or when that fails. Uses TLS if the client does. */
export async function cancelStatement(client: Client): Promise<void> {
  const { Connection } = await import('pg');
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as CancellableClient;
  if (processID === null || secretKey === null) return;
  const connection = new Connection({ ssl, sslNegotiation } as never) as unknown as RawConnection;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), TIMEOUT_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const send = (): void => connection.cancel(processID, secretKey);
    connection.on('error', end);
    connection.once('end', end);
    if (!ssl) connection.once('connect', send);
    else {
      if (sslNegotiation !== 'direct') connection.once('connect', () => connection.requestSsl());
      connection.once('sslconnect', send);
    }
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
