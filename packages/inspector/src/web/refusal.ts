import { ShapeError } from '../api/shapes.ts';
import type { ErrorAnswer } from '../api/views.ts';
import { WorkbenchError } from '../session/contract.ts';

/** The error response to a request. The page shows its message. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  /** Additional header fields. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      readonly fix?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fix = options.fix;
    this.headers = options.headers ?? {};
  }
}

/** The body, the query or the path of a request is invalid. */
export function badRequest(message: string): Refusal {
  return new Refusal(400, 'bad-request', message);
}

const STATUSES: Readonly<Record<WorkbenchError['code'], number>> = {
  'unknown-server': 404,
  'not-connected': 409,
  'bad-request': 400,
  gone: 410,
  'read-only': 403,
  // The failure is outside of the inspector: at a server under test, or on disk.
  failed: 502,
};

/** The error response for an exception. `unexpected`: the error was not meant for the page, so its message is not sent. */
export function refusalOf(error: unknown): { readonly refusal: Refusal; readonly unexpected: boolean } {
  if (error instanceof Refusal) return { refusal: error, unexpected: false };
  if (error instanceof ShapeError) return { refusal: badRequest(error.message), unexpected: false };
  if (error instanceof WorkbenchError) {
    const { code, message, fix } = error;
    const refusal = new Refusal(STATUSES[code], code, message, { fix });
    return { refusal, unexpected: false };
  }
  const message = 'Something went wrong inside the inspector. The terminal it was started in says more.';
  return { refusal: new Refusal(500, 'internal', message), unexpected: true };
}

export function errorAnswerOf({ code, message, fix }: Refusal): ErrorAnswer {
  return {
    error: { code, message, fix },
  };
}
