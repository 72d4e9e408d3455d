import { ShapeError } from '../api/shapes.ts';
import type { ErrorAnswer } from '../api/views.ts';
import { WorkbenchError } from '../session/contract.ts';

/** A request that is not served. The message goes to the page. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  /** Header fields besides the usual ones. */
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

/** Something in the body or the query is not as it must be. */
export const badRequest = (message: string): Refusal => new Refusal(400, 'bad-request', message);

const STATUSES: Readonly<Record<WorkbenchError['code'], number>> = {
  'unknown-server': 404,
  'not-connected': 409,
  'bad-request': 400,
  gone: 410,
  'read-only': 403,
  // What was tried reached a server under test, or the disk, and went wrong there.
  failed: 502,
};

/** What is answered for an error. `unexpected`: it was not thrown for the page, so the page is not told what it says. */
export const refusalOf = (error: unknown): { readonly refusal: Refusal; readonly unexpected: boolean } => {
  if (error instanceof Refusal) return { refusal: error, unexpected: false };
  if (error instanceof ShapeError) return { refusal: badRequest(error.message), unexpected: false };
  if (error instanceof WorkbenchError) {
    const { code, message, fix } = error;
    const refusal = new Refusal(STATUSES[code], code, message, fix === undefined ? {} : { fix });
    return { refusal, unexpected: false };
  }
  const message = 'Something went wrong inside the inspector. The terminal it was started in says more.';
  return { refusal: new Refusal(500, 'internal', message), unexpected: true };
};

export const errorAnswerOf = ({ code, message, fix }: Refusal): ErrorAnswer => ({
  error: { code, message, ...(fix === undefined ? {} : { fix }) },
});
