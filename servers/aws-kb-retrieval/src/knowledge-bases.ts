// Requests to AWS with its own client, which is loaded with the first one.
import type {
  BedrockAgentRuntimeClientConfig,
  RetrieveCommandInput,
  RetrieveCommandOutput,
} from '@aws-sdk/client-bedrock-agent-runtime';
import { ToolError } from 'tenon';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import type { ApiContext } from '../../shared/api/api.ts';
import { createAwsHandler } from '../../shared/api/aws-handler.ts';

const SERVICE = 'AWS';
const HELP =
  'Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and AWS_SESSION_TOKEN for temporary credentials, or log in with the AWS CLI.';
/** A signature is valid for five minutes, and a request that waits keeps its signature. */
const MAX_WAIT_MS = 120_000;

export interface KnowledgeBasesOptions extends Pick<ApiOptions, 'clock' | 'limits'> {
  /** Default: that of the region. */
  readonly endpoint?: string | undefined;
  /** Default: AWS_REGION, or what the configuration of the AWS CLI says. */
  readonly region?: string | undefined;
  /** Loads the client of AWS. */
  readonly load?: typeof loadClient;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

function loadClient() {
  return import('@aws-sdk/client-bedrock-agent-runtime');
}

/** Sends one request. Rejects with a `ToolError` that says why it failed. */
export type Retrieve = (input: RetrieveCommandInput, ctx: ApiContext) => Promise<RetrieveCommandOutput>;

/** What AWS says in the headers of a refusal: the name of the error, as in `ThrottlingException:http://…`. */
function noteOn(headers: Headers, status: number): string | undefined {
  const name = headers.get('x-amzn-errortype')?.split(':', 1)[0];
  const notes = [name === undefined ? undefined : `The error is ${name}.`, status === 403 ? HELP : undefined];
  return notes.filter((note) => note !== undefined).join(' ') || undefined;
}

/** The client of AWS, ready to send. */
interface Opened {
  readonly send: Retrieve;
  /** Finds the credentials, which may have changed, and the region. */
  readonly prepare: () => Promise<Credentials>;
}

/** Makes the function that queries knowledge bases. */
export function createRetrieve({
  endpoint,
  region,
  limits,
  clock,
  load = loadClient,
}: KnowledgeBasesOptions): Retrieve {
  /** What must not come back in an answer: AWS repeats signed headers if a signature is wrong. */
  let secrets: readonly string[] = [];
  const requestHandler = createAwsHandler({
    service: SERVICE,
    limits: { maxWaitMs: MAX_WAIT_MS, ...limits },
    clock,
    // The only operation here changes nothing.
    isRead: () => true,
    noteOn,
    token: {
      get value() {
        return secrets[0];
      },
      get others() {
        return secrets;
      },
      help: HELP,
      // The SDK has signed the request.
      add() {},
      isOptionalToRead: true,
    },
  });

  async function open(): Promise<Opened> {
    const { BedrockAgentRuntimeClient, RetrieveCommand } = await load();
    const settings: BedrockAgentRuntimeClientConfig = { maxAttempts: 1, requestHandler };
    if (region !== undefined) settings.region = region;
    if (endpoint !== undefined) settings.endpoint = endpoint;
    const client = new BedrockAgentRuntimeClient(settings);
    return {
      async prepare() {
        const [credentials] = await Promise.all([client.config.credentials(), client.config.region()]);
        return credentials;
      },
      send(input, ctx) {
        const options = { abortSignal: ctx.signal, call: ctx };
        return client.send(new RetrieveCommand(input), options);
      },
    };
  }

  let opened: Promise<Opened> | undefined;
  return async (input, ctx) => {
    try {
      opened ??= open();
      const { prepare, send } = await opened.catch((error: unknown) => {
        // The next call tries again.
        opened = undefined;
        throw error;
      });
      const credentials = await prepare().catch((error: unknown) => {
        throw new ToolError(`There are no credentials or no region for AWS. ${HELP}`, { cause: error });
      });
      const { accessKeyId, secretAccessKey, sessionToken } = credentials;
      secrets = [sessionToken, accessKeyId, secretAccessKey].filter((secret) => secret !== undefined);
      return await send(input, ctx);
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw explained(error);
    }
  };
}

function explained(error: unknown): unknown {
  if (error instanceof ToolError) return error;
  const refusal = apiErrorIn(error);
  if (refusal !== undefined) return refusal;
  const { name, message } = error as Error;
  const reason = name === 'SyntaxError' ? 'the answer is not JSON' : message;
  return new ToolError(`${SERVICE} could not be asked: ${reason}. Check the endpoint, or try again later.`, {
    cause: error,
  });
}
